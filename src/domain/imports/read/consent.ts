import { isPlainObject } from '../../../platform/json/json.ts'
import { readDate } from '../../../platform/time/dates.ts'
import type { Row } from '../types.ts'

/**
 * What exports say about consent. Every column that says whether a person wants notifications is read here, by the words
 * of its vendor. A word that nobody declared is refused: it is never taken as consent.
 */

/**
 * What a value says: `off` is the device (or the service) that shows nothing, `opted_out` the person who said no, and
 * `unknown` a value that is missing.
 */
export type Consent = 'subscribed' | 'off' | 'opted_out' | 'unknown'

/** The words of a column, without blanks, `_` and `-`, in lower case. */
interface Vocabulary {
  words: ReadonlyMap<string, Consent>
  /** What an integer means that is no word; undefined for one that means nothing. */
  integer?(value: number): Consent | undefined
  /** An instant, or seconds since 1970, says since when the person is opted out. */
  dated?: true
  /** What it tells somebody whose value is refused. */
  accepted: string
}

const wordsOf = (words: Readonly<Partial<Record<Consent, string>>>): ReadonlyMap<string, Consent> =>
  new Map(
    Object.entries(words).flatMap(([consent, list]) =>
      list.split(' ').map((word): [string, Consent] => [word, consent as Consent]),
    ),
  )

/** What programs write where they have no value: PostgreSQL's COPY, spreadsheets, JavaScript. */
const MISSING = new Set(['', 'null', '\\n', 'undefined'])

/** From here on a number is an instant: 1973 in seconds. */
const INSTANTS_FROM = 1e8

const VOCABULARIES = {
  /** A column that says yes to notifications: `enabled`, `opt_in`, `subscribed`, the states of permissions. */
  wanted: {
    words: wordsOf({
      subscribed:
        'true t yes y 1 on enabled enable active subscribed subscribe optedin optin in granted allowed allow authorized authorised accepted consented provisional ephemeral',
      off: 'false f no n 0 off disabled disable inactive denied deny blocked muted notallowed notgranted notauthorized notsubscribed notdetermined undetermined unsupported default prompt never',
      opted_out:
        'unsubscribed unsubscribe optedout optout out refused rejected declined revoked withdrawn suppressed notoptedin',
    }),
    accepted:
      'yes, true, 1, on, enabled, active, subscribed, opted_in, granted and no, false, 0, off, disabled, inactive, unsubscribed, opted_out, denied',
  },
  /**
   * A column that says no: `opted_out`, `unsubscribed`. `off`, `disabled` and `inactive` are not among its words,
   * because they may mean the opt-out or the notifications.
   */
  refused: {
    words: wordsOf({
      subscribed: 'false f no n 0 none subscribed optedin optin notoptedout',
      opted_out:
        'true t yes y 1 on all unsubscribed unsubscribe optedout optout out denied refused rejected declined revoked withdrawn blocked suppressed never',
    }),
    dated: true,
    accepted:
      'yes, true, 1, all, opted_out, unsubscribed, the time of the opt-out and no, false, 0, none, opted_in, subscribed',
  },
  /** A tag that becomes a channel: what the person has of it. */
  membership: {
    words: wordsOf({
      subscribed: 'true t yes y on subscribed optedin optin enabled active',
      off: 'false f no n off unsubscribed optedout optout disabled inactive never none',
    }),
    integer: (value) => (value > 0 ? 'subscribed' : 'off'),
    accepted: 'yes, true, on, subscribed, numbers above 0 and no, false, off, unsubscribed, 0',
  },
  /**
   * OneSignal's `notification_types`: above 0 subscribed (on iOS the sum of what is allowed), 0 no permission, -2 opted
   * out in the app, other negative numbers why the device cannot be notified.
   * https://documentation.onesignal.com/reference/csv-export and SubscriptionStateKind of its web SDK.
   */
  oneSignalTypes: {
    words: wordsOf({ subscribed: 'subscribed', opted_out: 'unsubscribed optedout optout' }),
    integer: (value) => (value > 0 ? 'subscribed' : value === -2 ? 'opted_out' : 'off'),
    accepted: 'whole numbers (above 0 subscribed, -2 opted out in the app, others off), subscribed, unsubscribed',
  },
  /** Pinpoint's `OptOut`: https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-endpoints-endpoint-id.html */
  pinpointOptOut: {
    words: wordsOf({ subscribed: 'none', opted_out: 'all' }),
    accepted: 'ALL (opted out) and NONE (subscribed)',
  },
  /** Pinpoint's `EndpointStatus`: nothing is sent to an inactive endpoint. The same page. */
  pinpointStatus: {
    words: wordsOf({ subscribed: 'active', off: 'inactive' }),
    accepted: 'ACTIVE and INACTIVE',
  },
  /**
   * Parse's `pushType`: the way to the device. Parse Server sends to every installation with a token, and has no other
   * field about consent: https://docs.parseplatform.org/rest/guide/#installations
   */
  parsePushType: {
    words: wordsOf({ subscribed: 'gcm fcm apn apns ppns', off: 'none' }),
    accepted: 'gcm, fcm, apns, ppns and none (off)',
  },
} satisfies Readonly<Record<string, Vocabulary>>

