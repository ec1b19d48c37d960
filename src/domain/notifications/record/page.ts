import type { OutcomeKind } from '../../gateways/gateway.ts'
import type { Counts } from '../types.ts'

/**
 * A page holds up to some thousand recipients in two blobs: the install rows, ascending, as varints of their
 * differences (one or two bytes each), and one outcome byte each. A slot is a recipient's index in both.
 */

/** Why a recipient failed: the outcome byte, and the word in reports. */
export const FAILURES = {
  token_dead: 16,
  token_suspect: 17,
  payload_error: 18,
  throttled_recipient: 19,
  no_gateway: 20,
  /** Delivering its page failed repeatedly; the log says why. */
  internal_error: 21,
} as const satisfies Partial<Record<OutcomeKind, number>> & Record<string, number>

/** Why it was too late for a recipient; counted as `expired`, like plain `expired`. */
export const EXPIRIES = {
  /** It was due while the server could not send, longer ago than `schedule.maxLateness`. */
  missed: 48,
} as const

/** Why a recipient was suppressed; counted as `skipped`. */
export const SUPPRESSIONS = {
  /** The app's quiet hours in the install's time zone. */
  quiet_hours: 64,
  /** The install has already got as many notifications as the app's frequency cap allows. */
  frequency_cap: 65,
  /** The scheduled time had passed in its time zone, and `pastTimes` is `ignore`. */
  past_time: 66,
} as const

/** Outcome bytes. `moved`: the recipient is on a retry page now, and counted there. */
export const SLOT = {
  pending: 0,
  begun: 1,
  accepted: 2,
  expired: 3,
  cancelled: 4,
  skipped: 5,
  unknown: 6,
  moved: 7,
  ...FAILURES,
  ...EXPIRIES,
  ...SUPPRESSIONS,
} as const

export type SlotName = keyof typeof SLOT

/** Outcome bytes from 16 are failures, from 48 expiries, from 64 suppressions. */
const FIRST_FAILURE = 16
const FIRST_EXPIRY = 48
const FIRST_SUPPRESSION = 64
const NAMES = new Map<number, SlotName>(Object.entries(SLOT).map(([name, byte]) => [byte, name as SlotName]))

export function slotName(byte: number): SlotName {
  return NAMES.get(byte) ?? 'unknown'
}

/** Encodes ascending rows. Throws when they are not ascending, which is a bug in the walk that found them. */
export function packRows(rows: readonly number[]): Buffer {
  const bytes: number[] = []
  let last = 0
  for (const row of rows) {
    let rest = row - last
    if (rest <= 0) throw new Error(`recipients out of order: ${row} after ${last}`)
    // No bit operations, because rows may exceed 32 bits.
    while (rest >= 0x80) {
      bytes.push((rest % 0x80) + 0x80)
      rest = Math.floor(rest / 0x80)
    }
    bytes.push(rest)
    last = row
  }
  return Buffer.from(bytes)
}

export function unpackRows(bytes: Uint8Array): number[] {
  const rows: number[] = []
  let last = 0
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte % 0x80) * scale
    if (byte >= 0x80) scale *= 0x80
    else {
      last += value
      rows.push(last)
      value = 0
      scale = 1
    }
  }
  return rows
}

/** The counts of a page that its row stores. `audience` does not count moved recipients. */
export function tally(outcomes: Uint8Array): Counts & { moved: number } {
  const counts = {
    audience: 0,
    pending: 0,
    accepted: 0,
    failed: 0,
    expired: 0,
    cancelled: 0,
    skipped: 0,
    unknown: 0,
    moved: 0,
  }
  for (const byte of outcomes) {
    if (byte >= FIRST_SUPPRESSION) counts.skipped++
    else if (byte >= FIRST_EXPIRY) counts.expired++
    else if (byte >= FIRST_FAILURE) counts.failed++
    else if (byte === SLOT.begun) counts.pending++
    else counts[slotName(byte) as keyof typeof counts]++
  }
  counts.audience = outcomes.length - counts.moved
  return counts
}

/** How many recipients have each outcome that is a reason: failures, expiries and suppressions. */
export function reasonsOf(outcomes: Uint8Array): Partial<Record<SlotName, number>> {
  const reasons: Partial<Record<SlotName, number>> = {}
  for (const byte of outcomes) {
    if (byte < FIRST_FAILURE) continue
    const name = slotName(byte)
    reasons[name] = (reasons[name] ?? 0) + 1
  }
  return reasons
}

/** The final outcomes. */
export const ENDS = (Object.keys(SLOT) as SlotName[]).filter((name) => !['pending', 'begun', 'moved'].includes(name))

/** How many recipients got each final outcome between two states of a page. */
export function endedBetween(before: Uint8Array, after: Uint8Array): Map<SlotName, number> {
  const ended = new Map<SlotName, number>()
  after.forEach((byte, slot) => {
    const name = slotName(byte)
    if (byte === before[slot] || !ENDS.includes(name)) return
    ended.set(name, (ended.get(name) ?? 0) + 1)
  })
  return ended
}
