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
  /** One a line. */
  'target.userIds': string
  'target.installIds': string
  'target.excludeInstallIds': string
  'content.title': string
  'content.message': string
  'content.url': string
  'content.data': unknown
  picture: string
  'ios.subtitle': string
  'ios.threadId': string
  'ios.interruptionLevel': '' | 'passive' | 'active' | 'time-sensitive' | 'critical'
  'ios.category': string
  'ios.sound': string
  'ios.badge': number | null
  badgeType: 'setTo' | 'incrementBy'
  'android.channelId': string
  'android.importance': '' | 'default' | 'high'
  'android.sound': string
  'android.highPriority': boolean
  buttons: readonly { id: string; text: string }[]
  collapseId: string
  when: When
  /** ISO 8601. */
  at: string | null
  /** `2031-05-01T07:30`, on the clock of each phone. */
  local: string
  pastTimes: 'ignore' | 'nextDay'
  rateLimit: number | null
  /** Hours. */
  ttl: number | null
  purpose: string
  isTransactional: boolean
}

export const EMPTY: Draft = {
  who: '',
  'target.segmentUuid': '',
  'target.channelUuids': [],
  'target.geofenceIds': [],
  'target.userIds': '',
  'target.installIds': '',
  'target.excludeInstallIds': '',
  'content.title': '',
  'content.message': '',
  'content.url': '',
  'content.data': {},
  picture: '',
  'ios.subtitle': '',
  'ios.threadId': '',
  'ios.interruptionLevel': '',
  'ios.category': '',
  'ios.sound': '',
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
  purpose: '',
  isTransactional: false,
}

/** Names of the interface that differ from ours. */
export const NAMES = {
  target: 'who',
  'schedule.sendAt': 'local',
  'schedule.pastTimes': 'pastTimes',
  'ios.media.pictureUrl': 'picture',
  'android.pictureUrl': 'picture',
  'ios.badge.count': 'ios.badge',
  content: 'content.message',
  priority: 'isTransactional',
} as const

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
        })
      : draft.who === 'named'
        ? given({ userIds: linesOf(draft['target.userIds']), installIds: linesOf(draft['target.installIds']) })
        : {}
  return Object.keys(chosen).length > 0 ? { ...chosen, ...exclusions } : undefined
}

/** What it says. */
export function sayingOf(draft: Draft) {
  const data = draft['content.data'] as Record<string, unknown> | null
  const ios = given({
    subtitle: draft['ios.subtitle'],
    threadId: draft['ios.threadId'],
    interruptionLevel: draft['ios.interruptionLevel'],
    category: draft['ios.category'],
    sound: draft['ios.sound'],
    badge: draft['ios.badge'] === null ? undefined : { type: draft.badgeType, count: draft['ios.badge'] },
    media: draft.picture === '' ? undefined : { pictureUrl: draft.picture },
  })
  const android = given({
    channelId: draft['android.channelId'],
    importance: draft['android.importance'],
    sound: draft['android.sound'],
    highPriority: draft['android.highPriority'],
    pictureUrl: draft.picture,
  })
  return {
    content: {
      title: draft['content.title'],
      message: draft['content.message'],
      ...given({ url: draft['content.url'], data: data && Object.keys(data).length > 0 ? data : undefined }),
    },
    ...given({ collapseId: draft.collapseId, ios: block(ios), android: block(android) }),
    ...(draft.buttons.length > 0 && { buttons: draft.buttons.map(({ id, text }) => ({ id: id || text, text })) }),
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
  const { rateLimit, ttl } = draft
  return {
    target,
    ...sayingOf(draft),
    ...time,
    ...rulesOf(draft),
    ...given({ rateLimit, ttl: ttl === null ? undefined : ttl * 3600 }),
  }
}

/** What is missing, by field. */
export function missing(draft: Draft): Record<string, string | undefined> {
  const isNobody = targetOf(draft) === undefined
  const data = draft['content.data']
  return {
    who: draft.who === '' ? 'Choose who gets it.' : undefined,
    'target.segmentUuid':
      draft.who === 'matching' && isNobody ? 'Choose a segment, a channel or a geofence.' : undefined,
    'target.userIds': draft.who === 'named' && isNobody ? 'Name at least one user or install.' : undefined,
    'content.title': draft['content.title'].trim() === '' ? 'Give it a title.' : undefined,
    'content.message': draft['content.message'].trim() === '' ? 'Write what it says.' : undefined,
    'content.data': typeof data !== 'object' || Array.isArray(data) ? 'Write an object: {"name": "value"}.' : undefined,
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
  const isMatching = target.segmentUuid != null || target.channelUuids != null || target.geofenceIds != null
  return {
    ...EMPTY,
    who: target.broadcast ? 'everybody' : isNamed ? 'named' : isMatching ? 'matching' : '',
    'target.segmentUuid': target.segmentUuid ?? '',
    'target.channelUuids': target.channelUuids ?? [],
    'target.geofenceIds': (target.geofenceIds ?? []).map(String),
    'target.userIds': lines(target.userIds),
    'target.installIds': lines(target.installIds),
    'target.excludeInstallIds': lines(target.excludeInstallIds),
    'content.title': content.title,
    'content.message': content.message,
    'content.url': content.url ?? '',
    'content.data': content.data ?? {},
    picture: ios.media?.pictureUrl ?? android.pictureUrl ?? '',
    'ios.subtitle': ios.subtitle ?? '',
    'ios.threadId': ios.threadId ?? '',
    'ios.interruptionLevel': ios.interruptionLevel ?? '',
    'ios.category': ios.category ?? '',
    'ios.sound': typeof ios.sound === 'string' ? ios.sound : '',
    'ios.badge': ios.badge?.count ?? null,
    badgeType: ios.badge?.type ?? 'setTo',
    'android.channelId': android.channelId ?? '',
    'android.importance': android.importance ?? '',
    'android.sound': android.sound ?? '',
    'android.highPriority': android.highPriority ?? false,
    buttons: ((request.buttons ?? []) as { id: string; text: string }[]).map(({ id, text }) => ({ id, text })),
    collapseId: request.collapseId ?? '',
    rateLimit: request.rateLimit ?? null,
    purpose: request.purpose ?? '',
    isTransactional: request.priority !== undefined,
  }
}