export type VocabularyName = keyof typeof VOCABULARIES

/** What one value says, or the sentence that refuses its row. Pure. */
export function readConsent(column: string, value: unknown, name: VocabularyName): Consent | { problem: string } {
  const { words, integer, dated, accepted }: Vocabulary = VOCABULARIES[name]
  const plain = plainOf(value)
  const text = typeof plain === 'boolean' || typeof plain === 'number' ? String(plain) : plain
  if (text === undefined || text === null) return 'unknown'
  if (typeof text === 'string') {
    const given = text.trim()
    if (MISSING.has(given.toLowerCase())) return 'unknown'
    const number = /^[+-]?\d+(\.0+)?$/.test(given) ? Number(given) : undefined
    // Minus signs stay: -1 is not 1.
    const word = number === undefined ? given.toLowerCase().replaceAll(/[\s_-]+/g, '') : String(number)
    const said = words.get(word)
    if (said !== undefined) return said
    if (number !== undefined) {
      const meant = Number.isSafeInteger(number) ? integer?.(number) : undefined
      if (meant !== undefined) return meant
      if (dated && number >= INSTANTS_FROM) return 'opted_out'
    } else if (dated && readDate(given) !== undefined) return 'opted_out'
  } else if (dated && isPlainObject(text) && readDate(text) !== undefined) return 'opted_out'
  return { problem: `${column} is ${shown(text)}, which is not taken as consent: it must be one of ${accepted}` }
}

/** What a column of yes and no says, null where it is empty, or the sentence that refuses its row. Pure. */
export function readFlag(column: string, value: unknown): boolean | null | { problem: string } {
  const plain = plainOf(value) ?? ''
  if (typeof plain === 'boolean') return plain
  const text = typeof plain === 'number' ? String(plain) : typeof plain === 'string' ? plain.trim().toLowerCase() : '?'
  if (MISSING.has(text)) return null
  if (['true', 't', 'yes', 'y', '1'].includes(text)) return true
  if (['false', 'f', 'no', 'n', '0'].includes(text)) return false
  return { problem: `${column} is ${shown(plain)}: it must be true or false, yes or no, t or f, 1 or 0` }
}

/** The numbers of MongoDB's extended JSON are objects. */
function plainOf(value: unknown): unknown {
  return isPlainObject(value) ? (value.$numberInt ?? value.$numberLong ?? value.$numberDouble ?? value) : value
}

/** The value itself, as far as it is short: it may be a cell of a row whose columns are shifted. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 42 ? `${text.slice(0, 40)}…` : text
}

/** What several columns say together: a no of any of them counts, and unknown is what none of them says. Pure. */
export function strictest(said: readonly Consent[]): Consent {
  for (const consent of ['opted_out', 'off', 'subscribed'] as const) if (said.includes(consent)) return consent
  return 'unknown'
}

/** Reads columns of one row. The first that cannot be read refuses it. Pure. */
export function readConsents(
  cells: readonly (readonly [column: string, value: unknown, vocabulary: VocabularyName])[],
): Consent | { problem: string } {
  const said: Consent[] = []
  for (const cell of cells) {
    const read = readConsent(...cell)
    if (typeof read !== 'string') return read
    said.push(read)
  }
  return strictest(said)
}

/** The three facts of a candidate that follow. `isSaid`: the export has said it. */
export function standingOf(consent: Consent): { enabled: boolean; optedOut: boolean; isSaid: boolean } {
  return {
    enabled: consent === 'subscribed' || consent === 'unknown',
    optedOut: consent === 'opted_out',
    isSaid: consent !== 'unknown',
  }
}

