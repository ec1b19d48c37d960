import type { IngestReport } from '../../domain/events/types.ts'
import type { SettingName } from '../../platform/config/settings.ts'
import type { Call } from '../routing/route.ts'
import { isOwnMachine, prefixOf } from './caller.ts'
import { limiterOf } from './for-program.ts'
import { onePerProgram } from './per-program.ts'
import { refusalNotes } from './refusals.ts'

/**
 * Limits of what a device may store with nothing but the key that is in every copy of an app
 * (docs/decisions/0012-caps-for-devices.md). The amounts are counted in the memory of this process, for all its HTTP threads
 * together, and of callers near a cap in the database, for all nodes (docs/decisions/0130-files-and-caps-of-all-nodes.md). SDKs keep what
 * gets a 503 and try again.
 */

/** The answer of the caps, for the document. */
export const CAPPED = {
  503: 'The install, its address or its app has reached its limit for an hour (`limits.*`), or the database is unreachable',
} as const

/** Answers of routes that create installs on first sight, for the document. */
export const MEETING = {
  ...CAPPED,
  403: 'The id of a new install is not allowed: it looks like a user token, or is not a UUID while the app requires signed users',
} as const

/** The settings of the caps. */
export const CAPS = [
  'limits.newPerAddress',
  'limits.eventsPerInstall',
  'limits.newChannelsPerApp',
  'limits.bytesPerAddress',
  'limits.bytesPerApp',
] as const satisfies SettingName[]
type CapName = (typeof CAPS)[number]

const HOUR_MS = 3_600_000
/** The share of an hour's bytes that may arrive at once. */
const BYTES_AT_ONCE = 1 / 4
/** A larger event counts as several. */
const EVENT_BYTES = 1024

interface Cap {
  /** Asks other nodes about a caller near the limit. Never inside a transaction. */
  ready(who: string): Promise<void> | undefined
  /** Throws `unavailable` while `who` has reached the limit, unless `isFree` says that this call is never refused. */
  check(who: string, isFree?: () => Promise<boolean>): Promise<void>
  charge(who: string, count: number): void
}

/** The part of a call that the caps need. */
type Caller = Pick<Call<unknown, unknown>, 'program' | 'appId' | 'remote'>

/**
 * Cap for callers on this machine: the operator's programs, and everyone behind a local proxy that `trustedProxies` does not
 * list.
 */
const UNCAPPED = { ready: () => undefined, check: async () => {}, charge() {} } satisfies Cap

const capsOf = onePerProgram((program) => {
  const { kernel } = program
  const { config, clock } = kernel

  function cap(limit: CapName, what: string, remark: string, atOnce = 1): Cap {
    const perHour = config[limit]
    const burst = Math.ceil(perHour * atOnce)
    const limiter = limiterOf(program, { name: limit, burst, everyMs: HOUR_MS / perHour, what, code: 'unavailable' })
    const note = refusalNotes(kernel, limit, remark)
    return {
      ready: (who) => (perHour === 0 ? undefined : limiter.ready(who, clock.monotonic())),
      async check(who, isFree = async () => false) {
        if (perHour === 0) return
        try {
          limiter.check(who, clock.monotonic())
        } catch (error) {
          if (await isFree()) return
          note(who)
          throw error
        }
      },
      charge(who, count) {
        if (perHour > 0 && count !== 0) limiter.charge(who, clock.monotonic(), count)
      },
    }
  }

  return {
    newcomers: cap(
      'limits.newPerAddress',
      'new installs and other records from this address',
      'calls of devices are refused: too much that is new comes from one address (a proxy? see trustedProxies)',
    ),
    events: cap(
      'limits.eventsPerInstall',
      'events of this install',
      'uploads are refused: too many events of one install',
    ),
    addressBytes: cap(
      'limits.bytesPerAddress',
      'bytes from this address',
      'calls of devices are refused: too many bytes from one address (a proxy? see trustedProxies)',
      BYTES_AT_ONCE,
    ),
    channels: cap(
      'limits.newChannelsPerApp',
      'new channels of this app',
      'devices may not make channels for now: too many in one app',
    ),
    appBytes: cap(
      'limits.bytesPerApp',
      'bytes of devices of this app',
      'calls of devices are refused: too many bytes in one app',
      BYTES_AT_ONCE,
    ),
  }
})

/** Callers on this machine are exempt from what is counted by address or install, not from what is counted by app. */
function capsFor({ program, remote }: Pick<Caller, 'program' | 'remote'>): ReturnType<typeof capsOf> {
  const caps = capsOf(program)
  return isOwnMachine(remote) ? { ...caps, newcomers: UNCAPPED, events: UNCAPPED, addressBytes: UNCAPPED } : caps
}

/**
 * Called before the body is read. Throws `unavailable` while the app or the address has reached its limit of bytes. What the call
 * may create is counted in its transaction, which cannot wait for other nodes: they are asked here.
 */
export async function checkBytes(call: Caller): Promise<void> {
  const { addressBytes, appBytes, newcomers, channels } = capsFor(call)
  const address = prefixOf(call.remote)
  const app = String(call.appId)
  for (const asked of [
    addressBytes.ready(address),
    appBytes.ready(app),
    newcomers.ready(address),
    channels.ready(app),
  ]) {
    if (asked) await asked
  }
  await addressBytes.check(address)
  await appBytes.check(app)
}

/** Counts the bytes of a body, whatever becomes of it, or of a stored answer. A negative count gives bytes back. */
export function chargeBytes(call: Caller, count: number): void {
  const { addressBytes, appBytes } = capsFor(call)
  addressBytes.charge(prefixOf(call.remote), count)
  appBytes.charge(String(call.appId), count)
}

/**
 * Counts a channel that a device created. Throws `unavailable` at the limit, which rolls the call's transaction back.
 */
export async function takeChannel({ program, remote, appId }: Caller): Promise<void> {
  const { channels } = capsFor({ program, remote })
  await channels.check(String(appId))
  channels.charge(String(appId), 1)
}

/**
 * Called before events of an install are stored. Throws `unavailable` with `Retry-After` when the install or its address
 * has reached its limit. An install for which `isFree` is true is not refused because of its address.
 */
export async function checkEvents(
  call: Caller & Pick<Call<unknown, unknown>, 'within'>,
  installId: string,
  isFree: () => Promise<boolean>,
): Promise<void> {
  const { newcomers, events } = capsFor(call)
  if (call.within === 'program') await events.ready(installOf(call, installId))
  await newcomers.check(prefixOf(call.remote), isFree)
  await events.check(installOf(call, installId))
}

/** Counts events of an install that were stored. `size`: the bytes of their upload. */
export function chargeEvents(
  call: Caller,
  installId: string,
  { isNew, accepted }: Pick<IngestReport, 'isNew' | 'accepted'>,
  size: number,
): void {
  const { newcomers, events } = capsFor(call)
  if (isNew) newcomers.charge(prefixOf(call.remote), 1)
  if (accepted > 0) events.charge(installOf(call, installId), Math.max(accepted, Math.ceil(size / EVENT_BYTES)))
}

const installOf = ({ appId }: Caller, installId: string) => `${appId} ${installId}`

/** Counts new records against the address. Throws `unavailable` at the limit, which rolls the call's transaction back. */
export async function takeNewcomers(call: Pick<Caller, 'program' | 'remote'>, count: number): Promise<void> {
  const { newcomers } = capsFor(call)
  const address = prefixOf(call.remote)
  for (let i = 0; i < count; i++) {
    await newcomers.check(address)
    newcomers.charge(address, 1)
  }
}
