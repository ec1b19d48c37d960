import type { App } from '../../app.ts'
import { isOwnMachine, prefixOf } from '../device/caller.ts'
import { onePerProgram } from '../device/per-program.ts'
import { rateLimiter } from '../device/rate-limiter.ts'

const MINUTE_MS = 60_000

/**
 * Tries of one account from one address, of one account from anywhere (much more, so that strangers cannot lock a
 * person out for long), and of one address. HTTP threads of a process count together.
 */
const guardOf = onePerProgram(({ kernel: { sharing } }) => {
  const limiter = (name: string, burst: number, everyMs: number) =>
    rateLimiter({ name: `admin ${name}`, burst, everyMs, what: 'tries to sign in', code: 'too_many' }, sharing)
  return {
    pair: limiter('pair', 5, MINUTE_MS),
    account: limiter('account', 50, MINUTE_MS / 4),
    address: limiter('address', 20, MINUTE_MS / 4),
  }
})

/**
 * Counts a try to sign in before it is examined; throws `too_many` for an account or an address with too many. `account` is undefined
 * where the caller names none (one-time addresses, passkeys). Call what it returns when the person proved who they are: such a try does
 * not count.
 */
export function limitSignIn(host: App, remote: string, account: string | undefined): () => void {
  const { pair, account: accounts, address } = guardOf(host)
  const now = host.kernel.clock.monotonic()
  const from = prefixOf(remote)
  const name = account?.toLowerCase().slice(0, 254)
  if (name !== undefined) {
    pair.check(`${from} ${name}`, now)
    accounts.check(name, now)
  }
  // Everybody comes from this address when a proxy stands on this machine and the setting trustedProxies does not name it.
  if (!isOwnMachine(remote)) address.take(from, now)
  if (name !== undefined) {
    pair.charge(`${from} ${name}`, now)
    accounts.charge(name, now)
  }
  return () => {
    if (!isOwnMachine(remote)) address.charge(from, now, -1)
    if (name === undefined) return
    pair.charge(`${from} ${name}`, now, -1)
    accounts.charge(name, now, -1)
  }
}
