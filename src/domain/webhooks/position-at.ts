import type { EventLog } from '../followers/log/service.ts'
import { type Position, START } from '../followers/position.ts'

/**
 * A position in the log before which every event was received before `at` (ms), as far as events are in the order of
 * their times. Halves the log again and again, some fifty short reads, because no index has the times.
 */
export async function positionAt(
  log: Pick<EventLog, 'nextReceivedAt' | 'end'>,
  appId: number,
  at: number,
): Promise<Position> {
  const isReached = async (after: Position) => {
    const receivedAt = await log.nextReceivedAt({ appId, after, deliveries: true })
    return receivedAt === undefined || receivedAt >= at
  }
  if (await isReached(START)) return START
  const end = await log.end()
  // On PostgreSQL positions are ordered by transaction first; on SQLite `tx` is always 0.
  const place = (n: number): Position => (end.tx > 0 ? { tx: n, id: 0 } : { tx: 0, id: n })
  let before = 0
  let reached = end.tx > 0 ? end.tx + 1 : end.id
  while (reached - before > 1) {
    const middle = before + Math.floor((reached - before) / 2)
    if (await isReached(place(middle))) reached = middle
    else before = middle
  }
  return place(before)
}
