import { setTimeout } from 'node:timers/promises'
import { failpoint } from '../../../platform/process/failpoints.ts'
import type { Claim, Most } from '../../../platform/queue/queue.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { SMALL_PAGE } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'
import { beginClaimed } from './begin-claimed.ts'
import { Bell } from './bell.ts'
import { createChunkSize } from './chunk-size.ts'
import type { DeliveryAreas, DeliveryParts, LaneContext } from './delivery-parts.ts'
import { type LaneState, mostToBegin, mostToClaim, nextStep, type Since } from './lane-step.ts'
import type { BegunPages } from './open-pages.ts'
import type { PageRecord } from './page-record.ts'
import type { PageWork } from './page-work.ts'
import { endPage, leavePage, type PageTurn, takeTurn } from './turn.ts'

/** Outcomes are recorded after this time at the latest. */
const FLUSH_MS = 100
/**
 * Turns about few recipients are taken at most so often (ms). What comes meanwhile shares their commit, of which the flush alone
 * costs as much as five sends.
 */
const GATHER_MS = 2
/** Recipients of a lane whose pages are claimed at a time, in the memory of one thread. */
const MAX_RECIPIENTS = 12_000

/** Source of the pages of a run. */
export interface PageSource {
  /**
   * Claims the next due pages of the lane in the transaction of `areas`; none when there is none, or when no more
   * pages of this lane may be begun now. It reads through `areas` only: other connections may wait for this transaction.
   */
  claim(areas: DeliveryAreas, most: Most): Promise<Claim[]>
  /** Called when a claim is committed, so that its lease is extended. */
  keep(claim: Claim): void
  /** Reads claimed pages for delivery; those of which nothing is left to be sent are missing. `begun`: those that are begun. */
  open(claims: readonly Claim[], begun: BegunPages): Promise<PageWork[]>
  /** The page needs no lease any more. */
  drop(claim: Claim): void
  /** Returns a page whose delivery failed to the queue. */
  putBack(claim: Claim, error: unknown): Promise<void>
  /** Gets a function to call when pages of the lane are due that nobody has claimed. */
  listen?(moreIsDue: () => void): void
  /** Maximum number of recipients on its pages; absent means the default. */
  maxRecipients?: number
}

/**
 * Delivers pages of one lane, beginning with one claimed page, until none is due, the lane is held or `signal` aborts.
 * It works in turns: one transaction records the outcomes that came in, marks the next recipients as begun, and claims
 * the next pages, which are read while the present ones are sent. A recipient is sent to only after its mark is
 * committed, so a crash leaves at most two chunks in doubt. Resolves when no request of the lane is in flight and every
 * page is closed or returned.
 */
export async function deliverLane(
  parts: DeliveryParts,
  lane: LaneContext,
  source: PageSource,
  first: Claim,
  signal: AbortSignal,
): Promise<void> {
  await new LaneRun(parts, lane, source, signal).run(first)
}

class LaneRun {
  readonly #parts: DeliveryParts
  readonly #lane: LaneContext
  readonly #source: PageSource
  readonly #signal: AbortSignal
  readonly #chunk: ReturnType<typeof createChunkSize>
  /** In the order in which they were claimed. */
  readonly #pages = new Set<PageWork>()
  /** Notifications that no recipient can get. */
  readonly #hopeless = new Set<number>()
  /** Claimed pages that are being read. */
  readonly #opening = new Set<Claim>()
  #opened: Promise<void> = Promise.resolve()
  /** Recipients in flight, of all pages. */
  #inFlight = 0
  /** Recipients that were begun where their pages were claimed, while these are being read. */
  #begunUnread = 0
  /** Responses that are not recorded yet, of all pages. */
  #unrecorded = 0
  /** Request whose response is timed, and the time at which it was made (ms). */
  #timed: { page: PageWork; slot: number; at: number } | undefined
  /** Time at which the last turn began (`performance.now()`). */
  #turnedAt = Number.NEGATIVE_INFINITY
  /** Pages that are due and for which there is room, as far as the run knows. */
  #supply: LaneState['supply'] = 'unknown'
  /** Rung when a chunk of responses is in, nothing is in flight, the lane is held, a page was read or pages are due. */
  readonly #bell = new Bell()

