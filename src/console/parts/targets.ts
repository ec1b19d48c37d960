/**
 * Words of targets, of pushes and of in-app messages: the only place of the console that names who gets something.
 */

/** Kinds of target, from which people choose. */
export const TARGETS = {
  everybody: 'Everybody',
  segment: 'Segment',
  channels: 'Channels',
  named: 'Certain users',
} as const

/** Filters of the interface, of a notification, an in-app message or a series. */
export type Target = Readonly<Record<string, unknown>>

/** Lists of a target. `hasNames`: its members have a name and a page of their own. */
const LISTS = [
  { member: 'channelUuids', one: 'channel', hasNames: true },
  { member: 'geofenceIds', one: 'geofence', hasNames: true },
  { member: 'geofenceTags', one: 'geofence tag', hasNames: false },
  { member: 'userIds', one: 'user', hasNames: false },
  { member: 'installIds', one: 'install', hasNames: false },
] as const

/** The texts of a member: a list, a single one, or nothing. */
export const textsOf = (given: unknown): string[] =>
  Array.isArray(given) ? given.map(String) : typeof given === 'string' && given !== '' ? [given] : []

/**
 * A target in words: "Segment, 2 channels", "1 user". `isNamed`: without what has a name, which stands beside it; may be empty then.
 */
export function targetInWords(target: Target, { isNamed = false } = {}): string {
  const said = [
    ...(target['broadcast'] === true ? [TARGETS.everybody] : []),
    ...(!isNamed && textsOf(target['segmentUuid']).length > 0 ? [TARGETS.segment] : []),
    ...LISTS.flatMap(({ member, one, hasNames }) => {
      const { length } = textsOf(target[member])
      return length === 0 || (isNamed && hasNames) ? [] : [`${length} ${one}${length === 1 ? '' : 's'}`]
    }),
    ...(target['geofenceBroadcast'] === true ? ['Everybody in a geofence'] : []),
  ]
  return said.length > 0 || isNamed ? said.join(', ') : 'Nobody'
}
