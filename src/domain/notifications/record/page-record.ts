import { isDatabaseFault } from '../../../platform/db/unavailable.ts'
import { messageOf } from '../../../platform/errors.ts'
import type { Claim } from '../../../platform/queue/queue.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import type { DeliveryAreas, DeliveryParts, LaneContext } from '../deliver/delivery-parts.ts'
import type { Admission, Rules } from '../deliver/restraint.repository.ts'
import { rememberToken } from '../deliver/token-fate.ts'
import { type Verdict, verdictOf } from '../deliver/verdict.ts'
import { STATUS } from '../types.ts'
import { mergeAccepted } from './late-responses.ts'
import type { Failure, Page } from './ledger.repository.ts'
import { endedBetween, SLOT, type SlotName, slotName } from './page.ts'
import { insertRetryPages } from './retry-pages.ts'

/** A recipient to send to. `slot` is its place on the page. */
export interface ToBegin {
  slot: number
  recipient: Recipient
}

/** A recipient with the gateway's response. */
export interface Settled extends ToBegin {
  outcome: Outcome
}

type Judged = Settled & { verdict: Verdict }

/** The result of a turn. */
export interface Turn {
  /** The recipients that are begun on disk now. Only these may be sent to. */
  begun: ToBegin[]
  /** The notification was cancelled. */
  cancelled: boolean
  /** Until when (ms) the rest of the page has to wait, because the notification's rate limit is used up. */
  restUntil: number | undefined
}

/** A turn, and the state on disk after it. */
interface Written extends Turn {
  outcomes: Buffer
  closed: boolean
  /** When the frequency cap counted the begun recipients (ms); undefined when there is no cap. */
  countedAt: number | undefined
}

const NOTHING: Turn = { begun: [], cancelled: false, restUntil: undefined }
const RECORD_RETRY_MS = 500
const UNRECORDED = 'outcomes cannot be recorded'
/** A page whose notification has used up its rate limit gives way to others of its lane for this time. */
const RATE_PAUSE_MS = 500

/** A claimed page and its state on disk. Turns must not run concurrently. */
export class PageRecord {
  readonly page: Page
  readonly #parts: DeliveryParts
  readonly #claim: Claim
  readonly #lane: LaneContext
  #outcomes: Buffer
  /** The outcomes on disk. `#outcomes` may be ahead of them by recipients skipped since. */
  #recorded: Buffer
  #lost = false
  #closed = false
  /** Slot -> when the frequency cap counted the begun recipient (ms). */
  readonly #countedAt = new Map<number, number>()
  /** Slots begun by a transaction whose commit got no response: begun on disk, and not yet sent to. */
  readonly #unsent = new Set<number>()

  constructor(parts: DeliveryParts, claim: Claim, page: Page, lane: LaneContext) {
    this.page = page
    this.#parts = parts
    this.#claim = claim
    this.#lane = lane
    this.#outcomes = page.outcomes
    this.#recorded = Buffer.from(page.outcomes)
  }

  /**
   * Whether another worker took the page over. Responses that still come are merged into the pages where recipients
   * wait.
   */
  get lost(): boolean {
    return this.#lost
  }

  isPending(slot: number): boolean {
    return this.#outcomes[slot] === SLOT.pending
  }

  /** Skips a recipient that can no longer receive anything. The next turn writes this to disk. */
  skip(slot: number): void {
    this.#outcomes[slot] = SLOT.skipped
  }

