import type { LogSettings } from '../../domain/apps/types.ts'
import { eventJson } from '../../domain/followers/event-json.ts'
import { type Position, writeCursor } from '../../domain/followers/position.ts'
import { answerOf, boolean, free, list, nullable, object, string } from '../schema.ts'

/** An event of the log; `data` is what was sent, and what the server added. */
export const presentEvent = eventJson

export const presentNext = (next: Position): string => writeCursor(next)

export const presentLogSettings = ({ deliveries }: LogSettings) => ({ deliveries })

const instant = { type: 'string', format: 'date-time', $comment: 'UTC with milliseconds, RFC 3339.' } as const

const loggedEvent = answerOf<typeof presentEvent>('LoggedEvent', {
  id: string,
  type: string,
  timestamp: instant,
  receivedAt: instant,
  userId: nullable(string),
  installId: nullable(string),
  uuid: string,
  data: free,
})

export const logSettings = answerOf<typeof presentLogSettings>('LogSettings', { deliveries: boolean })

export const eventPage = object({ events: list(loggedEvent), next: string }, 'EventPage')
