import type { LogSettings } from '../../domain/apps/types.ts'
import { eventJson } from '../../domain/followers/event-json.ts'
import { type Position, writeCursor } from '../../domain/followers/position.ts'
import type { LoggedEvent } from '../../domain/followers/types.ts'
import { answerOf, boolean, free, list, nullable, object, string, told } from '../schema.ts'
import { TIMESTAMP } from '../words.ts'

/** An event of the log; `data` is what was sent, and what the server added. */
export const presentEvent = eventJson

export const presentNext = (next: Position): string => writeCursor(next)

export const presentLatest = (found: {
  events: readonly LoggedEvent[]
  next: Position | undefined
  end: Position
}) => ({
  events: found.events.map(presentEvent),
  next: found.next === undefined ? null : presentNext(found.next),
  end: presentNext(found.end),
})

export const presentLogSettings = ({ deliveries }: LogSettings) => ({ deliveries })

const instant = { type: 'string', format: 'date-time', $comment: 'UTC with milliseconds, RFC 3339.' } as const

const loggedEvent = answerOf<typeof presentEvent>('LoggedEvent', 'An event of the log.', {
  id: told(string, 'Position in the log: can be sent as `after`.', '00000000000000000000q8'),
  type: told(string, 'Type of the event. `k.…` are reported by SDKs.', 'order.paid'),
  timestamp: told(instant, TIMESTAMP),
  receivedAt: told(instant, 'When this server stored it.', '2026-03-01T12:00:01.250Z'),
  userId: told(nullable(string), 'User of the event; null if none.', 'user-17'),
  installId: told(
    nullable(string),
    'Install that reported it; null if no device did.',
    '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10',
  ),
  uuid: told(string, 'Id that the sender gave it.', '8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f'),
  data: told(
    free,
    'What the sender said, and what this server added: `reportingMeta` and `userMeta` of a notification ' +
      'that was opened.',
    { amount: 49.9, currency: 'EUR' },
  ),
})

export const logSettings = answerOf<typeof presentLogSettings>(
  'LogSettings',
  'What enters the event log besides events.',
  { deliveries: told(boolean, 'Whether pages of notifications enter the log as they close.', true) },
)

export const eventPage = object('EventPage', 'Events in the order in which they were stored.', {
  events: told(list(loggedEvent), 'The events, oldest first.'),
  next: told(string, 'The `after` of the next call.', '00000000000000000000q8'),
})

export const latestEvents = answerOf<typeof presentLatest>('LatestEvents', 'The newest events.', {
  events: told(list(loggedEvent), 'The events, newest first.'),
  next: told(nullable(string), 'The `before` of the next call; null when nothing is older.', '00000000000000000000q8'),
  end: told(string, 'The end of the log: the `after` with which `GET /v1/events` goes on.', '00000000000000000000qz'),
})
