import type { Answer, Body } from '../../api/client.ts'
import { instantFrom, localText } from '../../parts/zones.ts'

/** The body of a send. */
export type Push = Body<'/admin/v1/apps/{appId}/notifications', 'post'>
export type SendRequest = Answer<'/admin/v1/apps/{appId}/notifications/{id}/request'>
export type Estimate = Answer<'/admin/v1/apps/{appId}/notifications/estimate', 'post'>

/** Whom it is for; empty: nobody chose yet. */
type Who = '' | 'everybody' | 'matching' | 'named'
type When = 'now' | 'at' | 'local' | 'intelligent'

/** What people write, by the names that the interface gives the fields, so that its errors find them. Nothing is chosen at first. */
export interface Draft extends Record<string, unknown> {
  who: Who
  'target.segmentUuid': string
  'target.channelUuids': readonly string[]
  'target.geofenceIds': readonly string[]
  'target.geofenceTags': readonly string[]
  'target.geofenceBroadcast': boolean
  /** One a line. */
  'target.userIds': string
  'target.installIds': string
  'target.excludeInstallIds': string
  'content.title': string
  'content.message': string
  'content.url': string
  'content.data': unknown
  runBackgroundHandler: boolean
  picture: string
  /** Of Android alone; empty: the same. */
  'android.pictureUrl': string
  'ios.subtitle': string
  'ios.threadId': string
  'ios.interruptionLevel': '' | 'passive' | 'active' | 'time-sensitive' | 'critical'
  'ios.category': string
  'ios.sound': string
  'ios.sound.critical': boolean
  'ios.sound.volume': number | null
  'ios.relevanceScore': number | null
  'ios.targetContentId': string
  'ios.priority': '' | '1' | '5' | '10'
  'ios.badge': number | null
  badgeType: 'setTo' | 'incrementBy'
  'android.channelId': string
  'android.importance': '' | 'default' | 'high'
  'android.sound': string
  'android.highPriority': boolean
  /** An icon is kept as it was given. */
  buttons: readonly { id: string; text: string; icon?: unknown }[]
  collapseId: string
  when: When
  /** ISO 8601. */
  at: string | null
  /** `2031-05-01T07:30`, on the clock of each phone. */
  local: string
  pastTimes: 'ignore' | 'nextDay'
  rateLimit: number | null
  ttl: number | null
  ttlUnit: keyof typeof SECONDS
  purpose: string
  isTransactional: boolean
  reportingMeta: unknown
  userMeta: unknown
}

/** Units of `ttl`. */
const SECONDS = { hours: 3600, minutes: 60, seconds: 1 } as const

export const EMPTY: Draft = {
  who: '',
  'target.segmentUuid': '',
  'target.channelUuids': [],
  'target.geofenceIds': [],
  'target.geofenceTags': [],
  'target.geofenceBroadcast': false,
  'target.userIds': '',
  'target.installIds': '',
  'target.excludeInstallIds': '',
  'content.title': '',
  'content.message': '',
  'content.url': '',
  'content.data': {},
  runBackgroundHandler: false,
  picture: '',
  'android.pictureUrl': '',
  'ios.subtitle': '',
  'ios.threadId': '',
  'ios.interruptionLevel': '',
  'ios.category': '',
  'ios.sound': '',
  'ios.sound.critical': false,
  'ios.sound.volume': null,
  'ios.relevanceScore': null,
  'ios.targetContentId': '',
  'ios.priority': '',
  'ios.badge': null,
  badgeType: 'setTo',
  'android.channelId': '',
  'android.importance': '',
  'android.sound': '',
  'android.highPriority': false,
  buttons: [],
  collapseId: '',
  when: 'now',
  at: null,
  local: '',
  pastTimes: 'ignore',
  rateLimit: null,
  ttl: null,
  ttlUnit: 'hours',
  purpose: '',
  isTransactional: false,
  reportingMeta: {},
  userMeta: {},
}

/** Names of the interface that differ from ours. */
export const namesFor = ({ when }: Draft) =>
  ({
    target: 'who',
    'schedule.sendAt': when === 'at' ? 'at' : 'local',
    schedule: when === 'at' ? 'at' : 'local',
    'schedule.pastTimes': 'pastTimes',
    'ios.media.pictureUrl': 'picture',
    'ios.badge.count': 'ios.badge',
    'ios.sound.name': 'ios.sound',
    content: 'content.message',
    priority: 'isTransactional',
  }) as const

const linesOf = (text: string) => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]

