import { LABELS } from '../../forms/labels-row.ts'
import * as row from '../../forms/rows.ts'
import { bodyOver, problemsOf, type Values, type ValuesOf, valuesOf } from '../../forms/table.ts'
import type { TableState } from '../../forms/table-form.tsx'
import { showing } from '../../parts/platforms.ts'
import { MATCH, NAMED, targetOf, whoRows } from './audience.ts'
import { variantPlaces, variantProblems } from './personal/languages.ts'
import { lookUpPlaces, PERSONAL } from './personal/rows.ts'
import type { Push, SendRequest } from './personal/types.ts'
import { AGAIN, timeOf, WHEN } from './time.ts'

export type { Estimate, Push, SendRequest } from './personal/types.ts'

const rows = row.table<Push>()
/** Words and addresses go as they were typed. */
const said = { isAsTyped: true, isOptional: true } as const
const url = { ...said, type: 'url', placeholder: 'https://' } as const
/** Said where it is on only. */
const onlyOn = { empty: 'absent' } as const
const unlessSilent =
  (words: string) =>
  (value: string, { runBackgroundHandler }: Values) =>
    !runBackgroundHandler && value.trim() === '' ? words : undefined

/** Rows of the words that people read first. */
export const WORDS = rows(
  row.text('content.title', 'Title', {
    isAsTyped: true,
    placeholder: 'Fresh bread',
    check: unlessSilent('Give it a title.'),
  }),
  row.area('content.message', 'Message', {
    also: ['content'],
    placeholder: 'Out of the oven until six.',
    check: unlessSilent('Write what it says.'),
  }),
  row.text('content.url', 'Link', { ...url, hint: 'What a tap opens. Without it, the app.' }),
  row.own('buttons', [] as readonly Button[], {
    empty: 'absent',
    // An icon is kept as it was given.
    to: (buttons) => buttons.map(({ id, text: label, ...icon }) => ({ id: id || label, text: label, ...icon })),
    check: (buttons) =>
      buttons.some((one) => one.text.trim() === '') ? 'Give each button a label, or remove it.' : undefined,
  }),
)
/** Rows about everything else that a push says. */
export const DETAILS = rows(
  row.more('Picture, badge and data', [
    row.picture('picture', 'Picture', { ...said, path: 'ios.media.pictureUrl', from: pictureOf }),
    row.halves(
      row.number('ios.badge', `Badge on ${showing('ios')}`, {
        path: 'ios.badge.count',
        isOptional: true,
        hint: '0 takes it away.',
      }),
      row.select('badgeType', 'This number', {
        path: 'ios.badge.type',
        first: 'setTo',
        options: row.choices({ setTo: 'replaces the badge', incrementBy: 'is added to the badge' }),
        to: (type, draft) => (draft['ios.badge'] === null ? undefined : type),
      }),
    ),
    row.json('content.data', 'Data for the app', { ...onlyOn, rows: 4, hint: 'An object of your own.' }),
  ]),
  row.more(`Only on ${showing('ios')}`, [
    row.text('ios.subtitle', 'Subtitle', { ...said, hint: 'A line between title and message.' }),
    row.select('ios.interruptionLevel', 'How far it may interrupt', {
      ...onlyOn,
      options: row.choices({
        '': 'As usual',
        passive: 'Passive: the screen stays dark',
        active: 'Active: the screen lights up',
        'time-sensitive': 'Time-sensitive: passes a Focus',
        critical: 'Critical: sounds although muted',
      }),
    }),
    row.halves(
      row.text('ios.threadId', 'Thread', { ...said, hint: 'Pushes of a thread stand together.' }),
      row.text('ios.category', 'Category', { ...said, hint: 'One that the app registered.' }),
      row.text('ios.sound', 'Sound', {
        ...said,
        hint: 'A file in the app; none for silence.',
        to: soundOf,
        from: (stored, request) => soundIn(request)?.name ?? (typeof stored === 'string' ? stored : ''),
      }),
      row.number('ios.relevanceScore', 'Relevance', {
        isOptional: true,
        min: 0,
        max: 1,
        step: 0.1,
        hint: 'From 0 to 1: which push of the app a summary shows first.',
      }),
      row.text('ios.targetContentId', 'Window', { ...said, hint: 'The window of the app that opens.' }),
      row.select('ios.priority', 'Priority', {
        options: [
          { value: '', label: 'As usual' },
          { value: '10', label: '10: at once' },
          { value: '5', label: '5: when it suits the battery' },
          { value: '1', label: '1: never wakes the device' },
        ],
        to: (priority) => (priority === '' ? undefined : Number(priority)),
        from: (priority) => (typeof priority === 'number' ? String(priority) : ''),
      }),
    ),
    row.toggle('ios.sound.critical', 'Critical sound', {
      path: '',
      hint: 'Sounds although the phone is muted. Apple must have allowed it to the app.',
      from: (_, request) => soundIn(request)?.critical,
    }),
    row.number('ios.sound.volume', 'Volume', {
      path: '',
      isOptional: true,
      min: 0,
      max: 1,
      step: 0.1,
      hint: 'From 0 to 1.',
      when: (draft) => draft['ios.sound.critical'] === true,
      from: (_, request) => soundIn(request)?.volume,
    }),
  ]),
  row.more(`Only on ${showing('android')}`, [
    row.picture('android.pictureUrl', 'Another picture', {
      ...url,
      hint: 'Instead of the one for all devices.',
      to: (own, { picture }) => own || picture,
      from: (own, request) => (own === pictureOf(undefined, request) ? '' : (own as string)),
    }),
    row.halves(
      row.text('android.channelId', 'Notification channel', { ...said, hint: 'An id that the app made.' }),
      row.select('android.importance', 'Importance', {
        ...onlyOn,
        options: row.choices({ '': 'As usual', default: 'Default', high: 'High: may appear on top' }),
      }),
      row.text('android.sound', 'Sound', { ...said, hint: 'A raw resource of the app.' }),
    ),
    row.toggle('android.highPriority', 'Wake sleeping devices', onlyOn),
  ]),
)
/** Rows of the rules by which it is sent, and of data for the app. A push template holds none of them. */
export const RULES = rows(
  row.more('Purpose and rules', [
    row.select('purpose', 'Purpose', { ...onlyOn, hint: 'Who refused pushes of this purpose gets nothing.' }),
    row.toggle('isTransactional', 'Something that the person waits for', {
      path: 'priority',
      hint: 'Passes quiet hours, the frequency cap and purposes. Never for advertising.',
      to: (isOn) => (isOn ? 'transactional' : undefined),
      from: (priority) => priority != null,
    }),
    row.text('collapseId', 'Replaces', {
      ...said,
      hint: 'A later push with the same word takes the place of this one on the device.',
    }),
  ]),
  LABELS,
  row.more('For the app and your reports', [
    row.toggle('runBackgroundHandler', 'Wake the app in the background', {
      ...onlyOn,
      hint: 'Its handler runs. Without title and message nothing is shown.',
    }),
    row.json('reportingMeta', 'Data for your reports', {
      ...onlyOn,
      rows: 3,
      hint: 'An object. It comes back with events about this push; devices do not get it.',
    }),
    row.json('userMeta', 'Data of single users', {
      ...onlyOn,
      rows: 3,
      hint: 'An object by user id. What is there for a user comes back with the events of that user.',
    }),
  ]),
)