  constructor(parts: DeliveryParts, lane: LaneContext, source: PageSource, signal: AbortSignal) {
    this.#parts = parts
    this.#lane = lane
    this.#source = source
    this.#signal = signal
    this.#chunk = createChunkSize(parts.chunk)
    source.listen?.(() => {
      if (!this.#claimsWanted()) return
      this.#supply = 'due'
      this.#bell.ring()
    })
  }

  async run(first: Claim): Promise<void> {
    try {
      this.#open([first])
      await this.#opened
      await this.#deliver()
    } catch (error) {
      await this.#opened
      for (const { record } of this.#pages) {
        await this.#source.putBack(record.claim, error)
        this.#source.drop(record.claim)
      }
    }
  }

  async #deliver(): Promise<void> {
    let since: Since = 'event'
    for (;;) {
      // An idle turn did nothing, so what rang before it is still news.
      if (since !== 'idle turn') {
        this.#bell.silence()
        await this.#endPages()
      }
      const step = nextStep(this.#state(since))
      if (step === 'end') return
      const restMs = step === 'turn' ? this.#restMs() : 0
      if (restMs > 0) {
        await setTimeout(restMs)
        since = 'event'
        continue
      }
      if (step === 'turn') since = (await this.#turn()) ? 'event' : 'idle turn'
      else if (step === 'claim') since = await this.#claim()
      else since = await this.#wait()
    }
  }

  #state(since: Since): LaneState {
    const { control } = this.#lane
    const isInQuestion = control.hold === null && control.isInQuestion(this.#parts.clock.now())
    return {
      pages: this.#pages.size + this.#opening.size,
      left: this.#left(),
      inFlight: this.#inFlight,
      unrecorded: this.#unrecorded,
      chunk: this.#chunk.size,
      credential: isInQuestion ? 'in question' : 'settled',
      supply: this.#supply,
      since,
    }
  }

  /** Time (ms) for which a turn waits for others to come along: none when it is about many recipients. */
  #restMs(): number {
    if (this.#isStopping || this.#left() + this.#unrecorded >= this.#chunk.size) return 0
    return GATHER_MS - (performance.now() - this.#turnedAt)
  }

  async #claim(): Promise<Since> {
    this.#supply = 'unknown'
    await this.#takeTurn([], this.#claimsWanted(), this.#mostToBegin(this.#unrecorded))
    return 'event'
  }

  async #wait(): Promise<Since> {
    const limitedForMs = this.#lane.control.waitMs(this.#parts.clock.now())
    return this.#bell.wait(limitedForMs > 0 ? Math.min(limitedForMs, FLUSH_MS) : FLUSH_MS)
  }

  /** Nobody else may be begun on this lane now. */
  get #isStopping(): boolean {
    return this.#signal.aborted || this.#lane.control.hold !== null
  }

