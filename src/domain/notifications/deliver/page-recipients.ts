import type { Recipient } from '../../crm/types.ts'
import type { PushRecipient, PushRecipients } from '../../gateways/gateway.ts'
import { SLOT } from '../record/page.ts'
import { BufferMemory } from './buffer-memory.ts'

/** Properties that many recipients of a page have in common. */
type Form = Omit<Recipient, 'row' | 'token' | 'tokenAt'>

const NOTHING = Buffer.alloc(0)
const NONE: ReadonlySet<number> = new Set()
const NO_WORDS: readonly string[] = []
/** UTF-8 needs at most this for a unit of a text. Where it needs less, the rest is never written and takes no memory. */
const BYTES_OF_UNIT = 3

/**
 * The recipients of a page by slot: their tokens are bytes side by side, and what many have in common is one object.
 * A page is kept for longer than the young generation keeps anything, so with an object and a text for each recipient
 * a third of a broadcast's processor time went into collecting them
 * (docs/decisions/measurements.md). Objects are made when they are asked for.
 */
export class PageRecipients implements PushRecipients {
  readonly #rows: readonly number[]
  /** Undefined for installs that can receive nothing: gone, unsubscribed, without a token of this platform. */
  readonly #forms: (Form | undefined)[] = []
  /** The tokens one after the other. */
  #tokens: Buffer = NOTHING
  /** ASCII is read faster as Latin-1. */
  #encoding: 'latin1' | 'utf8' = 'latin1'
  readonly #memory: BufferMemory
  /** Offset behind the token of each slot. */
  readonly #ends: Uint32Array
  /** NaN stands for null. */
  readonly #registeredAt: Float64Array

  readonly #passedOn: ReadonlySet<number>
  /** Recipients that are left out, by slot: with which outcome byte, and why in words. */
  readonly #leftOut = new Map<number, { outcome: number; words: readonly string[] }>()

  readonly #platform: number
  /** The form of the last recipient, which the next one mostly has, too. */
  #form: Form | undefined

  /**
   * `found`: those of the installs `rows` that exist, ascending as these; absent when they are added later. `platform`: to which the page
   * is sent. `passedOn`: installs that somebody else uses, for whom the push is not.
   */
  constructor(
    rows: readonly number[],
    found: readonly Recipient[] | undefined,
    platform: number,
    { memory, passedOn = NONE }: { memory?: BufferMemory | undefined; passedOn?: ReadonlySet<number> } = {},
  ) {
    this.#rows = rows
    this.#platform = platform
    this.#memory = memory ?? new BufferMemory()
    this.#passedOn = passedOn
    this.#ends = new Uint32Array(rows.length)
    this.#registeredAt = new Float64Array(rows.length)
    if (found) this.add(found, rows.length)
  }