/** Units of `ttl`. */
const SECONDS: Readonly<Record<string, number>> = { hours: 3600, minutes: 60, seconds: 1 }
/** Seconds in the largest unit that holds them whole. */
const unitOf = (seconds: unknown): string =>
  Object.keys(SECONDS).find((unit) => Number.isInteger(Number(seconds ?? 0) / SECONDS[unit]!))!

export const PACE = rows(
  row.more('Pace and expiry', [
    row.number('rateLimit', 'At most', {
      isOptional: true,
      min: 1,
      unit: 'devices a second',
      hint: 'For a website that cannot bear everybody at once.',
    }),
    row.halves(
      row.number('ttl', 'Expires after', {
        isOptional: true,
        min: 1,
        hint: 'A phone that was off for longer gets nothing. Four weeks at most.',
        to: (ttl, { ttlUnit }) => (ttl === null ? undefined : ttl * SECONDS[ttlUnit as string]!),
        from: (ttl) => (ttl == null ? null : Number(ttl) / SECONDS[unitOf(ttl)]!),
      }),
      row.select('ttlUnit', 'Counted in', {
        path: '',
        first: 'hours',
        options: row.choices({ hours: 'hours', minutes: 'minutes', seconds: 'seconds' }),
        from: (_, { ttl }) => unitOf(ttl),
      }),
    ),
  ]),
)

