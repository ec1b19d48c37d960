import type { Answer } from '../../api/client.ts'

export type Message = Answer<'/admin/v1/apps/{appId}/in-app-messages'>['messages'][number]
export type Report = Answer<'/admin/v1/apps/{appId}/in-app-messages/{id}'>

/** Status of the interface -> what to call it. */
export const STATUS: Readonly<
  Record<Message['status'], { label: string; tone: 'quiet' | 'info' | 'good' | 'bad' | 'warn' }>
> = {
  0: { label: 'Scheduled', tone: 'info' },
  1: { label: 'Waiting', tone: 'info' },
  2: { label: 'Sending', tone: 'info' },
  3: { label: 'Sent', tone: 'good' },
  4: { label: 'Withdrawn', tone: 'quiet' },
  5: { label: 'Failed', tone: 'bad' },
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
