import type { App } from '../../app.ts'
import { isOwnMachine, prefixOf } from '../device/caller.ts'
import { onePerProgram } from '../device/per-program.ts'
import { rateLimiter } from '../device/rate-limiter.ts'

/** A flood from one address is turned away before it writes. Far above what the database allows, so that this limit is never the one that people meet. */
const floodOf = onePerProgram(({ kernel: { sharing } }) =>
  rateLimiter({ name: 'admin flood', burst: 200, everyMs: 1000, what: 'tries to sign in', code: 'too_many' }, sharing),
)

/**
 * Counts a try to sign in before it is examined; throws `too_many` for an account or an address with too many. `account` is undefined
 * where the caller names none (one-time addresses, passkeys). Call what it returns when the person proved who they are: such a try does
 * not count.
 */
export async function limitSignIn(
  host: App,
  remote: string,
  account: string | undefined,
): Promise<() => Promise<void>> {
  const from = prefixOf(remote)
  // Everybody comes from this address when a proxy stands on this machine and the setting trustedProxies does not name it.
  const isShared = isOwnMachine(remote)
  if (!isShared) floodOf(host).take(from, host.kernel.clock.monotonic())
  const one = { account, from, isShared }
  await host.inTransaction((tx) => tx.signInTries.take(one))
  return () => host.inTransaction((tx) => tx.signInTries.forgive(one))
}
