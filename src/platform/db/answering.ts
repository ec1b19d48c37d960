import { messageOf } from '../errors.ts'
import type { Clock } from '../time/clock.ts'
import type { Database } from './database.ts'

/** How long to wait for an answer. TCP takes many minutes to notice that the other end has disappeared. */
export const ANSWER_MS = 10_000

/** Sends a trivial query. Returns what is wrong when there is no answer within `ANSWER_MS`, otherwise undefined. */
export async function whyDatabaseIsSilent(
  { read }: Pick<Database, 'read'>,
  clock: Pick<Clock, 'sleep'>,
): Promise<string | undefined> {
  const answered = new AbortController()
  const tooLate = clock.sleep(ANSWER_MS, answered.signal).then(() => {
    throw new Error(`no answer for ${ANSWER_MS / 1000} s`)
  })
  try {
    await Promise.race([read.raw('select 1'), tooLate])
    return undefined
  } catch (error) {
    return `the database does not answer: ${messageOf(error)}`
  } finally {
    answered.abort()
  }
}