/** The members that say something. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], '' | null | undefined> } {
  const isGiven = (value: unknown) =>
    value !== undefined &&
    value !== null &&
    value !== '' &&
    value !== false &&
    !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isGiven(value))) as never
}
const block = <T extends object>(members: T): T | undefined => (Object.keys(members).length > 0 ? members : undefined)

/** Whom it is for; undefined while nobody was chosen. */
export function targetOf(draft: Draft): Push['target'] | undefined {
  const excludeInstallIds = linesOf(draft['target.excludeInstallIds'])
  const exclusions = excludeInstallIds.length > 0 ? { excludeInstallIds } : {}
  if (draft.who === 'everybody') return { broadcast: true, ...exclusions }
  const chosen =
    draft.who === 'matching'
      ? given({
          segmentUuid: draft['target.segmentUuid'],
          channelUuids: [...draft['target.channelUuids']],
          geofenceIds: draft['target.geofenceIds'].map(Number),
          geofenceTags: [...draft['target.geofenceTags']],
          geofenceBroadcast: draft['target.geofenceBroadcast'],
        })
      : draft.who === 'named'
        ? given({ userIds: linesOf(draft['target.userIds']), installIds: linesOf(draft['target.installIds']) })
        : {}
  return Object.keys(chosen).length > 0 ? { ...chosen, ...exclusions } : undefined
}

/** An object that says something. */
const filled = (value: unknown): Record<string, unknown> | undefined =>
  isObject(value) && Object.keys(value).length > 0 ? value : undefined
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A file, or with what makes it critical. */
function soundOf(draft: Draft) {
  const { 'ios.sound': name, 'ios.sound.critical': critical, 'ios.sound.volume': volume } = draft
  return critical ? { critical, ...given({ name }), ...(volume !== null && { volume }) } : name
}

/** What it says. */
export function sayingOf(draft: Draft) {
  const priority = draft['ios.priority']
  const ios = given({
    subtitle: draft['ios.subtitle'],
    threadId: draft['ios.threadId'],
    interruptionLevel: draft['ios.interruptionLevel'],
    category: draft['ios.category'],
    sound: soundOf(draft),
    relevanceScore: draft['ios.relevanceScore'],
    targetContentId: draft['ios.targetContentId'],
    priority: priority === '' ? undefined : (Number(priority) as 1 | 5 | 10),
    badge: draft['ios.badge'] === null ? undefined : { type: draft.badgeType, count: draft['ios.badge'] },
    media: draft.picture === '' ? undefined : { pictureUrl: draft.picture },
  })
  const android = given({
    channelId: draft['android.channelId'],
    importance: draft['android.importance'],
    sound: draft['android.sound'],
    highPriority: draft['android.highPriority'],
    pictureUrl: draft['android.pictureUrl'] || draft.picture,
  })
  return {
    content: {
      title: draft['content.title'],
      message: draft['content.message'],
      ...given({ url: draft['content.url'], data: filled(draft['content.data']) }),
    },
    ...given({
      collapseId: draft.collapseId,
      runBackgroundHandler: draft.runBackgroundHandler,
      reportingMeta: filled(draft.reportingMeta),
      ios: block(ios),
      android: block(android),
    }),
    ...(draft.buttons.length > 0 && {
      buttons: draft.buttons.map(({ id, text, icon }) => ({
        id: id || text,
        text,
        ...(icon !== undefined && { icon: icon as never }),
      })),
    }),
  }
}

/** When it is sent; empty for at once. Undefined while the time is missing. */
export function timeOf({
  when,
  at,
  local,
  pastTimes,
}: Draft): Pick<Push, 'schedule' | 'intelligentDelivery'> | undefined {
  if (when === 'now') return {}
  if (when === 'intelligent') return { intelligentDelivery: true }
  if (when === 'at') {
    if (at === null) return undefined
    const sendAt = localText(instantFrom(at), 'UTC').replace('T', ' ')
    return { schedule: { strategy: 'utc', sendAt, pastTimes: 'ignore' } }
  }
  if (local === '') return undefined
  return { schedule: { strategy: 'local', sendAt: local.replace('T', ' '), pastTimes } }
}

/** Rules by which it is sent. */
export function rulesOf({ purpose, isTransactional }: Draft) {
  return given({ purpose, priority: isTransactional ? ('transactional' as const) : undefined })
}

/** The whole body; undefined while something is missing. */
export function pushOf(draft: Draft): Push | undefined {
  const target = targetOf(draft)
  const time = timeOf(draft)
  if (!target || !time) return undefined
  const { rateLimit, ttl, ttlUnit, userMeta } = draft
  return {
    target,
    ...sayingOf(draft),
    ...time,
    ...rulesOf(draft),
    ...given({ rateLimit, ttl: ttl === null ? undefined : ttl * SECONDS[ttlUnit], userMeta: filled(userMeta) }),
  }
}

