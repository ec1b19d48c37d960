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

/**
 * Two requests that each write a row of the audit log: on PostgreSQL `first` has made its change and has not committed when `second`
 * begins, and commits once that waits or is through. On SQLite, which has a single writer, they are only sent at once.
 */
export async function meetAtAudit<One, Two>(
  program: Program,
  first: () => Promise<One>,
  second: () => Promise<Two>,
): Promise<[One, Two]> {
  if (program.kernel.db.kind === 'sqlite') return Promise.all([first(), second()])
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const lock = program.kernel.db.write(async (sql) => {
    // Rows can be read, and new ones wait.
    await sql.raw('LOCK TABLE audit IN SHARE MODE')
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, lock])
  try {
    const one = first()
    await eventually(async () => (await waiting(program)) === 1, 'the first request comes to its row of the audit log')
    let isThrough = false
    const two = second().finally(() => (isThrough = true))
    await eventually(async () => isThrough || (await waiting(program)) > 1, 'the second request waits or is through')
    released.resolve()
    return await Promise.all([one, two])
  } finally {
    released.resolve()
    await lock
  }
}

/** Connections to this database that wait for a lock. */
async function waiting({ kernel }: Program): Promise<number> {
  const { rows } = await kernel.db.read.raw(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return (rows as unknown[]).length
}