  /** Number of recipients of the pages that may still be begun. */
  #left(): number {
    if (this.#isStopping) return 0
    let left = 0
    for (const page of this.#pages) left += page.left
    return left
  }

  /** Closes pages of which nothing is left, and returns pages to the queue that have to wait. */
  async #endPages(): Promise<void> {
    const now = this.#parts.clock.now()
    for (const page of this.#pages) {
      if (page.abandon === undefined && now >= page.sending.expiresAt) page.abandon = SLOT.expired
      if (page.inFlight > 0 || page.unrecorded > 0 || (page.left > 0 && !this.#isStopping)) continue
      if (page.abandon !== undefined) await endPage(this.#parts, this.#lane, page.record, page.abandon)
      else await leavePage(this.#parts, this.#lane, page.record, page.restUntil)
      this.#pages.delete(page)
      page.release()
      this.#source.drop(page.record.claim)
      failpoint('deliver.recorded')
    }
  }

  /**
   * Records what came in and begins the next recipients: in one transaction for all small pages, and one for each notification with
   * large ones, whose row others must not wait for. Returns false when there was nothing to do.
   */
  async #turn(): Promise<boolean> {
    const turns = new Map<number, { page: PageWork; turn: PageTurn }[]>()
    // Of several transactions, the last one's responses are recorded after the recipients of the first are begun.
    const isOne = this.#takesOneTurn
    const wanted = this.#mostToBegin(isOne ? 0 : this.#unrecorded)
    let begun = 0
    let moved = false
    for (const page of isOne ? this.#pages : [...this.#pages].sort(bySize)) {
      const before = page.left
      const toBegin = this.#take(page, wanted - begun, begun)
      if (page.left !== before) moved = true
      begun += toBegin.length
      if (toBegin.length === 0 && page.unrecorded === 0) continue
      const { record, answers, abandon: rest } = page
      const turn = { record, answered: page.takeAnswered(), answers, toBegin, rest }
      this.#unrecorded -= turn.answered.length
      const group = groupOf(page)
      const others = turns.get(group)
      if (others) others.push({ page, turn })
      else turns.set(group, [{ page, turn }])
    }
    let mayClaim = true
    for (const [group, some] of turns) {
      const room = group === SMALL ? wanted - begun : 0
      await this.#takeTurn(some, mayClaim ? this.#claimsWanted() : undefined, room)
      mayClaim = false
    }
    return moved || turns.size > 0
  }

  /**
   * Number of recipients that a transaction may begin. `unrecorded`: the responses that it does not record, whose recipients are still
   * begun on disk.
   */
  #mostToBegin(unrecorded: number): number {
    return mostToBegin({ inFlight: this.#inFlight + this.#begunUnread + unrecorded, chunk: this.#chunk.size })
  }

  /** Tells whether a turn of all pages is one transaction. */
  get #takesOneTurn(): boolean {
    let first: number | undefined
    for (const page of this.#pages) {
      const group = groupOf(page)
      first ??= group
      if (group !== first) return false
    }
    return true
  }

  /** The next recipients of a page that the lane allows. `more`: how many others are being begun in the same turn. */
  #take(page: PageWork, wanted: number, more: number): number[] {
    if (wanted <= 0 || page.left === 0 || this.#isStopping) return []
    const { control } = this.#lane
    const now = this.#parts.clock.now()
    const offered = page.offer(wanted)
    const count =
      offered.length > 0 ? control.allowance(offered.length, this.#inFlight + more, now, page.attemptKind) : 0
    page.advance(offered, count)
    // A page of retries that exceeds the budget gives way to other pages, whose first attempts earn retries.
    if (count < offered.length && page.attemptKind === 'retry') {
      const waitMs = control.retryWaitMs(page.left, now)
      if (waitMs > 0) page.restUntil = Math.min(now + waitMs, page.sending.expiresAt)
    }
    return offered.slice(0, count)
  }

  /** Claims at most `most` in the same transaction, and begins at most `room` recipients of small pages among them. */
  async #takeTurn(
    some: readonly { page: PageWork; turn: PageTurn }[],
    most: Most | undefined,
    room: number,
  ): Promise<void> {
    this.#turnedAt = performance.now()
    const turns = some.map(({ turn }) => turn)
    const answered = turns.reduce((sum, turn) => sum + turn.answered.length, 0)
    if (answered > 0) {
      failpoint('deliver.answered')
      this.#chunk.noteAnswers(answered, this.#parts.clock.monotonic())
    }
    let claimed: Claim[] = []
    let further: PageTurn[] = []
    const results = await takeTurn(this.#parts, this.#lane, turns, async (areas) => {
      claimed = most ? await this.#source.claim(areas, most) : []
      further = room > 0 && this.#lane.sender ? await beginClaimed(areas, claimed, this.#taker(room)) : []
      return further
    })
    if (results.some(({ begun }) => begun.length > 0)) failpoint('deliver.begun')
    for (const [i, { page }] of some.entries()) {
      const { begun, cancelled, restUntil } = results[i]!
      if (cancelled) page.abandon = SLOT.cancelled
      page.restUntil ??= restUntil
      if (begun.length > 0) this.#send(page, begun)
    }
    const begun = new Map<number, PageRecord>()
    const isOver = new Set<Claim>()
    // Absent when the transaction failed, and with it the claims.
    for (const [i, { record }] of results.length > some.length ? further.entries() : []) {
      if (results[some.length + i]!.begun.length > 0) begun.set(record.claim.id, record)
      else if (record.closed) isOver.add(record.claim)
    }
    this.#open(
      claimed.filter((claim) => !isOver.has(claim)),
      begun,
    )
  }

  /** Takes whole small pages, as far as `room` and the lane allow. */
  #taker(room: number): (recipients: number) => number {
    let left = room
    return (recipients) => {
      if (recipients > SMALL_PAGE || recipients > left) return 0
      const inFlight = this.#inFlight + this.#begunUnread + room - left
      left -= recipients
      return this.#lane.control.allowance(recipients, inFlight, this.#parts.clock.now())
    }
  }

