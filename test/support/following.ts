import { createFollowing } from '../../src/domain/followers/follow.ts'
import type { Follower } from '../../src/domain/followers/types.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { Areas, Program } from '../../src/program.ts'
import { type Death, liveUntil } from './mortal.ts'
import type { TestProgram } from './program.ts'

/** Follows the log of a database to its end, one follower after the other; with a death, in another program that ends there. */
export async function followUntil(
  test: TestProgram,
  death: Death | undefined,
  followers: (program: Program) => Promise<readonly Follower<Areas>[]>,
): Promise<void> {
  // A worker that is gone keeps its lease until it ends.
  await test.program.kernel.db.write((sql) => sql('followers').update({ lease_until: 0 }))
  const follow = async ({ program, signal }: { program: Program; signal: AbortSignal }) => {
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work)
    const parts = { read: program, inTransaction, clock: test.clock, log: silentLog, owner: death ?? 'the last' }
    for (const follower of await followers(program)) {
      const following = createFollowing<Areas>(parts, follower)
      while (!['waiting', 'done'].includes(await following.turn(signal)));
      await following.close()
    }
  }
  if (death) await liveUntil(test, death, follow)
  else await follow({ program: test.program, signal: new AbortController().signal })
}
