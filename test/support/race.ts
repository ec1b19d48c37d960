import type { Areas, Program } from '../../src/program.ts'
import { eventually } from './eventually.ts'

interface Raced<One, Two> {
  one: PromiseSettledResult<One>
  two: PromiseSettledResult<Two>
  hadToWait: boolean
}
type First<One> = (tx: Areas, meet: () => Promise<void>) => Promise<One>

/**
 * Two transactions on two connections of PostgreSQL that meet at a place of our choice: `first` runs until it calls
 * `meet`, then `second` begins, and once that waits for a lock or is through, `first` goes on and commits. Returns the
 * results of both, and whether the second one had to wait.
 */
export const race = <One, Two>(
  program: Program,
  first: First<One>,
  second: (tx: Areas) => Promise<Two>,
): Promise<Raced<One, Two>> => raceAgainst(program, first, () => program.inTransaction(second))

/** A race of a transaction against `second`, such as a request. On SQLite, which has a single writer, it always has to wait. */
export async function raceAgainst<One, Two>(
  program: Program,
  first: First<One>,
  second: () => Promise<Two>,
): Promise<Raced<One, Two>> {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const one = program.inTransaction((tx) =>
    first(tx, () => {
      reached.resolve()
      return released.promise
    }),
  )
  // Who fails before the meeting must not be waited for.
  await Promise.race([reached.promise, one])
  let isThrough = false
  const two = second()
  const settled = Promise.allSettled([one, two])
  void two.then(
    () => (isThrough = true),
    () => (isThrough = true),
  )
  let hadToWait = false
  await eventually(async () => {
    hadToWait = program.kernel.db.kind === 'sqlite' || (await waiting(program)) > 0
    return hadToWait || isThrough
  }, 'the second transaction waits or is through')
  released.resolve()
  const [former, latter] = await settled
  return { one: former, two: latter, hadToWait }
}

/** Connections to this database that wait for a lock. */
async function waiting({ kernel }: Program): Promise<number> {
  const { rows } = await kernel.db.read.raw(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return (rows as unknown[]).length
}
