import type { App } from '../app.ts'
import { AppError, isAppError } from '../platform/errors.ts'
import { userNameOf } from './auth.ts'
import { isOwnMachine, prefixOf } from './device/caller.ts'
import { onePerProgram } from './device/per-program.ts'
import { type RateLimiter, rateLimiter } from './device/rate-limiter.ts'
import { refusalNotes } from './refusals.ts'
import type { Route } from './route.ts'

const MINUTE_MS = 60_000
/** Names that one address may try wrong keys with, as many times over: a flood of new names is one of keys too. */
const NAMES = 10
/** Of a name that somebody made up. Ours are shorter, so two of them are told apart. */
const LONGEST_NAME = 100

interface Limiters {
  /** Of one address with one name, and of the address in all. */
  named: RateLimiter
  all: RateLimiter
}

/** For servers 429; SDKs take that for a link that was matched too often, so 503 for devices (docs/reference/device-protocol.md section 13). */
const guardOf = onePerProgram(({ kernel }) => {
  const perMinute = kernel.config['limits.wrongKeys']
  const limiter = (code: 'too_many' | 'unavailable', times: number) =>
    rateLimiter({
      burst: perMinute * times,
      everyMs: MINUTE_MS / (perMinute * times),
      what: 'wrong keys from this address',
      code,
    })
  const limiters = (code: 'too_many' | 'unavailable'): Limiters => ({
    named: limiter(code, 1),
    all: limiter(code, NAMES),
  })
  return {
    servers: limiters('too_many'),
    devices: limiters('unavailable'),
    note: refusalNotes(kernel, 'limits.wrongKeys', 'calls with wrong keys are refused: an address tries too many'),
  }
})

/**
 * What a call is answered whose keys are wrong: the 401 that was thrown, or that there were too many. It takes the place of the 401
 * only, so whoever has a right key is served, also from an address that is being misused. Anything else that was thrown, calls without
 * keys and calls of this machine are answered as they are.
 */
export function answerToWrongKey(
  host: App,
  { needs }: Pick<Route, 'needs'>,
  { thrown, authorization, remote }: { thrown: unknown; authorization: string | undefined; remote: string },
): unknown {
  const name = userNameOf(authorization)
  const isGuess = isAppError(thrown) && thrown.code === 'unauthorized' && name !== undefined
  if (!isGuess || host.kernel.config['limits.wrongKeys'] === 0 || isOwnMachine(remote)) return thrown
  const { servers, devices, note } = guardOf(host)
  const { named, all } = needs === 'device-key' ? devices : servers
  const address = prefixOf(remote)
  const pair = `${address} ${name.slice(0, LONGEST_NAME)}`
  const now = host.kernel.clock.monotonic()
  try {
    named.check(pair, now)
    all.check(address, now)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    note(address)
    return error
  }
  named.charge(pair, now)
  all.charge(address, now)
  return thrown
}
