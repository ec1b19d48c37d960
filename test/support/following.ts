import type { App, Areas } from '../../src/app.ts'
import { createFollowing } from '../../src/domain/followers/follow.ts'
import type { Follower } from '../../src/domain/followers/types.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { TestApp } from './app.ts'
import { type Death, liveUntil } from './mortal.ts'

/** Follows the log of a database to its end, one follower after the other; with a death, in another program that ends there. */
export async function followUntil(
  test: TestApp,
  death: Death | undefined,
  followers: (app: App) => Promise<readonly Follower<Areas>[]>,
): Promise<void> {
  // A worker that is gone keeps its lease until it ends.
  await test.app.kernel.db.write((sql) => sql('followers').update({ lease_until: 0 }))
  const follow = async ({ app, signal }: { app: App; signal: AbortSignal }) => {
    const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => app.inTransaction(work)
    const parts = { read: app, inTransaction, clock: test.clock, log: silentLog, owner: death ?? 'the last' }
    for (const follower of await followers(app)) {
      const following = createFollowing<Areas>(parts, follower)
      while ((await following.turn(signal)) !== 'waiting');
      await following.close()
    }
  }
  if (death) await liveUntil(test, death, follow)
  else await follow({ app: test.app, signal: new AbortController().signal })
}