/** Names that apps give such columns, without `_` and in lower case. */
const NAMES_OF_PUSH: ReadonlyMap<string, VocabularyName> = new Map([
  ...'optedout optout isoptedout hasoptedout optedoutat optoutat unsubscribed isunsubscribed unsubscribedat notificationsoptout suppressed mute muted ismuted'
    .split(' ')
    .map((name) => [name, 'refused'] as const),
  ...'subscribed issubscribed optin optedin isoptedin pushoptin pushoptedin enabled isenabled arenotificationsenabled endpointstatus consent consented permission granted push notification notifications pushnotifications subscriptionstatus'
    .split(' ')
    .map((name) => [name, 'wanted'] as const),
  ['donotpush', 'refused'],
  ['notificationtypes', 'oneSignalTypes'],
])
/** Such names that are made of what is said, and of what it is said about. */
const PUSH = '(?:app|mobile|device|remote)?(?:push(?:notif(?:ication)?s?|messages?|es)?|notif(?:ication)?s?)'
const NAMES_BY_FORM: readonly [RegExp, VocabularyName][] = [
  [
    `(?:is|are|has|have)?${PUSH}(?:is|are)?(?:disabled|off|blocked|muted|silenced|denied|refused|declined|optout|optedout|unsubscribed)(?:at|date)?`,
    'refused',
  ],
  [
    `(?:is|has)?(?:disabled?|blocked|blocks?|muted?|mutes|stop|no|optout|optedout|unsubscribed?)(?:of|from|for)?${PUSH}`,
    'refused',
  ],
  [
    `(?:is|are|has|have)?${PUSH}(?:is|are)?(?:enabled|allowed|accepted|granted|authori[sz]ed|on|active|optin|optedin|subscribed|subscription|consent|permission|authori[sz]ation)(?:status|state)?`,
    'wanted',
  ],
  [`${PUSH}(?:status|state)`, 'wanted'],
  [
    `(?:is|has)?(?:enabled?|allow|allows|allowed|wants?|receives?|accepts?|accepted|subscribed?|optin|optedin)(?:to|for)?${PUSH}`,
    'wanted',
  ],
].map(([form, vocabulary]) => [new RegExp(`^${form}$`), vocabulary as VocabularyName])

/** Also in a table of one's own, where `--map` can say that it is something else. */
const NAMES_IN_TABLES: ReadonlyMap<string, VocabularyName> = new Map([
  ...NAMES_OF_PUSH,
  ...'active isactive optinstatus'.split(' ').map((name) => [name, 'wanted'] as const),
])
const bareName = (column: string) => column.toLowerCase().replaceAll(/[\s_.?-]/g, '')

function vocabularyIn(names: ReadonlyMap<string, VocabularyName>, column: string): VocabularyName | undefined {
  const bare = bareName(column)
  return names.get(bare) ?? NAMES_BY_FORM.find(([form]) => form.test(bare))?.[1]
}

/** The columns of a row that its service does not declare and whose names say that they are about consent. */
export function ownConsents(row: Row, declared: Readonly<Record<string, string>>): [string, unknown, VocabularyName][] {
  return Object.entries(row).flatMap(([column, value]): [string, unknown, VocabularyName][] => {
    if (Object.hasOwn(declared, column)) return []
    const vocabulary = vocabularyIn(NAMES_OF_PUSH, column) ?? (saysOptedOut(column, value) ? 'wanted' : undefined)
    return vocabulary === undefined ? [] : [[column, value, vocabulary]]
  })
}

/** How a column of a table is read. */
export const consentOfColumn = (column: string): VocabularyName | undefined => vocabularyIn(NAMES_IN_TABLES, column)

/** Columns about something else than pushes. */
const OTHER_THINGS = /mail|newsletter|sms|phone|call|voice|whatsapp|letter|cookie|reason|source/

/** Words that are said of nothing else. */
const OPTED_OUT = /^\s*(unsubscribed?|not[\s_-]?subscribed|opt(ed)?[\s_-]?out)\s*$/i

const saysOptedOut = (column: string, value: unknown) =>
  typeof value === 'string' && OPTED_OUT.test(value) && !OTHER_THINGS.test(bareName(column))

/**
 * Whether a column that nobody knows how to read looks as if it said who opted out of pushes: by its name, or by a word in
 * it that says so.
 */
export function looksLikeConsent(column: string, value: unknown): boolean {
  const bare = bareName(column)
  if (OTHER_THINGS.test(bare)) return false
  if (vocabularyIn(NAMES_OF_PUSH, column) !== undefined || saysOptedOut(column, value)) return true
  if (/opt(ed)?(out|in)|unsubscri|consent|donot(disturb|contact|notify|push)/.test(bare)) return true
  if (
    /^(is)?disabled$|^dnc$|black-?list|block-?list|^(authori[sz]ation|permission|subscription)(status|state)$/.test(
      bare,
    )
  )
    return true
  if (/(push|notif).*(permission|authori[sz]ation|disabled|enabled|status|state$)/.test(bare)) return true
  const word = typeof value === 'string' ? value.toLowerCase().replaceAll(/[\s_-]+/g, '') : String(value)
  const said = VOCABULARIES.wanted.words.get(word)
  const isNo = said === 'off' || said === 'opted_out'
  return isNo && /status$|state$|permission|authori[sz]ation|subscri|push|notif/.test(bare)
}