  /** Adds the recipients of the next slots, up to `to`. `found`: those of them that exist, ascending. */
  add(found: readonly Recipient[], to: number): void {
    const from = this.#forms.length
    let end = from === 0 ? 0 : this.#ends[from - 1]!
    this.#makeRoom(found, { from, to, end })
    let next = 0
    for (let slot = from; slot < to; slot++) {
      const recipient = found[next]?.row === this.#rows[slot] ? found[next++] : undefined
      if (this.isReached(recipient)) {
        if (!this.#form || !isOfForm(recipient, this.#form)) this.#form = formOf(recipient)
        const bytes = this.#tokens.write(recipient.token, end)
        if (bytes !== recipient.token.length) this.#encoding = 'utf8'
        end += bytes
        this.#registeredAt[slot] = recipient.tokenAt ?? Number.NaN
        this.#forms.push(this.#form)
      } else this.#forms.push(undefined)
      this.#ends[slot] = end
    }
  }

  /** Takes memory for the tokens of these slots behind `end`: at first for all of the page, as far as these tell. */
  #makeRoom(found: readonly Recipient[], { from, to, end }: { from: number; to: number; end: number }): void {
    let units = 0
    for (const { token } of found) units += token?.length ?? 0
    const most = end + units * BYTES_OF_UNIT
    if (from > 0 && most <= this.#tokens.length) return
    const left = Math.max(1, (this.#rows.length - from) / Math.max(1, to - from))
    // Written one by one, because one text of all tokens would be a large object of V8, which takes ten times as long.
    const tokens = this.#memory.take(end + Math.ceil(units * left) * BYTES_OF_UNIT)
    this.#tokens.copy(tokens, 0, 0, end)
    if (from > 0) this.#memory.giveBack(this.#tokens)
    this.#tokens = tokens
  }

  /** Tells whether a recipient can receive the page. */
  isReached<R extends Recipient>(recipient: R | undefined): recipient is R & { token: string } {
    return canReceive(recipient, this.#platform) && !(this.#passedOn.size > 0 && this.#passedOn.has(recipient.row))
  }

  get size(): number {
    return this.#rows.length
  }

  /** Tells whether something can be sent to the recipient. */
  canReceive(slot: number): boolean {
    return this.#forms[slot] !== undefined
  }

  /** Leaves a recipient out: nothing can be sent to them any more. `words` are reported for each of them. */
  leaveOut(slot: number, outcome: number, words: readonly string[]): void {
    this.#forms[slot] = undefined
    this.#leftOut.set(slot, { outcome, words })
  }

  /** Reason that nothing can be sent to a recipient, as an outcome byte, and in words where they say more. */
  whyNot(slot: number): { outcome: number; words: readonly string[] } {
    const leftOut = this.#leftOut.get(slot)
    if (leftOut) return leftOut
    return { outcome: this.#passedOn.has(this.#rows[slot]!) ? SLOT.user_changed : SLOT.skipped, words: NO_WORDS }
  }

  /** Suspicious refusals of the recipient's token, as in `Recipient`. */
  refusalsOf(slot: number): number {
    return this.#forms[slot]?.refusals ?? 0
  }

  /** The recipient as it was read, if something can be sent to it. */
  recipient(slot: number): Recipient | undefined {
    const form = this.#forms[slot]
    if (!form) return undefined
    const at = this.#registeredAt[slot]!
    return { ...form, row: this.#rows[slot]!, token: this.#tokenOf(slot), tokenAt: Number.isNaN(at) ? null : at }
  }

  /** The recipient as senders need it. */
  at(slot: number): PushRecipient | undefined {
    const form = this.#forms[slot]
    if (!form) return undefined
    const address: PushRecipient = { token: this.#tokenOf(slot) }
    if (form.environment) address.environment = form.environment
    if (form.topic) address.topic = form.topic
    if (form.tokenKeys) address.keys = form.tokenKeys
    if (form.runsIn === 'app') address.isApp = true
    const at = this.#registeredAt[slot]!
    if (!Number.isNaN(at)) address.registeredAt = at
    return address
  }

  /** Gives the memory of the tokens back. Nobody may ask for a recipient afterwards. */
  release(): void {
    this.#memory.giveBack(this.#tokens)
    this.#tokens = NOTHING
  }

  #tokenOf(slot: number): string {
    return this.#tokens.toString(this.#encoding, slot === 0 ? 0 : this.#ends[slot - 1]!, this.#ends[slot])
  }
}

/** Tells whether an install can receive pushes of a platform. */
function canReceive(recipient: Recipient | undefined, platform: number): recipient is Recipient & { token: string } {
  return recipient?.subscribed === true && recipient.token !== null && recipient.platform === platform
}

function formOf({ platform, tokenKeys, environment, topic, subscribed, refusals, runsIn }: Recipient): Form {
  return { platform, tokenKeys, environment, topic, subscribed, refusals, runsIn }
}

/** Tells whether the recipient has this form. Recipients who can receive a page differ neither in platform nor in `subscribed`. */
function isOfForm(recipient: Recipient, form: Form): boolean {
  return (
    recipient.refusals === form.refusals &&
    recipient.topic === form.topic &&
    recipient.environment === form.environment &&
    recipient.tokenKeys === form.tokenKeys &&
    recipient.runsIn === form.runsIn
  )
}
