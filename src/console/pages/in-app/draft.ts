import type { Body } from '../../api/client.ts'
import { LABELS } from '../../forms/labels-row.ts'
import * as row from '../../forms/rows.ts'
import { bodyOver, isObject, problemsOf, type Values, type ValuesOf, valuesOf } from '../../forms/table.ts'
import type { TableState } from '../../forms/table-form.tsx'
import { MATCH, NAMED, targetOf, whoRows } from '../push/audience.ts'
import { nameOfLanguage } from '../push/personal/languages.ts'
import { lookUpPlaces, personalRows } from '../push/personal/rows.ts'
import { AGAIN, timeOf, WHEN } from '../push/time.ts'
import { type Tag, textOf } from '../templates/document.ts'
import { TEXTS as ANNOUNCED, ANNOUNCEMENT, pushPlaces, pushProblems } from './announcement/rows.ts'

/** The form of an in-app message: its rows, and the body that they make. Pure. */

export type Request = Body<'/admin/v1/apps/{appId}/in-app-messages', 'post'>
const rows = row.table<Request>()

/** Texts by the title of a tag, or by the name of a field of the inbox entry. */
export type Texts = Readonly<Record<string, string>>
/** Texts by language tag. */
type ByLanguage = Readonly<Record<string, Texts>>
const NO_TEXTS: Texts = {}
const NONE: ByLanguage = {}

/** The texts that are filled in: a default stands in the place of others. */
const filled = (texts: Texts): Texts => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
const filledByLanguage = (all: ByLanguage) =>
  Object.fromEntries(Object.entries(all).map(([tag, texts]) => [tag, filled(texts)]))
const textsIn = (stored: unknown): Texts =>
  isObject(stored) ? Object.fromEntries(Object.entries(stored).map(([title, value]) => [title, textOf(value)])) : {}
const textsByLanguage = (stored: unknown): ByLanguage =>
  isObject(stored) ? Object.fromEntries(Object.entries(stored).map(([tag, texts]) => [tag, textsIn(texts)])) : {}

export const WHO = whoRows('All people who agreed to in-app messages')

/** Rows about the content. */
export const TEMPLATE = rows(row.select('template', 'Template', { need: 'Choose a template.' }))
const TAGS = rows(row.own('values', NO_TEXTS, { path: 'content', to: filled, from: textsIn }))
/** Rows about what each person gets. */
export const PERSONAL = personalRows([
  'values',
  'languages',
  'inboxTitle',
  'inboxSubtitle',
  'inboxImage',
  'inboxLanguages',
  ...ANNOUNCED,
])

const hasInbox = ({ inboxTitle }: Values): boolean => inboxTitle !== ''
/** A member of the entry; none without a title. */
const ofEntry = <T>(value: T, values: Values): T | undefined => (hasInbox(values) ? value : undefined)
const said = { isAsTyped: true, isOptional: true } as const

export const INBOX = rows(
  row.more('Entry in the inbox of the app', [
    row.text('inboxTitle', 'Title in the inbox', { ...said, path: 'inbox.title', also: ['inbox'] }),
    row.text('inboxSubtitle', 'Line below it', { ...said, path: 'inbox.subtitle', empty: 'sent', to: ofEntry }),
    row.text('inboxImage', 'Link to its picture', {
      ...said,
      path: 'inbox.imageUrl',
      type: 'url',
      placeholder: 'https://',
      to: ofEntry,
    }),
  ]),
)
/** Texts of the other languages, and the hours of the inbox entry, which are kept as they came. */
const OTHERS = rows(
  row.own('languages', NONE, { empty: 'absent', to: filledByLanguage, from: textsByLanguage }),
  row.own('inboxLanguages', NONE, {
    path: 'inbox.languages',
    empty: 'absent',
    to: (all, values) => {
      const own = Object.entries(filledByLanguage(all)).filter(([, texts]) => Object.keys(texts).length > 0)
      return ofEntry(Object.fromEntries(own), values)
    },
    from: textsByLanguage,
  }),
  row.own('inboxFrom', '', { path: 'inbox.from', empty: 'absent', to: ofEntry }),
  row.own('inboxTo', '', { path: 'inbox.to', empty: 'absent', to: ofEntry }),
)

