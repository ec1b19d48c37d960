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

const LISTS = [
  ['channelUuids', 'channel'],
  ['geofenceIds', 'geofence'],
  ['geofenceTags', 'geofence tag'],
  ['userIds', 'user'],
  ['installIds', 'install'],
] as const

/** A target in words: "Segment, 2 channels", "1 user". */
export function targetInWords(target: Target): string {
  const lists = LISTS.flatMap(([name, one]) => {
    const given = target[name]
    if (!Array.isArray(given) || given.length === 0) return []
    return [`${given.length} ${one}${given.length === 1 ? '' : 's'}`]
  })
  const said = [
    ...(target['broadcast'] === true ? [TARGETS.everybody] : []),
    ...(typeof target['segmentUuid'] === 'string' ? [TARGETS.segment] : []),
    ...lists,
    ...(target['geofenceBroadcast'] === true ? ['Everybody in a geofence'] : []),
  ]
  return said.length > 0 ? said.join(', ') : 'Nobody'
}
