import type { OutcomeKind } from '../../gateways/gateway.ts'
import type { Counts } from '../types.ts'

/**
 * A page holds up to some thousand recipients in two blobs: the install rows, ascending, as varints of their
 * differences (one or two bytes each), and one outcome byte each. A slot is a recipient's index in both.
 */

/** Reasons for which a recipient failed: the outcome byte, and the word in reports. */
export const FAILURES = {
  token_dead: 16,
  token_suspect: 17,
  payload_error: 18,
  throttled_recipient: 19,
  no_gateway: 20,
  /** Delivering its page failed repeatedly; the log says why. */
  internal_error: 21,
} as const satisfies Partial<Record<OutcomeKind, number>> & Record<string, number>

/** Reasons for which it was too late for a recipient; counted as `expired`, like plain `expired`. */
export const EXPIRIES = {
  /** The recipient was due while the server could not send, longer ago than `schedule.maxLateness`. */
  missed: 48,
} as const

/** Reasons for which a recipient was left out; counted as `skipped`. */
export const LEFT_OUT = {
  /** The app's quiet hours in the install's time zone. */
  quiet_hours: 64,
  /** The install has already got as many notifications as the app's frequency cap allows. */
  frequency_cap: 65,
  /** The scheduled time had passed in its time zone, and `pastTimes` is `ignore`. */
  past_time: 66,
  /** The user of the install does not allow the purpose of the notification. */
  not_wanted: 67,
  /** The user of the install is on the app's suppression list. */
  on_suppression_list: 68,
  /** The push was for a user who does not have the install any more: somebody else uses it now. */
  user_changed: 69,
  /** The message is personalised, and something that it says is missing for the recipient. */
  missing_value: 70,
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
  ...LEFT_OUT,
} as const

export type SlotName = keyof typeof SLOT

/** Outcome bytes from 16 are failures, from 48 expiries, from 64 those left out. */
const FIRST_FAILURE = 16
const FIRST_EXPIRY = 48
const FIRST_LEFT_OUT = 64
/** Names by outcome byte. */
const NAMES: (SlotName | undefined)[] = []
for (const [name, byte] of Object.entries(SLOT)) NAMES[byte] = name as SlotName

export function slotName(byte: number): SlotName {
  return NAMES[byte] ?? 'unknown'
}

/** States of a recipient, as they are counted. */
export const RECIPIENT_STATES = ['pending', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown'] as const
export type RecipientState = (typeof RECIPIENT_STATES)[number]

/** The state as which a recipient with this outcome byte is counted. `moved` ones are counted on their retry page: do not ask. */
export function stateOf(byte: number): RecipientState {
  if (byte >= FIRST_LEFT_OUT) return 'skipped'
  if (byte >= FIRST_EXPIRY) return 'expired'
  if (byte >= FIRST_FAILURE) return 'failed'
  return byte === SLOT.begun ? 'pending' : (slotName(byte) as RecipientState)
}

/** Tells whether an outcome gives its own reason: failures, expiries and those left out do. */
export const isReason = (name: SlotName): boolean => SLOT[name] >= FIRST_FAILURE

/** Counts of outcome bytes; one array is used again, because pages are counted often. */
const counted = new Uint32Array(256)

/** The number of recipients with each outcome byte. Valid until the next call. */
function histogram(outcomes: Uint8Array): Uint32Array {
  counted.fill(0)
  for (let slot = 0; slot < outcomes.length; slot++) counted[outcomes[slot]!]!++
  return counted
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
  const found = histogram(outcomes)
  for (let byte = 0; byte < found.length; byte++) {
    const recipients = found[byte]!
    if (recipients === 0) continue
    if (byte >= FIRST_LEFT_OUT) counts.skipped += recipients
    else if (byte >= FIRST_EXPIRY) counts.expired += recipients
    else if (byte >= FIRST_FAILURE) counts.failed += recipients
    else if (byte === SLOT.begun) counts.pending += recipients
    else counts[slotName(byte) as keyof typeof counts] += recipients
  }
  counts.audience = outcomes.length - counts.moved
  return counts
}

/** The number of recipients with each outcome that is a reason: failures, expiries and suppressions. */
export function reasonsOf(outcomes: Uint8Array): Partial<Record<SlotName, number>> {
  const reasons: Partial<Record<SlotName, number>> = {}
  const found = histogram(outcomes)
  for (let byte = FIRST_FAILURE; byte < found.length; byte++) {
    if (found[byte] === 0) continue
    const name = slotName(byte)
    reasons[name] = (reasons[name] ?? 0) + found[byte]!
  }
  return reasons
}

/** The final outcomes. */
export const ENDS = (Object.keys(SLOT) as SlotName[]).filter((name) => !['pending', 'begun', 'moved'].includes(name))

const END_BYTES = ENDS.map((name) => [name, SLOT[name]] as const)

/** The number of recipients that got each final outcome between two states of a page. */
export function endedBetween(before: Uint8Array, after: Uint8Array): Map<SlotName, number> {
  counted.fill(0)
  for (let slot = 0; slot < after.length; slot++) {
    if (after[slot] !== before[slot]) counted[after[slot]!]!++
  }
  const ended = new Map<SlotName, number>()
  for (const [name, byte] of END_BYTES) if (counted[byte]! > 0) ended.set(name, counted[byte]!)
  return ended
}
