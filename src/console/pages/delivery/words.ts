import type { Answer } from '../../api/client.ts'

export type Overview = Answer<'/admin/v1/apps/{appId}/overview'>
export type Delivery = Answer<'/admin/v1/apps/{appId}/deliveries'>['items'][number]
export type Report = Answer<'/admin/v1/apps/{appId}/deliveries/{id}'>
export type Progress = Answer<'/admin/v1/apps/{appId}/deliveries/{id}/progress'>

/** Statuses from here on are final. */
export const OVER = 3

/** Labels of the states, by their number. */
export const STATUS = [
  { name: 'scheduled', label: 'Scheduled', tone: 'info' },
  { name: 'queued', label: 'Waiting', tone: 'info' },
  { name: 'sending', label: 'Sending', tone: 'accent' },
  { name: 'sent', label: 'Sent', tone: 'good' },
  { name: 'cancelled', label: 'Cancelled', tone: 'warn' },
  { name: 'failed', label: 'Failed', tone: 'bad' },
] as const

/** `the device …` -> `The device …` */
export const sentence = (text: string): string =>
  /^[^\s:]+\.\w/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)

/** "1 recipient", "1,240 recipients" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${new Intl.NumberFormat().format(count)} ${count === 1 ? one : many}`

/** "about 2 minutes" */
export function duration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  return `about ${counted(Math.max(1, Math.round(amount)), unit)}`
}
