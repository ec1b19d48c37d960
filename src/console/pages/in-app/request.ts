import type { Body } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, listOf, problemsOf, type Values, type ValuesOf } from '../../forms/table.ts'
import type { TableState } from '../../forms/table-form.tsx'
import { TARGETS } from '../../parts/targets.ts'
import { SHOWN_WHEN } from './words.ts'

type Request = Body<'/admin/v1/apps/{appId}/in-app-messages', 'post'>
const rows = row.table<Request>()

const NO_VALUES: Readonly<Record<string, string>> = {}

const idsOf = (given: string): string[] => listOf(given, /[\s,;]/)
const isFor = (kind: string) => (values: Values) => values['who'] === kind

/** Rows about the recipients. Nobody is chosen at first. */
export const WHO = rows(
  row.radio('who', 'Who gets it', {
    path: 'target.broadcast',
    also: ['target'],
    look: 'cards',
    options: [
      { value: 'everybody', label: TARGETS.everybody, about: 'All people who agreed to in-app messages.' },
      { value: 'segment', label: TARGETS.segment, about: 'People whom its filter matches.' },
      { value: 'channels', label: TARGETS.channels, about: 'People who subscribed to one of them.' },
      { value: 'people', label: TARGETS.named, about: 'By their user ids.' },
    ],
    need: 'Choose who gets it.',
    check: whoIsMissing,
    to: (who) => who === 'everybody' || undefined,
  }),
  row.select('segment', 'Segment', { path: 'target.segmentUuid', when: isFor('segment') }),
  row.many('channels', 'Channels', { path: 'target.channelUuids', when: isFor('channels') }),
  row.lines('userIds', 'User ids', {
    path: 'target.userIds',
    hint: 'Separated by blanks, commas or new lines.',
    when: isFor('people'),
    to: idsOf,
  }),
)

/** Rows about the content. */
export const WHAT = rows(
  row.select('template', 'Template', { need: 'Choose a template.' }),
  // Tags without a value are left out: their default stands.
  row.own('values', NO_VALUES, {
    path: 'content',
    to: (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
  }),
)
export const INBOX = rows(
  row.more('Entry in the inbox of the app', [
    row.text('inboxTitle', 'Title in the inbox', {
      path: 'inbox.title',
      also: ['inbox'],
      isAsTyped: true,
      isOptional: true,
    }),
    row.text('inboxSubtitle', 'Line below it', {
      path: 'inbox.subtitle',
      isAsTyped: true,
      isOptional: true,
      empty: 'sent',
      to: (line, { inboxTitle }) => (inboxTitle === '' ? undefined : line),
    }),
  ]),
)

/** Rows about when the message is shown, and for how long. */
export const WHEN = rows(
  row.instant('sendAt', 'From', {
    path: 'schedule',
    isOptional: true,
    hint: 'Empty means now. The time is that of your zone.',
    to: (sendAt) => (sendAt === null ? undefined : { sendAt, strategy: 'utc', pastTimes: 'ignore' }),
  }),
  row.radio('presentedWhen', 'It is shown', { first: 'immediately', options: row.choices(SHOWN_WHEN) }),
  row.number('days', 'It stays for', {
    path: 'ttl',
    also: ['ttl.expiresIn'],
    first: 7,
    unit: 'days',
    min: 1,
    max: 365,
    hint: 'Counted from when a person gets it.',
    need: 'Say for how many days it stays.',
    when: ({ presentedWhen }) => presentedWhen !== 'never',
    to: (days) => ({ expiresIn: days ?? 0, units: 'd' }),
  }),
  row.toggle('isTransactional', 'About something that people did themselves', {
    path: 'priority',
    hint: 'Such as an order. It ignores what people said about purposes.',
    to: (isOn) => (isOn ? 'transactional' : undefined),
  }),
)

export const MESSAGE = [...WHO, ...WHAT, ...INBOX, ...WHEN] as const
export type ComposeForm = TableState<typeof MESSAGE>
/** Values of the form of a message. */
export type Fields = ValuesOf<typeof MESSAGE>

function whoIsMissing(who: string, { segment, channels, userIds }: Values): string | undefined {
  if (who === 'segment' && segment === '') return 'Choose the segment.'
  if (who === 'channels' && (channels as readonly string[]).length === 0) return 'Choose at least one channel.'
  return who === 'people' && idsOf(String(userIds)).length === 0 ? 'Write at least one user id.' : undefined
}

/** The request that the form makes. */
export const requestOf = (fields: Fields): Request => ({
  target: {},
  ...bodyOf<Omit<Request, 'target'>>(MESSAGE, fields),
})

/** Tells whether recipients are chosen, so that they can be counted. */
export const isAimed = (fields: Fields): boolean => problemsOf(WHO, fields)['who'] === undefined

/** Text of the button, such as "Send to everybody". */
export function sendLabel({ who, userIds, sendAt, channels }: Fields): string {
  const verb = sendAt === null ? 'Send' : 'Schedule'
  if (who === 'everybody') return `${verb} to everybody`
  if (who === 'segment') return `${verb} to the segment`
  if (who === 'channels') return `${verb} to ${channels.length === 1 ? 'the channel' : `${channels.length} channels`}`
  const count = idsOf(userIds).length
  return who === 'people' && count > 0
    ? `${verb} to ${count === 1 ? 'one person' : `${count} people`}`
    : `${verb} the message`
}