  /** The most to claim now; undefined for nothing. While a lane is on trial it has one page, because the others would have to be returned. */
  #claimsWanted(): Most | undefined {
    const { control } = this.#lane
    if (this.#isStopping || control.probing || control.isUnproven(this.#parts.clock.now())) return undefined
    if (this.#opening.size > 0) return undefined
    const { maxRecipients = MAX_RECIPIENTS } = this.#source
    let recipients = 0
    for (const { size } of this.#pages) recipients += size
    return mostToClaim({
      pages: this.#pages.size,
      recipients,
      maxRecipients,
      left: this.#left(),
      chunk: this.#chunk.size,
    })
  }

  /** Reads claimed pages, while the present ones are sent. */
  #open(claims: readonly Claim[], begun: BegunPages = new Map()): void {
    if (claims.length === 0) return
    for (const record of begun.values()) this.#begunUnread += record.begun
    for (const claim of claims) {
      failpoint('deliver.claimed')
      this.#source.keep(claim)
      this.#opening.add(claim)
    }
    this.#opened = this.#opened.then(() => this.#openAll(claims, begun))
  }

  /** Never rejects. */
  async #openAll(claims: readonly Claim[], begun: BegunPages): Promise<void> {
    let unread = 0
    for (const record of begun.values()) unread += record.begun
    try {
      this.#add(await this.#source.open(claims, begun), claims, begun)
    } catch {
      // One of them cannot be read, and the others must not wait for it.
      for (const claim of claims) await this.#openOne(claim, begun)
    }
    this.#begunUnread -= unread
    for (const claim of claims) this.#opening.delete(claim)
    this.#bell.ring()
  }

  /** Never rejects. */
  async #openOne(claim: Claim, begun: BegunPages): Promise<void> {
    try {
      this.#add(await this.#source.open([claim], begun), [claim], begun)
    } catch (error) {
      await this.#source.putBack(claim, error)
      this.#source.drop(claim)
    }
  }

  #add(pages: readonly PageWork[], claims: readonly Claim[], begun: BegunPages): void {
    const opened = new Set(pages.map(({ record }) => record.claim))
    for (const claim of claims) if (!opened.has(claim)) this.#source.drop(claim)
    for (const page of pages) {
      const { record } = page
      this.#pages.add(page)
      if (this.#hopeless.has(record.page.notificationId)) {
        record.takeBack()
        page.abandon = SLOT.payload_error
      } else if (begun.has(record.claim.id)) {
        const slots = page.takeBegun()
        if (slots.length > 0) this.#send(page, slots)
      }
    }
  }

  #send(page: PageWork, slots: readonly number[]): void {
    this.#inFlight += slots.length
    this.#timed ??= { page, slot: slots[0]!, at: this.#parts.clock.monotonic() }
    page.send(slots, (slot, outcome) => this.#settle(page, slot, outcome))
  }

  #settle(page: PageWork, slot: number, outcome: Outcome): void {
    const { clock, random } = this.#parts
    const { control } = this.#lane
    page.settle(slot, outcome)
    this.#inFlight--
    this.#unrecorded++
    control.note(outcome, clock.now(), random())
    if (this.#timed?.slot === slot && this.#timed.page === page) {
      this.#chunk.noteRoundTrip(clock.monotonic() - this.#timed.at)
      this.#timed = undefined
    }
    // Where texts differ, what a vendor says of one message holds for that one.
    if (outcome.kind === 'payload_error' && outcome.everyone && page.sending.editions.isSame)
      this.#giveUp(page.record.page.notificationId)
    if (this.#unrecorded >= this.#chunk.size || this.#inFlight === 0 || control.hold) this.#bell.ring()
  }

  /** No recipient can get the message: the rest of its pages is not tried. */
  #giveUp(notificationId: number): void {
    this.#hopeless.add(notificationId)
    for (const page of this.#pages) {
      if (page.record.page.notificationId === notificationId) page.abandon ??= SLOT.payload_error
    }
  }
}

/** Small pages before large ones, whose recipients are many and can wait for one; otherwise in their order. */
const bySize = (a: PageWork, b: PageWork) => Number(a.size > SMALL_PAGE) - Number(b.size > SMALL_PAGE)

/** The group of small pages. No notification has this number. */
const SMALL = 0

/** Pages with the same number share a transaction. */
function groupOf({ size, record }: PageWork): number {
  return size <= SMALL_PAGE ? SMALL : record.page.notificationId
}
