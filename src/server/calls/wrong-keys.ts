import { AppError, isAppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { isOwnMachine, prefixOf } from '../limits/caller.ts'
import { limiterOf } from '../limits/for-program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { refusalNotes } from '../limits/refusals.ts'
import type { Route } from '../routing/route.ts'
import { userNameOf } from './auth.ts'

const MINUTE_MS = 60_000
/**
 * The limit of an address over all user names, as a multiple of the limit for one name: guessing names is guessing,
 * too.
 */
const NAMES = 10
/** User names are cut to this length. Ours are shorter, so they stay distinct. */
const MAX_NAME_LENGTH = 100

interface Limiters {
  /** Limits by address and user name, and by address alone. */
  named: RateLimiter
  all: RateLimiter
}

/**
 * Servers get 429. To SDKs that means a link at its limit, so devices get 503 (docs/reference/device-protocol.md
 * section 13).
 */
const guardOf = onePerProgram((program) => {
  const { kernel } = program
  const perMinute = kernel.config['limits.wrongKeys']
  const limiter = (code: 'too_many' | 'unavailable', times: number) =>
    limiterOf(program, {
      name: `limits.wrongKeys ${code} ${times}`,
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
 * The error for a call with wrong keys: the 401 that was thrown, or the refusal of an address at its limit. Only a
 * 401 is replaced, so valid keys work from any address. Other errors, calls without keys and calls from this machine
 * are not limited.
 */
export async function answerToWrongKey(
  program: Program,
  { needs }: Pick<Route, 'needs'>,
  { thrown, authorization, remote }: { thrown: unknown; authorization: string | undefined; remote: string },
): Promise<unknown> {
  const name = userNameOf(authorization)
  const isGuess = isAppError(thrown) && thrown.code === 'unauthorized' && name !== undefined
  if (!isGuess || program.kernel.config['limits.wrongKeys'] === 0 || isOwnMachine(remote)) return thrown
  const { servers, devices, note } = guardOf(program)
  const { named, all } = needs === 'device-key' ? devices : servers
  const address = prefixOf(remote)
  const pair = `${address} ${name.slice(0, MAX_NAME_LENGTH)}`
  const { clock } = program.kernel
  await named.ready(pair, clock.monotonic())
  await all.ready(address, clock.monotonic())
  const now = clock.monotonic()
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