/** Rows of the rules by which it is sent. */
export const RULES = rows(
  row.more('Purpose and rules', [
    row.select('purpose', 'Purpose', { empty: 'absent', hint: 'Who refused messages of this purpose gets nothing.' }),
    row.toggle('isTransactional', 'About something that people did themselves', {
      path: 'priority',
      hint: 'Such as an order. It ignores what people said about purposes.',
      to: (isOn) => (isOn ? 'transactional' : undefined),
      from: (priority) => priority != null,
    }),
  ]),
  LABELS,
)

/** The moments at which the app shows it, in words. */
export const SHOWN_WHEN = {
  immediately: 'As soon as the app is open',
  'next-open': 'The next time the app opens',
  never: 'Only from the inbox of the app',
} as const

const stays = ({ presentedWhen }: Values): boolean => presentedWhen !== 'never'
const UNITS = { d: 'days', h: 'hours' } as const

/** Rows about when the app shows it, and for how long. */
export const SHOWN = rows(
  row.radio('presentedWhen', 'It is shown', { first: 'immediately', options: row.choices(SHOWN_WHEN) }),
  row.where(
    stays,
    row.halves(
      row.number('ttl', 'It stays for', {
        also: ['ttl.expiresIn'],
        first: 7,
        min: 1,
        max: 365,
        hint: 'Counted from when a person gets it.',
        need: 'Say for how long it stays.',
        to: (ttl, { ttlUnit }) => ({ expiresIn: ttl ?? 0, units: ttlUnit as 'd' }),
        from: (ttl) => (ttl as Request['ttl'])?.expiresIn,
      }),
      row.select('ttlUnit', 'Counted in', {
        path: '',
        first: 'd',
        options: row.choices(UNITS),
        from: (_, { ttl }) => (ttl as Request['ttl'])?.units ?? undefined,
      }),
    ),
  ),
)

const SAYING = [...TEMPLATE, ...TAGS, ...PERSONAL, ...INBOX, ...OTHERS, ...ANNOUNCEMENT] as const
export const MESSAGE = [
  ...WHO,
  ...MATCH,
  ...NAMED,
  ...SAYING,
  ...RULES,
  ...SHOWN,
  ...WHEN,
  ...AGAIN,
  ...rows(row.stored),
] as const
export type Draft = ValuesOf<typeof MESSAGE>
export type ComposeForm = TableState<typeof MESSAGE>

export const EMPTY: Draft = valuesOf(MESSAGE)
/** The form of a stored request. */
export const draftOfMessage = (request: Values): Draft => valuesOf(MESSAGE, request)
/** The same of one that repeats. */
export const draftOfSeries = (request: Values): Draft => ({ ...draftOfMessage(request), when: 'repeat' })

const WHAT = [...SAYING, ...RULES, ...SHOWN] as const

/** Everything but the target and the time, with what is stored and no row shows. */
function untimed(draft: Draft): Omit<Request, 'target'> {
  const { target: _, schedule: __, intelligentDelivery: ___, confirm: ____, ...stored } = draft.stored
  const { notification, inbox, ...body } = bodyOver<Omit<Request, 'target'>>(WHAT, draft, stored)
  // Neither is there in part: without its first words it goes with all that belongs to it.
  return {
    ...body,
    ...(draft.push !== 'none' && notification && { notification }),
    ...(hasInbox(draft) && inbox && { inbox }),
  }
}

/** Splits the content from the rules by which it is sent. */
function contentOf(draft: Draft) {
  const { purpose, priority, presentedWhen: _, ttl: __, labels: ___, ...saying } = untimed(draft)
  return { saying, rules: { ...(purpose && { purpose }), ...(priority && { priority }) } }
}
/** The content as far as it is written. */
export const sayingOf = (draft: Draft) => contentOf(draft).saying
/** The same without look-ups that are not complete: nothing is wrong with them while somebody writes. */
export const sayingSoFar = (draft: Draft) =>
  sayingOf({ ...draft, lookup: draft.lookup.filter(({ table, value }) => table !== '' && value.trim() !== '') })
