import type { FieldErrors } from '../../../platform/errors.ts'
import {
  checked,
  documented,
  type Infer,
  integer,
  judged,
  parseText,
  present,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import { judgeVariants } from '../languages.ts'
import { MAX_SAMPLE } from './sample-size.ts'

/** The person as whom a push or an in-app message is rendered before it is sent, and the sample of its audience. */

/** The person, or only a language, for which it is rendered. */
export interface AskedPerson {
  /** The identifier of a user; they count as their most recently active install. */
  userId?: string
  installId?: string
  /** The language in which the person gets it, whatever their own is. */
  language?: string
}

const language = () =>
  documented(
    checked<string>((value) => {
      if (typeof value !== 'string') return { '': ['must be a text'] }
      const [problem] = judgeVariants([value])
      return problem ? { '': [problem.says] } : {}
    }),
    { type: 'string', description: 'BCP 47 tag' },
  )

const personFields = { userId: text(), installId: text(), language: language() }
const sampleField = integer({ min: 1, max: MAX_SAMPLE })

/** A query that names a person. */
export const personQuery = judged(shape(personFields), onePerson)

/** A query that names a person and asks for a sample of the audience. */
export const previewQuery = judged(shape({ ...personFields, sample: sampleField }), onePerson)

/** A query that asks for a sample of the audience. */
export const sampleQuery = shape({ sample: sampleField })

function onePerson({ userId, installId }: Record<string, unknown>): FieldErrors {
  return userId === undefined || installId === undefined
    ? {}
    : { installId: ['cannot be combined with userId: give the one whom you mean'] }
}

/** The person of a checked query; undefined when it names neither a person nor a language. */
export function askedPersonOf({
  userId,
  installId,
  language,
}: Pick<Infer<typeof personQuery>, 'userId' | 'installId' | 'language'>): AskedPerson | undefined {
  const asked = present({ userId, installId, language }) as AskedPerson
  return Object.keys(asked).length > 0 ? asked : undefined
}

/** The person that a command line names. Throws `invalid`. */
export function parsePerson(given: { [name in keyof AskedPerson]?: string | undefined }): AskedPerson | undefined {
  return askedPersonOf(parseText(personQuery, present(given)))
}