/** What is missing, by field. */
export function missing(draft: Draft): Record<string, string | undefined> {
  const isNobody = targetOf(draft) === undefined
  const noObject = (name: 'content.data' | 'reportingMeta' | 'userMeta') =>
    draft[name] === undefined || isObject(draft[name]) ? undefined : 'Write an object: {"name": "value"}.'
  const isSilent = draft.runBackgroundHandler
  return {
    who: draft.who === '' ? 'Choose who gets it.' : undefined,
    'target.segmentUuid':
      draft.who === 'matching' && isNobody ? 'Choose a segment, a channel or a geofence.' : undefined,
    'target.userIds': draft.who === 'named' && isNobody ? 'Name at least one user or install.' : undefined,
    'content.title': !isSilent && draft['content.title'].trim() === '' ? 'Give it a title.' : undefined,
    'content.message': !isSilent && draft['content.message'].trim() === '' ? 'Write what it says.' : undefined,
    'content.data': noObject('content.data'),
    reportingMeta: noObject('reportingMeta'),
    userMeta: noObject('userMeta'),
    buttons: draft.buttons.some(({ text }) => text.trim() === '')
      ? 'Give each button a label, or remove it.'
      : undefined,
    at: draft.when === 'at' && draft.at === null ? 'Choose a date and a time.' : undefined,
    local: draft.when === 'local' && draft.local === '' ? 'Choose a date and a time.' : undefined,
  }
}

/** A draft of an earlier push: everything but its time. */
export function draftOf(request: SendRequest): Draft {
  const target = request.target as NonNullable<Push['target']>
  const content = request.content as Push['content'] & { data?: unknown }
  const ios = (request.ios ?? {}) as NonNullable<Push['ios']>
  const android = (request.android ?? {}) as NonNullable<Push['android']>
  const lines = (ids: readonly (string | number)[] | null | undefined) => (ids ?? []).join('\n')
  const isNamed = (target.userIds ?? target.installIds) != null
  const isMatching = [
    target.segmentUuid,
    target.channelUuids,
    target.geofenceIds,
    target.geofenceTags,
    target.geofenceBroadcast,
  ].some((one) => one != null)
  const sound = typeof ios.sound === 'object' ? ios.sound : undefined
  const picture = ios.media?.pictureUrl ?? android.pictureUrl ?? ''
  return {
    ...EMPTY,
    // Several groups at once, which servers of the push host may send to, are not offered here: people choose anew.
    who: target.broadcast ? 'everybody' : isNamed === isMatching ? '' : isNamed ? 'named' : 'matching',
    'target.segmentUuid': target.segmentUuid ?? '',
    'target.channelUuids': target.channelUuids ?? [],
    'target.geofenceIds': (target.geofenceIds ?? []).map(String),
    'target.geofenceTags': target.geofenceTags ?? [],
    'target.geofenceBroadcast': target.geofenceBroadcast ?? false,
    'target.userIds': lines(target.userIds),
    'target.installIds': lines(target.installIds),
    'target.excludeInstallIds': lines(target.excludeInstallIds),
    'content.title': content.title,
    'content.message': content.message,
    'content.url': content.url ?? '',
    'content.data': content.data ?? {},
    runBackgroundHandler: request.runBackgroundHandler ?? false,
    picture,
    'android.pictureUrl': android.pictureUrl === picture ? '' : (android.pictureUrl ?? ''),
    'ios.subtitle': ios.subtitle ?? '',
    'ios.threadId': ios.threadId ?? '',
    'ios.interruptionLevel': ios.interruptionLevel ?? '',
    'ios.category': ios.category ?? '',
    'ios.sound': typeof ios.sound === 'string' ? ios.sound : (sound?.name ?? ''),
    'ios.sound.critical': sound?.critical ?? false,
    'ios.sound.volume': sound?.volume ?? null,
    'ios.relevanceScore': ios.relevanceScore ?? null,
    'ios.targetContentId': ios.targetContentId ?? '',
    'ios.priority': ios.priority == null ? '' : (String(ios.priority) as '5'),
    'ios.badge': ios.badge?.count ?? null,
    badgeType: ios.badge?.type ?? 'setTo',
    'android.channelId': android.channelId ?? '',
    'android.importance': android.importance ?? '',
    'android.sound': android.sound ?? '',
    'android.highPriority': android.highPriority ?? false,
    buttons: (request.buttons ?? []) as unknown as Draft['buttons'],
    collapseId: request.collapseId ?? '',
    rateLimit: request.rateLimit ?? null,
    ...lifeOf(request.ttl),
    reportingMeta: request.reportingMeta ?? {},
    userMeta: request.userMeta ?? {},
    purpose: request.purpose ?? '',
    isTransactional: request.priority !== undefined,
  }
}

/** Seconds in the largest unit that holds them whole. */
function lifeOf(seconds: number | undefined): Pick<Draft, 'ttl' | 'ttlUnit'> {
  if (seconds === undefined) return { ttl: null, ttlUnit: 'hours' }
  const ttlUnit = (['hours', 'minutes', 'seconds'] as const).find((unit) => seconds % SECONDS[unit] === 0)!
  return { ttl: seconds / SECONDS[ttlUnit], ttlUnit }
}