export const rulesOf = (draft: Draft) => contentOf(draft).rules

/** The whole body; undefined while something is missing. */
export function messageOf(draft: Draft): Request | undefined {
  const [target, time] = [targetOf(draft), timeOf(draft)]
  const { template } = draft
  return target && time && template !== '' ? { target, ...untimed(draft), ...time } : undefined
}

/** The body as far as it is written, to be shown. */
export const soFar = (draft: Draft): object => messageOf(draft) ?? { target: targetOf(draft) ?? {}, ...untimed(draft) }

/** Tells whether every message must say something in a tag. */
export const isNeeded = ({ required, default: usual }: Tag): boolean => required && usual === undefined

/** Sentences about tags that must be filled in, by their place. */
const tagProblems = (tags: readonly Tag[], { values }: Pick<Draft, 'values'>): Record<string, string> =>
  Object.fromEntries(
    tags.flatMap((tag) =>
      isNeeded(tag) && (values[tag.title] ?? '').trim() === '' ? [[placeOf(tag.title), `Fill in ${tag.title}.`]] : [],
    ),
  )

/** Sentences about everything that is missing and that no row knows. */
export const missingTexts = (tags: readonly Tag[], draft: Draft): Record<string, string> => ({
  ...tagProblems(tags, draft),
  ...pushProblems(draft),
})

/** Tells whether nothing is missing: until then the button that sends is on, and says what is. */
export const isComplete = (tags: readonly Tag[], draft: Draft): boolean =>
  messageOf(draft) !== undefined &&
  Object.values({ ...problemsOf(MESSAGE, draft), ...missingTexts(tags, draft) }).every((one) => one === undefined)

/** The languages in which something is written: those of the message, and those that only its push has. */
export const languagesOf = ({ languages, 'notification.languages': ofPush }: Draft): string[] => [
  ...new Set([...Object.keys(languages), ...Object.keys(ofPush)]),
]

/** The place of the value of a tag in the interface, in the default content or in a language. */
export const placeOf = (title: string, language?: string): string =>
  language === undefined ? `content.${title}` : `languages.${language}.${title}`
/** The same of a text of the inbox entry. */
export const inboxPlaceOf = (field: string, language: string): string => `inbox.languages.${language}.${field}`

/** Places at which the interface complains of tags, languages and look-ups, whose number differs: each the name of its own field. */
export function placesOf(
  tags: readonly Tag[],
  { languages, lookup, 'notification.languages': ofPush }: Draft,
): Record<string, string> {
  const titles = tags.map(({ title }) => title)
  const own = [
    ...pushPlaces(ofPush),
    ...titles.map((title) => placeOf(title)),
    ...Object.keys(languages).flatMap((language) => [
      `languages.${language}`,
      `inbox.languages.${language}`,
      ...titles.map((title) => placeOf(title, language)),
      ...['title', 'subtitle', 'imageUrl'].map((field) => inboxPlaceOf(field, language)),
    ]),
  ]
  return { ...Object.fromEntries(own.map((place) => [place, place])), ...lookUpPlaces(lookup) }
}

/** Tells whether enough is written to show it and to test it. */
export const isWritten = (tags: readonly Tag[] | undefined, draft: Draft): tags is readonly Tag[] =>
  tags !== undefined && draft.template !== '' && Object.keys(tagProblems(tags, draft)).length === 0

/** Tells whether the form shows the whole target of a stored request. */
export const isAimed = (draft: Draft): boolean => problemsOf(WHO, draft)['who'] === undefined

/** Sentence about a language that says nothing of its own; undefined where it does. */
export const emptyLanguage = (
  { languages, inboxLanguages, 'notification.languages': ofPush }: Draft,
  language: string,
): string | undefined =>
  [languages[language], inboxLanguages[language], ofPush[language]].some((texts) =>
    Object.values(texts ?? {}).some((text) => text !== ''),
  )
    ? undefined
    : `Nothing is written in ${nameOfLanguage(language)} yet: people read the default.`
