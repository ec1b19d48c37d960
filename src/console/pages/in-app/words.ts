import type { Answer } from '../../api/client.ts'
import { formatNumber } from '../../parts/numbers.ts'
import { readable } from '../push/personal/template.ts'

export type Message = Answer<'/admin/v1/apps/{appId}/in-app-messages'>['messages'][number]
export type Report = Answer<'/admin/v1/apps/{appId}/in-app-messages/{id}'>

type Reason = Answer<'/admin/v1/apps/{appId}/in-app-messages/estimate', 'post'>['leftOut'][number]['reason']

const REASONS: Record<Reason, string> = {
  unknown_install: 'named as an install, but no device has this id',
  unsubscribed_install: 'named as an install whose user has in-app messages turned off',
  unknown_user: 'named as a user whom this app does not know',
  unsubscribed_user: 'named as a user who has in-app messages turned off',
  excluded: 'left out by you',
  not_wanted: 'who do not want messages of this purpose',
  on_suppression_list: 'on the suppression list',
}

/** The reason why people are left out, worded to follow their number. */
export const reasonOf = (reason: Reason): string => REASONS[reason]

/** `1 person`, `1,240 people` */
export const people = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'person' : 'people'}`

/** `7 days`, `One hour` */
export function stayInWords(hours: number): string {
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour']
  return count === 1 ? `One ${unit}` : `${formatNumber(count)} ${unit}s`
}

export const SCHEDULED = 0

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

/** The first words of a message, with the words of its values in place of braces; its template, where it has no words. */
export const titleOf = ({ title, template }: Pick<Message, 'title' | 'template'>): string =>
  title.trim() === '' ? template : readable(title)

export const SKIPS: Readonly<Record<string, string>> = {
  not_wanted: 'do not want in-app messages or their purpose',
  on_suppression_list: 'are on the suppression list',
  excluded: 'have only installs that were left out',
  missing_value: 'lack a value that has no other text',
  too_large: 'would get too large a message',
}
