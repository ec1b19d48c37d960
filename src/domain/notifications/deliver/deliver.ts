import { failpoint } from '../../../platform/failpoints.ts'
import type { Claim } from '../../../platform/queue/queue.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Outcome, Prepared, PushRecipient, Sender } from '../../gateways/gateway.ts'
import type { Page } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import { PageRecord, type Settled, type ToBegin } from '../record/page-record.ts'
import { STATUS, type StoredContent } from '../types.ts'
import type { DeliveryParts, LaneContext } from './delivery-parts.ts'
import type { AttemptKind } from './lane-control.ts'

/** Outcomes are recorded after this time at the latest. */
const FLUSH_MS = 100

/**
 * Delivers one claimed page, until all its recipients are done, its lane is held or `signal` aborts. It works in turns:
 * one transaction records the outcomes that came in and marks the next recipients as begun. A recipient is sent to only
 * after that mark is committed, so a crash leaves at most two chunks in doubt. Returns when no request of the page is
 * in flight.
 */
export async function deliverPage(
  parts: DeliveryParts,
  claim: Claim,
  lane: LaneContext,
  signal: AbortSignal,
): Promise<void> {
  const page = await parts.read.ledger.claimedPage(claim)
  if (!page) return
  const message = await parts.read.ledger.message(page.notificationId)
  const record = new PageRecord(parts, claim, page, lane)
  const expiresAt = page.expiresAt ?? message?.expiresAt ?? 0
  const end = !message || message.status === STATUS.cancelled ? SLOT.cancelled : SLOT.expired
  if (end === SLOT.cancelled || parts.clock.now() >= expiresAt) return record.end(end)
  if (!lane.sender) return record.end(SLOT.no_gateway)
  const recipients = await parts.read.crm.deliveryRecipients(page.appId, page.rows)
  const prepared = lane.sender.prepare({
    content: { ...(message.content as StoredContent), notificationId: page.notificationId },
    expiresAt,
    replacementKey: `n${page.notificationId}`,
  })
  const work = new PageWork(parts, record, lane, {
    sender: lane.sender,
    prepared,
    recipients: new Map(recipients.map((r) => [r.row, r])),
    expiresAt,
  })
  await work.run(signal)
}

/** The message, its recipients, and when it expires (ms). */
interface Sending {
  sender: Sender
  prepared: Prepared
  recipients: Map<number, Recipient>
  expiresAt: number
}

class PageWork {
  readonly #parts: DeliveryParts
  readonly #record: PageRecord
  readonly #lane: LaneContext
  readonly #sending: Sending
  readonly #attemptKind: AttemptKind
  #settled: Settled[] = []
  /** Recipients in flight: begun on disk, no response yet. */
  #begun = 0
  #next = 0
  #abandon: number | undefined
  /**
   * Set when the rest of the page has to wait, because the notification's rate limit or the lane's retry budget is used
   * up.
   */
  #restUntil: number | undefined
  #notify: () => void = () => {}

