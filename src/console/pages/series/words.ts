import type { Answer } from '../../api/client.ts'
import { STATUS as OF_PUSHES } from '../delivery/words.ts'
import { STATUS as OF_MESSAGES } from '../in-app/words.ts'
import { readable } from '../push/personal/template.ts'

export type Line = Answer<'/admin/v1/apps/{appId}/series'>['series'][number]
export type Report = Answer<'/admin/v1/apps/{appId}/series/{id}'>
type Occurrence = Report['occurrences'][number]

/** State of the interface -> what to call it. */
export const STATES = {
  active: { label: 'Active', tone: 'good' },
  paused: { label: 'Paused', tone: 'warn' },
  ended: { label: 'Ended', tone: 'quiet' },
  broken: { label: 'Broken', tone: 'bad' },
} as const

/** The title of a series, with the words of its values in place of braces; its number, where it has no title. */
export const titleOf = ({ id, title }: Pick<Line, 'id' | 'title'>): string =>
  title === '' ? `Series ${id}` : readable(title)

/** Label of the outcome of a time of a series. */
export function fateOf(kind: Line['kind'], { state, status }: Pick<Occurrence, 'state' | 'status'>) {
  if (state === 'unreached') return { label: 'Nobody could be reached', tone: 'warn' } as const
  if (state === 'called-off') return { label: 'Cancelled', tone: 'quiet' } as const
  const known = status === null ? undefined : kind === 'push' ? OF_PUSHES[status] : OF_MESSAGES[status as 0]
  return known ?? ({ label: 'Deleted', tone: 'quiet' } as const)
}

/** Address of the report of a time of a series; undefined where nothing was made. */
export function reportOf(appId: number, { notificationId, messageId }: Occurrence): string | undefined {
  if (notificationId !== null) return `/apps/${appId}/delivery/${notificationId}`
  return messageId === null ? undefined : `/apps/${appId}/in-app/${messageId}`
}
