import type { Outcome, Prepared, PushRecipients, Sender } from '../../gateways/gateway.ts'
import type { Page } from '../record/page-rows.ts'
import type { Editions, SeveralEditions } from './editions.ts'
import type { AttemptKind } from './lane-control.ts'
import type { PageRecord } from './page-record.ts'

/** The messages for the recipients of a page, and the time until which it is sent (ms). */
export interface Sending {
  sender: Sender
  editions: Editions
  expiresAt: number
}

/**
 * A page that is being delivered: how far it is, and the responses that are not recorded yet. It keeps arrays by slot,
 * and nothing for each push.
 */
export class PageWork {
  readonly record: PageRecord
  readonly sending: Sending
  readonly attemptKind: AttemptKind
  /** The responses, by slot. */
  readonly answers: (Outcome | undefined)[]
  /** Recipients in flight: begun on disk, no response yet. */
  inFlight = 0
  /** An outcome for all that are still pending: nobody else is begun. */
  abandon: number | undefined
  /**
   * Set when the rest of the page has to wait, because the notification's rate limit or the lane's retry budget is used
   * up.
   */
  restUntil: number | undefined
  #answered: number[] = []
  /** See `#messagesOf`. */
  #ownMessages: PushRecipients | undefined
  #next = 0
  /** Slot at which the last offer ended. */
  #seen = 0

  constructor(record: PageRecord, sending: Sending) {
    this.record = record
    this.sending = sending
    this.attemptKind = attemptKindOf(record.page)
    this.answers = Array.from({ length: record.recipients.size })
  }

  get size(): number {
    return this.record.recipients.size
  }

  /** Tells whether nobody else may be begun. */
  get isStopped(): boolean {
    return this.record.lost || this.abandon !== undefined || this.restUntil !== undefined
  }

  /** The most recipients that may still be begun. */
  get left(): number {
    return this.isStopped ? 0 : this.size - this.#next
  }

  /** Number of responses that are not recorded yet. */
  get unrecorded(): number {
    return this.#answered.length
  }

  /**
   * The next pending slots, at most `wanted`. Skips recipients that can no longer receive anything. Those that are not
   * taken with `advance` are offered again.
   */
  offer(wanted: number): number[] {
    const found: number[] = []
    if (this.isStopped) return found
    let slot = this.#next
    for (; found.length < wanted && slot < this.size; slot++) {
      if (!this.record.isPending(slot)) continue
      const { recipients } = this.record
      if (!recipients.canReceive(slot)) this.#skip(slot)
      else found.push(slot)
    }
    this.#seen = slot
    return found
  }

  /**
   * The slots of a page that was begun where it was claimed: they are to be sent to now. Those that can receive nothing are skipped.
   */
  takeBegun(): number[] {
    const found: number[] = []
    const { recipients } = this.record
    for (let slot = 0; slot < this.size; slot++) {
      if (!this.record.isBegun(slot)) continue
      if (recipients.canReceive(slot)) found.push(slot)
      else this.#skip(slot)
    }
    this.#next = this.size
    return found
  }

  #skip(slot: number): void {
    const { outcome, words } = this.record.recipients.whyNot(slot)
    this.record.skip(slot, outcome, words)
  }

  /** The first `count` of the offered slots are being begun. */
  advance(offered: readonly number[], count: number): void {
    this.#next = offered[count] ?? this.#seen
  }

  /** Sends to slots that are begun on disk, ascending. */
  send(slots: readonly number[], done: (slot: number, outcome: Outcome) => void): void {
    const { sender, editions } = this.sending
    const { recipients } = this.record
    this.inFlight += slots.length
    if (editions.isSame) return this.#sendRuns(editions.preparedFor(slots[0]!), recipients, slots, done)
    if (sender.ownMessages)
      return this.#sendRuns(editions.preparedFor(slots[0]!), this.#messagesOf(editions), slots, done)
    // One call for all who get the same, wherever they are: a vendor that takes batches gets whole ones.
    for (const some of editions.split(slots)) {
      const view = { at: (i: number) => recipients.at(some[i]!) }
      sender.sendAll(editions.preparedFor(some[0]!), view, 0, some.length, (i, outcome) => done(some[i]!, outcome))
    }
  }

  /** The recipients with the message of each. */
  #messagesOf(editions: SeveralEditions): PushRecipients {
    const { recipients } = this.record
    return (this.#ownMessages ??= {
      at: (slot) => recipients.at(slot),
      messageFor: (slot) => editions.preparedFor(slot),
    })
  }

  /** Sends to neighbouring slots in one call. `prepared`: the message of the first one, which is that of all unless `of` has their own. */
  #sendRuns(
    prepared: Prepared,
    of: PushRecipients,
    slots: readonly number[],
    done: (slot: number, outcome: Outcome) => void,
  ): void {
    for (let i = 0; i < slots.length; ) {
      const from = i
      while (++i < slots.length && slots[i] === slots[i - 1]! + 1);
      this.sending.sender.sendAll(prepared, of, slots[from]!, slots[i - 1]! + 1, done)
    }
  }

  /** Takes note of a response. */
  settle(slot: number, outcome: Outcome): void {
    this.inFlight--
    this.answers[slot] = outcome
    this.#answered.push(slot)
  }

  /** Gives the memory of the page back. Nobody may send to it or ask for a recipient afterwards. */
  release(): void {
    this.record.recipients.release()
    this.sending.editions.release()
  }

  /** The slots with responses that are not recorded yet; from now on they count as recorded. */
  takeAnswered(): readonly number[] {
    const answered = this.#answered
    this.#answered = []
    return answered
  }
}

function attemptKindOf({ attempt, resends, afterCrash }: Page): AttemptKind {
  if (afterCrash) return 'after-crash'
  return attempt > 0 || resends > 0 ? 'retry' : 'first'
}