  /**
   * Records the responses in `settled` and begins `toBegin`, in one transaction; retries until the database accepts it.
   * `rest` is an outcome for all recipients that are still pending. Closes the page when none is left.
   */
  async turn(settled: readonly Settled[], toBegin: readonly ToBegin[], rest?: number): Promise<Turn> {
    const { log, clock } = this.#parts
    let logged: string | undefined
    for (let begin = toBegin; ; begin = []) {
      try {
        const turn = await this.#record(settled, begin, rest)
        const unsent = toBegin.filter(({ slot }) => this.#unsent.delete(slot))
        return { ...turn, begun: [...turn.begun, ...unsent] }
      } catch (error) {
        // Responses stay in memory, and no more recipients are begun until this can be recorded.
        const fields = { page: this.page.id, unrecorded: settled.length }
        const message = messageOf(error)
        // Log each error once: a disk that is full for an hour would otherwise cause two lines a second.
        if (message !== logged) {
          // A database that cannot be used is also reported as a fault of the process.
          if (isDatabaseFault(error)) log.warn({ ...fields, error: message }, UNRECORDED)
          else log.error({ ...fields, err: error }, UNRECORDED)
        }
        logged = message
        await clock.sleep(RECORD_RETRY_MS)
      }
    }
  }

  /** Gives all pending recipients the same outcome and closes the page. No request of it may be in flight. */
  async end(slot: number): Promise<void> {
    if (!this.#lost && !this.#closed) await this.turn([], [], slot)
    await this.leave()
  }

  /**
   * Closes the page, or returns the rest of it to the queue, due at `restUntil` (ms) or at once. Stores the lane's
   * hold.
   */
  async leave(restUntil?: number): Promise<void> {
    // The last skipped recipients are not on disk yet.
    if (!this.#lost && !this.#closed && !this.#outcomes.equals(this.#recorded)) await this.turn([], [])
    if (this.#lost || this.#closed) return
    const { inTransaction, clock } = this.#parts
    const left = this.#outcomes.includes(SLOT.pending)
    await inTransaction(async (areas) => {
      if (left) {
        await this.#storeLane(areas)
        await areas.queue.retry(this.#claim, restUntil ?? clock.now())
      } else {
        await areas.ledger.statusOf(this.page.notificationId, true)
        await this.#close(areas)
      }
    })
  }

  async #record(settled: readonly Settled[], toBegin: readonly ToBegin[], rest: number | undefined): Promise<Turn> {
    if (this.#lost) {
      this.#unsent.clear()
      await this.#mergeLate(settled)
      return NOTHING
    }
    const { inTransaction, random } = this.#parts
    const doubted = this.#lane.control.refusalsDoubted
    const judged = settled.map((one) => ({ ...one, verdict: this.#judge(one, doubted, random()) }))
    const turn = await inTransaction((areas) => this.#write(areas, judged, toBegin, rest, doubted))
    if (!turn) {
      this.#lost = true
      // The worker that has the page now finds them begun and sends to them again.
      this.#unsent.clear()
      this.#parts.log.warn({ page: this.page.id }, 'a page was taken over by another worker')
      await this.#mergeLate(settled)
      return NOTHING
    }
    this.#count([endedBetween(this.#recorded, turn.outcomes)])
    for (const { slot } of judged) this.#countedAt.delete(slot)
    if (turn.countedAt !== undefined) for (const { slot } of turn.begun) this.#countedAt.set(slot, turn.countedAt)
    this.#outcomes = turn.outcomes
    this.#recorded = Buffer.from(turn.outcomes)
    this.#closed = turn.closed
    return turn
  }

  /** Undefined when another worker took the page over. */
  async #write(
    areas: DeliveryAreas,
    judged: readonly Judged[],
    toBegin: readonly ToBegin[],
    restWanted: number | undefined,
    doubted: boolean,
  ): Promise<Written | undefined> {
    const { ledger, crm } = areas
    const now = this.#parts.clock.now()
    const { notificationId } = this.page
    const rules = this.#isJudged && toBegin.length > 0 ? await areas.restraint.rulesOf(notificationId) : undefined
    // The rate limit is in the notification's row: upgrading a shared lock of it would deadlock with another worker
    // that does the same.
    const alone = toBegin.length === 0 || typeof rules?.perSecond === 'number'
    const cancelled = (await ledger.statusOf(notificationId, alone)) === STATUS.cancelled
    const rest = cancelled ? SLOT.cancelled : restWanted
    const candidates = rest === undefined ? toBegin : []
    const admission = await this.#admit(areas, candidates, judged, rules, now)
    for (;;) {
      const outcomes = Buffer.from(this.#outcomes)
      // A recipient that is no longer begun was settled by a late response to the worker before us.
      const answered = judged.filter(({ slot }) => outcomes[slot] === SLOT.begun)
      for (const { slot, verdict } of answered) outcomes[slot] = verdict.slot
      if (rest !== undefined) outcomes.forEach((byte, slot) => byte === SLOT.pending && outcomes.writeUInt8(rest, slot))
      const begun: ToBegin[] = []
      let held = false
      for (const one of candidates) {
        if (outcomes[one.slot] !== SLOT.pending) continue
        const suppression = admission?.suppressed.get(one.recipient.row)
        if (suppression !== undefined) outcomes[one.slot] = suppression
        else if (admission?.admitted.has(one.recipient.row) === false) held = true
        else {
          outcomes[one.slot] = SLOT.begun
          begun.push(one)
        }
      }
      if (!(await ledger.writeOutcomes(this.#claim, this.#recorded, outcomes, now))) {
        const onDisk = await ledger.claimedPage(this.#claim)
        if (!onDisk) return undefined
        this.#adopt(onDisk.outcomes)
        continue
      }
      await insertRetryPages(ledger, this.page, answered, now)
      await ledger.insertFailures(this.page, failuresOf(answered), now)
      for (const { recipient, outcome } of judged)
        await rememberToken(crm, this.page.appId, recipient, outcome, doubted)
      const closed = alone && !outcomes.includes(SLOT.pending) && !outcomes.includes(SLOT.begun)
      if (closed) await this.#close(areas)
      const restUntil = held ? now + RATE_PAUSE_MS : undefined
      return { outcomes, begun, cancelled, closed, restUntil, countedAt: rules?.cap ? now : undefined }
    }
  }

  /**
   * Adopts changes on disk that this object has not made knowingly: late responses, which were counted where they
   * arrived, or its own changes when the response to a commit was lost. Only the owner of a page begins recipients of
   * it.
   */
  #adopt(onDisk: Buffer): void {
    onDisk.forEach((byte, slot) => {
      if (byte === this.#recorded[slot]) return
      this.#outcomes[slot] = byte
      if (byte === SLOT.begun) this.#unsent.add(slot)
    })
    this.#recorded = onDisk
  }

  /** Whether restraint judges this page: recipients that were tried before have been judged already. */
  get #isJudged(): boolean {
    return this.page.attempt === 0 && this.page.resends === 0
  }

  /**
   * Which recipients may be begun; undefined means all. Recipients that become pending again, because the whole lane
   * has to wait, got nothing: their count is taken back, and they are judged again later.
   */
  async #admit(
    { restraint }: DeliveryAreas,
    toBegin: readonly ToBegin[],
    judged: readonly Judged[],
    rules: Rules | undefined,
    now: number,
  ): Promise<Admission | undefined> {
    const withdrawn = new Map<number, number>()
    for (const { slot, recipient, verdict } of judged) {
      const countedAt = this.#countedAt.get(slot)
      if (countedAt === undefined || verdict.slot !== SLOT.pending || this.#outcomes[slot] !== SLOT.begun) continue
      withdrawn.set(recipient.row, countedAt)
    }
    if (withdrawn.size === 0 && (!rules || toBegin.length === 0)) return undefined
    const inForce = rules ?? (await restraint.rulesOf(this.page.notificationId))
    const asked = { toBegin: toBegin.map(({ recipient }) => recipient.row), withdrawn }
    return inForce && restraint.admit(this.page, inForce, asked, now)
  }

  #judge({ outcome }: Settled, doubted: boolean, random: number): Verdict {
    const refused = outcome.kind === 'token_dead' || outcome.kind === 'token_suspect'
    if (refused && doubted && !outcome.local) return { slot: SLOT.pending }
    // While the whole lane is held, its recipients wait on this page and count no attempt, whatever the response asks
    // for.
    const waits = outcome.kind === 'gateway_down' || outcome.kind === 'throttled_gateway'
    if (waits && this.#lane.control.hold) return { slot: SLOT.pending }
    return verdictOf(outcome, this.page, random)
  }

  async #close(areas: DeliveryAreas): Promise<void> {
    await this.#storeLane(areas)
    await areas.queue.complete(this.#claim)
    await areas.fanOut.finishIfDone(this.page.appId, this.page.notificationId)
  }

  async #storeLane({ gateways }: DeliveryAreas): Promise<void> {
    const { control, laneId, holds } = this.#lane
    const now = this.#parts.clock.now()
    if (control.hold) await gateways.lanes.hold(laneId, control.hold, now)
    else if (holds > 0 && !control.probing) await gateways.lanes.open(laneId, now)
  }

  async #mergeLate(settled: readonly Settled[]): Promise<void> {
    const { inTransaction, clock, log } = this.#parts
    const rows = settled.flatMap(({ recipient, outcome }) => (outcome.kind === 'accepted' ? [recipient.row] : []))
    const { merged, ended } =
      rows.length === 0
        ? { merged: 0, ended: [] }
        : await inTransaction(({ ledger }) => mergeAccepted(ledger, this.page, rows, clock.now()))
    this.#count(ended)
    if (settled.length > 0) {
      const late = { page: this.page.id, answers: settled.length, merged }
      log.warn(
        late,
        'responses came after their page was taken over; accepted recipients that were still waiting are done',
      )
    }
  }

  #count(ended: readonly Map<SlotName, number>[]): void {
    for (const one of ended) for (const [outcome, recipients] of one) this.#parts.count?.(outcome, recipients)
  }
}

function failuresOf(judged: readonly Judged[]): Failure[] {
  return judged.flatMap(({ recipient, outcome, verdict }) => {
    if (outcome.kind === 'accepted' || verdict.slot === SLOT.pending || verdict.slot === SLOT.moved) return []
    return [{ row: recipient.row, kind: slotName(verdict.slot), reason: outcome.reason }]
  })
}