  constructor(parts: DeliveryParts, record: PageRecord, lane: LaneContext, sending: Sending) {
    this.#parts = parts
    this.#record = record
    this.#lane = lane
    this.#sending = sending
    this.#attemptKind = attemptKindOf(record.page)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, chunk } = this.#parts
    const { control } = this.#lane
    const size = this.#record.page.rows.length
    let timeIsUp = false
    for (;;) {
      if (this.#abandon === undefined && clock.now() >= this.#sending.expiresAt) this.#abandon = SLOT.expired
      const stopping =
        signal.aborted ||
        this.#record.lost ||
        this.#abandon !== undefined ||
        control.hold !== null ||
        this.#restUntil !== undefined
      const more = !stopping && this.#next < size
      if (!more && this.#begun === 0 && this.#settled.length === 0) break

      // At most two chunks are begun and not recorded. A turn waits until it can record or begin a whole chunk.
      const free = 2 * chunk - this.#begun
      // While the credential is unproven, responses are judged together: they may show that it is wrong.
      const isUnproven = this.#settled.length > 0 && control.hold === null && control.isUnproven(clock.now())
      const due =
        this.#begun === 0 || this.#settled.length >= chunk || (!isUnproven && (timeIsUp || (more && free >= chunk)))
      if (due) {
        const toBegin = more ? this.#takeNext(Math.min(free, chunk, size - this.#next)) : []
        if (toBegin.length > 0 || this.#settled.length > 0) {
          await this.#turn(toBegin)
          timeIsUp = false
          continue
        }
        if (more && (this.#next >= size || this.#restUntil !== undefined)) continue
      }
      timeIsUp = await this.#somethingHappens(control.waitMs(clock.now()))
    }
    if (this.#abandon !== undefined) await this.#record.end(this.#abandon)
    else await this.#record.leave(this.#restUntil)
    failpoint('deliver.recorded')
  }

  /** The next pending recipients that the lane allows. Skips recipients that can no longer receive anything. */
  #takeNext(wanted: number): ToBegin[] {
    const { page } = this.#record
    const { control, platform } = this.#lane
    const found: ToBegin[] = []
    let next = this.#next
    for (; found.length < wanted && next < page.rows.length; next++) {
      if (!this.#record.isPending(next)) continue
      const recipient = this.#sending.recipients.get(page.rows[next]!)
      if (canReceive(recipient, platform)) found.push({ slot: next, recipient })
      else this.#record.skip(next)
    }
    const now = this.#parts.clock.now()
    const count = found.length > 0 ? control.allowance(found.length, this.#begun, now, this.#attemptKind) : 0
    // The next turn starts with the first recipient that the lane did not allow.
    this.#next = found[count]?.slot ?? next
    if (count < found.length && this.#attemptKind === 'retry') this.#restForBudget(now)
    return found.slice(0, count)
  }

  /** A page of retries that exceeds the budget gives way to other pages, whose first attempts earn retries. */
  #restForBudget(now: number): void {
    const waitMs = this.#lane.control.retryWaitMs(this.#record.page.rows.length - this.#next, now)
    if (waitMs > 0) this.#restUntil = Math.min(now + waitMs, this.#sending.expiresAt)
  }

  async #turn(toBegin: ToBegin[]): Promise<void> {
    const settled = this.#settled.splice(0)
    if (settled.length > 0) failpoint('deliver.answered')
    const { begun, cancelled, restUntil } = await this.#record.turn(settled, toBegin, this.#abandon)
    if (cancelled) this.#abandon = SLOT.cancelled
    this.#restUntil ??= restUntil
    this.#begun += begun.length
    if (begun.length > 0) failpoint('deliver.begun')
    for (const { slot, recipient } of begun) void this.#send(slot, recipient)
  }

  async #send(slot: number, recipient: Recipient): Promise<void> {
    const { sender, prepared } = this.#sending
    const { control } = this.#lane
    const address: PushRecipient = { token: recipient.token! }
    if (recipient.environment) address.environment = recipient.environment
    if (recipient.topic) address.topic = recipient.topic
    if (recipient.tokenKeys) address.keys = recipient.tokenKeys
    if (recipient.tokenAt !== null) address.registeredAt = recipient.tokenAt
    let outcome: Outcome
    try {
      outcome = await sender.send(prepared, address)
    } catch (error) {
      // A sender should never throw. If it does, it may have sent.
      this.#parts.log.error({ err: error, page: this.#record.page.id }, 'a sender failed unexpectedly')
      outcome = { kind: 'uncertain', reason: 'internal error of the sender' }
    }
    this.#begun--
    this.#settled.push({ slot, recipient, outcome })
    control.note(outcome, this.#parts.clock.now(), this.#parts.random())
    if (outcome.kind === 'payload_error' && outcome.everyone) this.#abandon = SLOT.payload_error
    if (this.#settled.length >= this.#parts.chunk || this.#begun === 0 || control.hold) this.#notify()
  }

  /**
   * Resolves to false when a chunk of responses is in or nothing is in flight, to true when it is time to record what
   * there is.
   */
  #somethingHappens(limitedForMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (timeIsUp: boolean) => {
        clearTimeout(timer)
        this.#notify = () => {}
        resolve(timeIsUp)
      }
      const timer = setTimeout(done, limitedForMs > 0 ? Math.min(limitedForMs, FLUSH_MS) : FLUSH_MS, true)
      this.#notify = () => done(false)
    })
  }
}

function attemptKindOf({ attempt, resends, afterCrash }: Page): AttemptKind {
  if (afterCrash) return 'after-crash'
  return attempt > 0 || resends > 0 ? 'retry' : 'first'
}

function canReceive(recipient: Recipient | undefined, platform: number): recipient is Recipient {
  return recipient?.subscribed === true && recipient.token !== null && recipient.platform === platform
}
