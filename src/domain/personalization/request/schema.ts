import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  addressOrPath,
  check,
  checked,
  closedShape,
  describe,
  documented,
  oneOf,
  type Schema,
  text,
  withoutNulls,
} from '../../../platform/values/parse.ts'
import { atMost, below, MUST_BE } from '../../../platform/values/reader.ts'
import { judgeVariants, MAX_VARIANTS } from '../languages.ts'
import { looksLikeTemplate } from '../read/tokens.ts'
import { MAX_TEXT_BYTES } from '../types.ts'
import { type LookUps, WHEN_MISSING } from './parts.ts'

/** Look-ups of a message. Each is a statement for each page of recipients. */
const MAX_LOOK_UPS = 3
/** A name that texts can write after `lookup.`. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/

/** `personalize`: its texts are template texts. */
export const personalizeField = () => closedShape({ missing: oneOf(WHEN_MISSING) })

const lookUp = closedShape({
  table: text({ max: 64 }).defined(),
  by: text({ max: 64 }).defined(),
  value: text({ max: MAX_TEXT_BYTES }).defined(),
})

/** `lookup`: records of data tables that the texts may show. */
export function lookUpField() {
  const schema = checked<LookUps>((value) => {
    if (!isPlainObject(value))
      return { '': ['must be an object: the name of each look-up, and its table, by and value'] }
    const names = Object.keys(value)
    if (names.length > MAX_LOOK_UPS) return { '': [atMost(MAX_LOOK_UPS, 'look-ups')] }
    return Object.fromEntries(names.flatMap((name) => judgeOne(name, value[name])))
  })
  return documented(schema, {
    type: 'object',
    additionalProperties: { title: 'LookUp', ...describe(lookUp) },
    maxProperties: MAX_LOOK_UPS,
    description: 'Records of data tables by name; texts show them as `{{ lookup.NAME.field }}`',
  })
}

function judgeOne(name: string, value: unknown): [string, string[]][] {
  if (!NAME.test(name)) {
    return [
      [
        '',
        [`has the name ${JSON.stringify(name.slice(0, 60))}: write a letter, then letters, digits and _, at most 40`],
      ],
    ]
  }
  if (!isPlainObject(value)) return [[name, ['must be an object with table, by and value']]]
  return Object.entries(check(lookUp, value, true) ?? {}).map(([path, why]) => [`${name}.${path}`, why])
}

/**
 * A field that holds an address, or template text that becomes one: what looks like template text is accepted here, and judged as
 * such where the request is personalised. `judgePlainAddress` refuses it in all others.
 */
export function templateAddress<S extends Schema>(plain: S): S {
  const given = checked<string>((value) => {
    if (typeof value === 'string' && looksLikeTemplate(value))
      return check(text({ max: MAX_TEXT_BYTES }), value, true) ?? {}
    return check(plain, value, true) ?? {}
  })
  return documented(given, describe(plain)) as unknown as S
}

/**
 * The problems of an address in a request that is not personalised. `plain` makes its schema, which is needed only for what looks like
 * template text: making one takes longer than checking a whole request.
 */
export function judgePlainAddress(
  path: string,
  value: unknown,
  plain: () => Schema = () => addressOrPath(),
): FieldErrors {
  if (typeof value !== 'string' || !looksLikeTemplate(value)) return {}
  return Object.fromEntries(Object.values(check(plain(), value, true) ?? {}).map((why) => [path, why]))
}

/**
 * A field that holds variants by language tag. `must` is what each has to be, `description` says what they are; `title` names the schema
 * of one in the interface document.
 */
export function byLanguage<T>(variant: Schema, { must, description, title }: LanguageWords) {
  const schema = checked<Readonly<Record<string, T>>>((value) => judgeByLanguage(value, variant, must))
  return documented(schema, {
    type: 'object',
    maxProperties: MAX_VARIANTS,
    additionalProperties: { ...(title !== undefined && { title }), ...describe(variant) },
    description,
  })
}

interface LanguageWords {
  must: string
  description: string
  title?: string | undefined
}

/** Judges the variants of a content by language tag; `must` says what each is. A tag may be any text, `__proto__` as well. */
function judgeByLanguage(value: unknown, variant: Schema, must: string): FieldErrors {
  if (!isPlainObject(value)) return { '': [MUST_BE.object] }
  const inside = Object.entries(value)
    .slice(0, MAX_VARIANTS)
    .flatMap(([tag, one]): [string, string[]][] => {
      if (!isPlainObject(one)) return [[tag, [must]]]
      return Object.entries(below(tag, check(variant, withoutNulls(variant, one), true) ?? {}))
    })
  const tags = judgeVariants(Object.keys(value)).map(({ tag, says }): [string, string[]] => [tag ?? '', [says]])
  return Object.fromEntries([...inside, ...tags])
}