export { targetOf } from './audience.ts'
export { timeOf } from './time.ts'

export const WHO = whoRows('Every device that allows pushes')

/** Rows about the content, and the rules by which it is sent. */
const WHAT = [...WORDS, ...PERSONAL, ...DETAILS, ...RULES, ...PACE] as const
/** The whole form. */
export const PUSH = [...WHO, ...MATCH, ...NAMED, ...WHAT, ...WHEN, ...AGAIN, ...rows(row.stored)] as const
export type Draft = ValuesOf<typeof PUSH>
export type Compose = TableState<typeof PUSH>

export const EMPTY: Draft = valuesOf(PUSH)
/** A draft of an earlier push: everything but its time. */
export const draftOf = (request: SendRequest): Draft => valuesOf(PUSH, request)
/** Sentences about texts of languages that are missing, by the place of each. */
export const personalProblems = (draft: Draft) => variantProblems(draft['content.languages'])
export const missing = (draft: Draft): Record<string, string | undefined> => ({
  ...problemsOf(PUSH, draft),
  ...personalProblems(draft),
})
/** The fields of languages and look-ups, whose number differs, by the places that the interface names. */
export const personalPlaces = (draft: Draft): Record<string, string> => ({
  ...variantPlaces(draft['content.languages']),
  ...lookUpPlaces(draft.lookup),
})

interface Button {
  id: string
  text: string
  icon?: unknown
}

type Sound = Exclude<NonNullable<NonNullable<Push['ios']>['sound']>, string>
const soundIn = ({ ios }: Values): Sound | undefined => {
  const sound = (ios as Push['ios'])?.sound
  return typeof sound === 'object' ? (sound ?? undefined) : undefined
}
/** A file, or with what makes it critical. */
function soundOf(name: string, draft: Values) {
  const { 'ios.sound.critical': critical, 'ios.sound.volume': volume } = draft
  return critical ? { critical, ...(name !== '' && { name }), ...(volume !== null && { volume }) } : name
}

/** The picture of all devices. */
function pictureOf(_: unknown, { ios, android }: Values): string {
  return (ios as Push['ios'])?.media?.pictureUrl ?? (android as Push['android'])?.pictureUrl ?? ''
}

/** Everything but the target and the time, with what is stored and no row shows. */
function untimed(draft: Draft): Omit<Push, 'target'> {
  const { target: _, schedule: __, intelligentDelivery: ___, confirm: ____, ...stored } = draft.stored
  return bodyOver<Omit<Push, 'target'>>(WHAT, draft, stored)
}

/** Splits the content from the rules by which it is sent. */
function contentOf(draft: Draft) {
  const { purpose, priority, userMeta, ttl: _, rateLimit: __, labels: ___, ...saying } = untimed(draft)
  return {
    saying,
    rules: { ...(purpose && { purpose }), ...(priority && { priority }) },
    userMeta,
  }
}
/** The content, and what it knows of single users. */
export function sayingOf(draft: Draft) {
  const { saying, userMeta } = contentOf(draft)
  return { ...saying, ...(userMeta && { userMeta }) }
}
/** The same without languages and look-ups that are not complete: nothing is wrong with them while somebody writes. */
export const sayingSoFar = (draft: Draft) =>
  sayingOf({
    ...draft,
    'content.languages': Object.fromEntries(
      Object.entries(draft['content.languages']).filter(
        ([, { title, message }]) => title.trim() !== '' && message.trim() !== '',
      ),
    ),
    lookup: draft.lookup.filter(({ table, value }) => table !== '' && value.trim() !== ''),
  })
export const rulesOf = (draft: Draft) => contentOf(draft).rules

/** The whole body; undefined while something is missing. */
export function pushOf(draft: Draft): Push | undefined {
  const target = targetOf(draft)
  const time = timeOf(draft)
  return target && time && { target, ...untimed(draft), ...time }
}
