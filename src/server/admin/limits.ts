import type { App } from '../../app.ts'
import { isOwnMachine, prefixOf } from '../limits/caller.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { rateLimiter } from '../limits/rate-limiter.ts'

/** A flood from one address is turned away before it writes. Far above what the database allows, so that this limit is never the one that people meet. */
const floodOf = onePerProgram(({ kernel: { sharing } }) =>
  rateLimiter({ name: 'admin flood', burst: 200, everyMs: 1000, what: 'tries to sign in', code: 'too_many' }, sharing),
)

/** Turns away a flood from one address, without a look at the database. */
export async function countFlood({ host, remote }: Caller): Promise<void> {
  // Everybody comes from this address when a proxy stands on this machine and the setting trustedProxies does not name it.
  if (!isOwnMachine(remote)) floodOf(host).take(prefixOf(remote), host.kernel.clock.monotonic())
}

/** Counts a try of an address before a byte of its body is read. Throws `too_many` for one with too many. */
export async function countTry({ host, remote }: Caller): Promise<void> {
  await countFlood({ host, remote })
  if (isOwnMachine(remote)) return
  const one = { from: prefixOf(remote), isShared: false }
  await host.inTransaction((tx) => tx.signInTries.takeOfAddress(one))
}

interface Caller {
  host: App
  remote: string
}

/**
 * Counts a try of an account, after `countTry`, before it is examined; throws as that does. Call what it returns when the person
 * proved who they are: such a try does not count.
 */
export async function limitAccount(
  { host, remote }: Caller,
  account: string | undefined,
): Promise<() => Promise<void>> {
  const one = { account, from: prefixOf(remote), isShared: isOwnMachine(remote) }
  if (account !== undefined) {
    try {
      await host.inTransaction((tx) => tx.signInTries.takeOfAccount(one))
    } catch (thrown) {
      // What is refused for its account uses up nothing of those who share its address.
      await host.inTransaction((tx) => tx.signInTries.forgive({ ...one, account: undefined }))
      throw thrown
    }
  }
  return () => host.inTransaction((tx) => tx.signInTries.forgive(one))
}

/** `countTry` and `limitAccount` in one, for somebody who has signed in and proves it again. */
export async function limitSignIn(host: App, remote: string, account: string): Promise<() => Promise<void>> {
  await countTry({ host, remote })
  return limitAccount({ host, remote }, account)
}
