import * as row from '../../../forms/rows.ts'
import type { Bound, Values } from '../../../forms/table.ts'
import type { FormState } from '../../../parts/form.tsx'
import { PLATFORMS } from '../../../parts/platforms.ts'
import type { Languages, Variant } from './languages.ts'
import { holdsTemplate } from './template.ts'
import type { Push } from './types.ts'

/** A record of a data table that texts show: `lookup.NAME.column`. */
export interface LookUp {
  name: string
  table: string
  by: string
  /** Template text. */
  value: string
}
export type LookUps = NonNullable<Push['lookup']>

/** Fields of the form of a push whose texts may hold values. */
const TEXTS = [
  'content.title',
  'content.message',
  'content.url',
  'content.data',
  'content.languages',
  'buttons',
  'picture',
  'android.pictureUrl',
  'ios.subtitle',
]

const isPersonalized = ({ personalize }: Values) => personalize === true
/** Tells whether there is something to say about values: they are filled in, or somebody wrote braces in one of these fields. */
const mentionsValues =
  (texts: readonly string[]) =>
  (values: Values): boolean =>
    isPersonalized(values) || texts.some((name) => holdsTemplate(values[name]))

/** The words of `personalize.missing`. */
const WHEN_MISSING = { skip: 'Gets nothing', empty: 'Gets it without the value' } as const
export const whenMissingOf = ({ whenMissing }: Values) => (whenMissing === 'empty' ? 'empty' : 'skip')

const NONE: Languages = {}
const rows = row.table<Pick<Push, 'personalize' | 'lookup' | 'content'>>()

/** Rows about what each person gets, of a form with these fields of texts. */
export const personalRows = (texts: readonly string[]) =>
  rows(
    row.where(
      mentionsValues(texts),
      row.toggle('personalize', 'Fill in the values of each person', {
        hint: 'While it is off, people read the braces.',
        to: (isOn, values) => (isOn ? { missing: whenMissingOf(values) } : undefined),
        from: (stored) => stored != null,
      }),
      row.radio('whenMissing', 'Whoever lacks a value that has no other text', {
        path: '',
        also: ['personalize.missing'],
        first: 'skip',
        options: row.choices(WHEN_MISSING),
        when: isPersonalized,
        from: (_, { personalize }) => (personalize as Push['personalize'])?.missing,
      }),
    ),
    row.own('lookup', [] as readonly LookUp[], {
      empty: 'absent',
      when: isPersonalized,
      to: (all) => Object.fromEntries(all.map(({ name, ...one }) => [name, one])),
      from: (stored) => Object.entries((stored ?? {}) as LookUps).map(([name, one]) => ({ name, ...one })),
      check: lookUpProblem,
    }),
  )
export const PERSONAL = [
  ...personalRows(TEXTS),
  ...rows(row.own('content.languages', NONE, { empty: 'absent' })),
] as const

/** The parts of a form whose texts may hold values. */
interface PersonalDraft {
  personalize: boolean
  lookup: readonly LookUp[]
}
export type PersonalForm = Bound<PersonalDraft> & Pick<FormState<PersonalDraft>, 'set' | 'forgive'>

/** The error at a place that is no field of a row: a text of a language, a part of a look-up. */
export const errorAt = (form: Pick<FormState<object>, 'field'>, place: string): string | undefined =>
  form.field(place as never).error

function lookUpProblem(all: readonly LookUp[]): string | undefined {
  if (all.some(({ table, by, value }) => table === '' || by === '' || value.trim() === ''))
    return 'Choose the table and the column of each look-up, and give it the value to look for.'
  const names = all.map(({ name }) => name)
  if (names.some((name) => !/^[A-Za-z_]\w{0,39}$/.test(name)))
    return 'Give each look-up a name: a letter, then letters, digits and _.'
  return new Set(names).size < names.length ? 'Give each look-up a name of its own.' : undefined
}

/** The places at which the interface complains of look-ups, each the name of the field. */
export const lookUpPlaces = (all: readonly LookUp[]): Record<string, string> =>
  Object.fromEntries(
    all.flatMap(({ name }) =>
      ['', '.table', '.by', '.value'].map((field) => [`lookup.${name}${field}`, `lookup.${name}${field}`]),
    ),
  )

/** Words and addresses go as they were typed. */
const said = { isAsTyped: true, isOptional: true } as const
const url = { ...said, type: 'url', placeholder: 'https://' } as const

/** Rows of the content in one language. What a row leaves out is taken from the default content. */
export const VARIANT = row.table<Variant>()(
  row.text('title', 'Title', { isAsTyped: true }),
  row.area('message', 'Message'),
  row.text('url', 'Link', url),
  row.more('Picture, subtitle, buttons and data', [
    row.picture('pictureUrl', 'Picture', said),
    row.text('subtitle', `Subtitle on ${PLATFORMS.ios.name}`, said),
    row.own('buttons', [] as NonNullable<Variant['buttons']>, { empty: 'absent' }),
    row.json('data', 'Data for the app', { empty: 'absent', rows: 3 }),
  ]),
)

/** Tells whether recipients may get different content. */
export const isPersonal = (values: Values): boolean =>
  isPersonalized(values) || ['content.languages', 'languages'].some((at) => Object.keys(values[at] ?? {}).length > 0)

/** The names of the values that `userMeta` gives to single users. */
export const metaNames = (userMeta: unknown): string[] => [
  ...new Set(
    Object.values(userMeta ?? {}).flatMap((one: unknown) =>
      typeof one === 'object' && one !== null && !Array.isArray(one) ? Object.keys(one) : [],
    ),
  ),
]
