import type { Answer } from '../../api/client.ts'

export type Message = Answer<'/admin/v1/apps/{appId}/in-app-messages'>['messages'][number]
export type Report = Answer<'/admin/v1/apps/{appId}/in-app-messages/{id}'>

/** Status of the interface -> what to call it. */
export const STATUS: Readonly<
  Record<Message['status'], { label: string; tone: 'quiet' | 'info' | 'good' | 'bad' | 'warn' }>
> = {
  0: { label: 'Scheduled', tone: 'info' },
  1: { label: 'Waiting', tone: 'info' },
  2: { label: 'Being given to people', tone: 'info' },
  3: { label: 'Sent', tone: 'good' },
  4: { label: 'Withdrawn', tone: 'quiet' },
  5: { label: 'Failed', tone: 'bad' },
}

/** The recipients of a message in words: "2 channels, 1 person". */
export function audienceOf(filters: Readonly<Record<string, unknown>>): string {
  const many = (name: string, one: string, more: string): string[] => {
    const list = filters[name]
    return Array.isArray(list) && list.length > 0 ? [`${list.length} ${list.length === 1 ? one : more}`] : []
  }
  const said = [
    ...(filters['broadcast'] === true ? ['Everybody'] : []),
    ...(typeof filters['segmentUuid'] === 'string' ? ['A segment'] : []),
    ...many('channelUuids', 'channel', 'channels'),
    ...many('userIds', 'person', 'people'),
    ...many('installIds', 'install', 'installs'),
    ...many('geofenceIds', 'geofence', 'geofences'),
    ...many('geofenceTags', 'tag of geofences', 'tags of geofences'),
    ...(filters['geofenceBroadcast'] === true ? ['Everybody in a geofence'] : []),
  ]
  return said.length > 0 ? said.join(', ') : 'Nobody'
}

export const SHOWN_WHEN = {
  immediately: 'As soon as the app is open',
  'next-open': 'The next time the app opens',
  never: 'Only from the inbox of the app',
} as const

export const SKIPS: Readonly<Record<string, string>> = {
  not_wanted: 'do not want in-app messages or their purpose',
  on_suppression_list: 'are on the suppression list',
  excluded: 'have only installs that were left out',
}
