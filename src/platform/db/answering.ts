import type { Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import type { Database } from './database.ts'

/** A connection of which the other end is gone without a word says nothing for many minutes. */
export const ANSWER_MS = 10_000

/** What is wrong when the database does not answer a question that costs nothing; undefined when it does. Never waits longer. */
export async function whyDatabaseIsSilent(
  { read }: Pick<Database, 'read'>,
  clock: Pick<Clock, 'sleep'>,
): Promise<string | undefined> {
  const answered = new AbortController()
  const tooLate = clock.sleep(ANSWER_MS, answered.signal).then(() => {
    throw new Error(`nothing came for ${ANSWER_MS / 1000} s`)
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
