import type { Clock } from '../../platform/clock.ts'
import { failpoint } from '../../platform/failpoints.ts'
import type { Log } from '../../platform/log.ts'
import type { Claim, Queue } from '../../platform/queue/queue.ts'
import type { Outcome, Prepared, PushRecipient, Sender } from '../gateways/gateway.ts'
import type { LanesRepository } from '../gateways/lanes.repository.ts'
import type { Dispatch } from './dispatch.ts'
import type { LaneControl } from './lane-control.ts'
import type { Failure, Ledger, Page } from './ledger.repository.ts'
import { endedBetween, SLOT, type SlotName, slotName } from './page.ts'
import type { Restrainer } from './restraint.repository.ts'
import { STATUS, type StoredContent } from './types.ts'
import { type Tries, uncertainVerdict, type Verdict, verdictOf } from './verdict.ts'

/** An install as a sender needs it. */
export interface Recipient {
  row: number
  platform: number | null
  token: string | null
  environment: 'production' | 'sandbox' | null
  topic: string | null
  subscribed: boolean
  tokenAt: number | null
  refusals: number
}

/** What deliveries do to installs; the CRM area provides it. */
export interface RecipientStore {
  deliveryRecipients(appId: number, rows: number[]): Promise<Recipient[]>
  retireToken(appId: number, row: number, token: string, reason: string): Promise<void>
  /** Counts one more refusal of a token; returns how many there were since it was last accepted. */
  countRefusal(appId: number, row: number, token: string): Promise<number>
  clearRefusals(appId: number, row: number): Promise<void>
  rememberEnvironment(appId: number, row: number, token: string, environment: 'production' | 'sandbox'): Promise<void>
}

export interface DeliveryAreas {
  ledger: Ledger
  queue: Queue
  crm: RecipientStore
  dispatch: Dispatch
  gateways: { lanes: LanesRepository }
  restraint: Restrainer
}

export interface DeliveryParts {
  read: DeliveryAreas
  inTransaction<T>(work: (areas: DeliveryAreas) => Promise<T>): Promise<T>
  clock: Clock
  log: Log
  /** Recipients begun in one transaction; twice as many may be on their way. */
  chunk: number
  /** Hears, after the commit, of recipients who came to an end. */
  count?(outcome: SlotName, recipients: number): void
  leaseMs: number
  random: () => number
}

/** A lane's sender and what is known of its health, in the memory of one thread. */
export interface LaneContext {
  laneId: number
  platform: number
  sender: Sender | undefined
  control: LaneControl
  /** How often in a row the lane had been held when the page was claimed. */
  holds: number
}

/** A token refused so often on separate notifications is retired (gateway-facts 0.2). */
const REFUSALS_BEFORE_RETIRING = 3
/** Outcomes wait at most so long to be recorded. */
const FLUSH_MS = 100
const RECORD_RETRY_MS = 500
/** A page whose notification has used up its rate limit makes room in its lane for so long. */
const RATE_PAUSE_MS = 500

interface ToBegin {
  slot: number
  recipient: Recipient
}

interface Settled {
  slot: number
  recipient: Recipient
  outcome: Outcome
}

/**
 * Works one claimed page to its end, or until its lane is held or `signal` aborts. Turn of the crank: one transaction records
 * the outcomes that came in and begins the next recipients, so that a crash can leave at most two chunks in doubt. Nothing is
 * sent that was not begun on disk. Returns when nothing of the page is under way any more.
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
  const work = new PageWork(parts, claim, page, lane)
  if (!message || message.status === STATUS.cancelled) return work.settleRest(SLOT.cancelled)
  const expiresAt = page.expiresAt ?? message.expiresAt
  if (parts.clock.now() >= expiresAt) return work.settleRest(SLOT.expired)
  if (!lane.sender) return work.settleRest(SLOT.no_gateway)
  const recipients = await parts.read.crm.deliveryRecipients(page.appId, page.rows)
  const prepared = lane.sender.prepare({
    content: { ...(message.content as StoredContent), notificationId: page.notificationId },
    expiresAt,
    replacementKey: `n${page.notificationId}`,
  })
  await work.run(lane.sender, prepared, new Map(recipients.map((r) => [r.row, r])), expiresAt, signal)
}

class PageWork {
  readonly #parts: DeliveryParts
  readonly #claim: Claim
  readonly #page: Page
  readonly #lane: LaneContext
  #outcomes: Buffer
  /** What stands on disk. `#outcomes` runs ahead of it by those who were left out since. */
  #recorded: Buffer
  #settled: Settled[] = []
  /** Recipients on their way: begun on disk, no answer yet. */
  #begun = 0
  #next = 0
  /** True when outcomes changed that no turn has written yet. */
  #untold = false
  #lost = false
  #abandon: number | undefined
  /** Set when the notification's rate limit is used up: the rest of the page waits until then. */
  #restUntil: number | undefined
  #notify: () => void = () => {}

  constructor(parts: DeliveryParts, claim: Claim, page: Page, lane: LaneContext) {
    this.#parts = parts
    this.#claim = claim
    this.#page = page
    this.#lane = lane
    this.#outcomes = page.outcomes
    this.#recorded = Buffer.from(page.outcomes)
  }

  /** Gives every recipient that is still waiting the same end, and closes the page. */
  async settleRest(slot: number): Promise<void> {
    this.#abandon = slot
    await this.#turn([])
    await this.#leave()
  }

  async run(
    sender: Sender,
    prepared: Prepared,
    recipients: Map<number, Recipient>,
    expiresAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, chunk } = this.#parts
    const control = this.#lane.control
    let timeIsUp = false
    for (;;) {
      if (this.#abandon === undefined && clock.now() >= expiresAt) this.#abandon = SLOT.expired
      const stopping =
        signal.aborted ||
        this.#lost ||
        this.#abandon !== undefined ||
        control.hold !== null ||
        this.#restUntil !== undefined
      const more = !stopping && this.#next < this.#page.rows.length
      if (!more && this.#begun === 0 && this.#settled.length === 0) break

      // What is begun and not yet recorded never exceeds two chunks; a turn waits for a chunk's worth of either.
      const free = 2 * chunk - this.#begun
      const due = timeIsUp || this.#begun === 0 || this.#settled.length >= chunk || (more && free >= chunk)
      if (due) {
        const allowed = more ? control.allowance(Math.min(free, chunk), this.#begun, clock.now()) : 0
        const toBegin = this.#takeNext(allowed, recipients)
        if (toBegin.length > 0 || this.#settled.length > 0) {
          if (this.#settled.length > 0) failpoint('deliver.answered')
          const begun = await this.#turn(toBegin)
          if (begun.length > 0) failpoint('deliver.begun')
          for (const { slot, recipient } of begun) void this.#send(sender, prepared, slot, recipient)
          timeIsUp = false
          continue
        }
        if (more && this.#next >= this.#page.rows.length) continue
      }
      timeIsUp = await this.#somethingHappens(control.waitMs(clock.now()))
    }
    if (this.#untold || this.#abandon !== undefined) await this.#turn([])
    failpoint('deliver.recorded')
    await this.#leave()
  }

  /** The next `count` waiting recipients; those that cannot get anything any more are skipped on the way. */
  #takeNext(count: number, recipients: Map<number, Recipient>): { slot: number; recipient: Recipient }[] {
    const taken: { slot: number; recipient: Recipient }[] = []
    while (taken.length < count && this.#next < this.#page.rows.length) {
      const slot = this.#next++
      if (this.#outcomes[slot] !== SLOT.pending) continue
      const recipient = recipients.get(this.#page.rows[slot]!)
      if (canReceive(recipient, this.#lane.platform)) taken.push({ slot, recipient })
      else {
        this.#outcomes[slot] = SLOT.skipped
        this.#untold = true
      }
    }
    return taken
  }

  async #send(sender: Sender, prepared: Prepared, slot: number, recipient: Recipient): Promise<void> {
    const address: PushRecipient = { token: recipient.token! }
    if (recipient.environment) address.environment = recipient.environment
    if (recipient.topic) address.topic = recipient.topic
    let outcome: Outcome
    try {
      outcome = await sender.send(prepared, address)
    } catch (error) {
      // A sender never throws; one that does anyway may have sent.
      this.#parts.log.error({ err: error, page: this.#page.id }, 'a sender failed unexpectedly')
      outcome = { kind: 'uncertain', reason: 'internal error of the sender' }
    }
    this.#begun--
    this.#settled.push({ slot, recipient, outcome })
    this.#lane.control.note(outcome, this.#parts.clock.now(), this.#parts.random())
    if (outcome.kind === 'payload_error' && outcome.everyone) this.#abandon = SLOT.payload_error
    if (this.#settled.length >= this.#parts.chunk || this.#begun === 0 || this.#lane.control.hold) this.#notify()
  }

  /** Resolves false when a chunk of answers is in or nothing is under way, true when it is time to record what there is. */
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

  /** Records what came in and begins `toBegin`, in one transaction; tries again until the database takes it. Returns what was begun. */
  async #turn<T extends ToBegin>(toBegin: T[]): Promise<T[]> {
    const { log, clock } = this.#parts
    const settled = this.#settled.splice(0)
    for (;;) {
      try {
        return await this.#record(settled, toBegin)
      } catch (error) {
        // Nothing is sent that cannot be recorded: answers stay in memory, and nobody else is begun meanwhile.
        log.error({ err: error, page: this.#page.id, unrecorded: settled.length }, 'outcomes cannot be recorded')
        await clock.sleep(RECORD_RETRY_MS)
        toBegin = []
      }
    }
  }

  async #record<T extends ToBegin>(settled: Settled[], toBegin: T[]): Promise<T[]> {
    const { inTransaction, clock, random } = this.#parts
    const doubted = this.#lane.control.refusalsDoubted
    const judged = settled.map((one) => ({ ...one, verdict: this.#judge(one, doubted, random()) }))
    const result = await inTransaction(async ({ ledger, crm, restraint }) => {
      const now = clock.now()
      const outcomes = Buffer.from(this.#outcomes)
      for (const { slot, verdict } of judged) outcomes[slot] = verdict.slot
      const cancelled = (await ledger.statusOf(this.#page.notificationId)) === STATUS.cancelled
      const rest = cancelled ? SLOT.cancelled : this.#abandon
      if (rest !== undefined) outcomes.forEach((byte, slot) => byte === SLOT.pending && outcomes.writeUInt8(rest, slot))
      const admission = rest === undefined ? await this.#admit(restraint, toBegin, now) : undefined
      for (const { slot, recipient } of toBegin) {
        const suppression = admission?.suppressed.get(recipient.row)
        if (suppression !== undefined) outcomes[slot] = suppression
      }
      const begin =
        rest === undefined ? toBegin.filter(({ recipient }) => admission?.admitted.has(recipient.row) !== false) : []
      const held = begin.length + (admission?.suppressed.size ?? 0) < toBegin.length && rest === undefined
      for (const { slot } of begin) outcomes[slot] = SLOT.begun
      if (!(await ledger.writeOutcomes(this.#claim, outcomes, now))) return undefined
      await insertRetryPages(ledger, this.#page, judged, now)
      await ledger.insertFailures(this.#page, failuresOf(judged), now)
      for (const one of judged) await this.#rememberTokens(crm, one, doubted)
      return { outcomes, begin, cancelled, restUntil: held ? now + RATE_PAUSE_MS : undefined }
    })
    if (!result) {
      this.#lost = true
      this.#parts.log.warn({ page: this.#page.id, dropped: judged.length }, 'a page was taken over by another worker')
      return []
    }
    for (const [outcome, recipients] of endedBetween(this.#recorded, result.outcomes)) {
      this.#parts.count?.(outcome, recipients)
    }
    this.#outcomes = result.outcomes
    this.#recorded = Buffer.from(result.outcomes)
    this.#untold = false
    if (result.cancelled) this.#abandon = SLOT.cancelled
    this.#restUntil ??= result.restUntil
    this.#begun += result.begin.length
    return result.begin
  }

  /** Who of the recipients may be begun; undefined means all. A recipient that was tried before was admitted then. */
  async #admit(restraint: Restrainer, toBegin: readonly ToBegin[], now: number) {
    const { appId, notificationId, attempt, resends } = this.#page
    if (toBegin.length === 0 || attempt > 0 || resends > 0) return undefined
    return restraint.admit(
      appId,
      notificationId,
      toBegin.map(({ recipient }) => recipient.row),
      now,
    )
  }

  #judge({ outcome }: Settled, doubted: boolean, random: number): Verdict {
    const refused = outcome.kind === 'token_dead' || outcome.kind === 'token_suspect'
    if (refused && doubted) return { slot: SLOT.pending }
    // While the whole lane is down its recipients wait in place, uncounted.
    if (outcome.kind === 'gateway_down' && this.#lane.control.hold) return { slot: SLOT.pending }
    return verdictOf(outcome, this.#page, random)
  }

  async #rememberTokens(crm: RecipientStore, { recipient, outcome }: Settled, doubted: boolean): Promise<void> {
    const { appId } = this.#page
    const { row, token } = recipient
    if (outcome.kind === 'accepted') {
      if (recipient.refusals > 0) await crm.clearRefusals(appId, row)
      if (outcome.environment) await crm.rememberEnvironment(appId, row, token!, outcome.environment)
    } else if (doubted) return
    else if (outcome.kind === 'token_dead') {
      // APNs says when the token died; a device that registered again since then keeps its new one.
      const registeredSince = outcome.since !== undefined && (recipient.tokenAt ?? 0) > outcome.since
      if (!registeredSince) await crm.retireToken(appId, row, token!, outcome.reason)
    } else if (outcome.kind === 'token_suspect') {
      const refusals = await crm.countRefusal(appId, row, token!)
      if (refusals >= REFUSALS_BEFORE_RETIRING) await crm.retireToken(appId, row, token!, outcome.reason)
    }
  }

  /** Closes the page, or gives back what is left of it; stores the lane's hold. */
  async #leave(): Promise<void> {
    if (this.#lost) return
    const { inTransaction, clock } = this.#parts
    const { control, laneId } = this.#lane
    const left = this.#outcomes.includes(SLOT.pending)
    await inTransaction(async ({ queue, dispatch, gateways }) => {
      const now = clock.now()
      if (control.hold) await gateways.lanes.hold(laneId, control.hold, now)
      else if (this.#lane.holds > 0 && !control.probing) await gateways.lanes.open(laneId, now)
      if (left) await queue.retry(this.#claim, this.#restUntil ?? now)
      else {
        await queue.complete(this.#claim)
        await dispatch.finishIfDone(this.#page.appId, this.#page.notificationId)
      }
    })
  }
}

function canReceive(recipient: Recipient | undefined, platform: number): recipient is Recipient {
  return recipient?.subscribed === true && recipient.token !== null && recipient.platform === platform
}

type Judged = Settled & { verdict: Verdict }

function failuresOf(judged: Judged[]): Failure[] {
  return judged.flatMap(({ recipient, outcome, verdict }) => {
    if (outcome.kind === 'accepted' || verdict.slot === SLOT.pending || verdict.slot === SLOT.moved) return []
    return [{ row: recipient.row, kind: slotName(verdict.slot), reason: outcome.reason }]
  })
}

/** Recipients that must wait go on in pages of their own: same wait, same number of tries. */
async function insertRetryPages(ledger: Ledger, page: Page, judged: Judged[], now: number): Promise<void> {
  const groups = new Map<string, { rows: number[]; afterMs: number; tries: Tries }>()
  for (const { recipient, verdict } of judged) {
    if (!('retry' in verdict)) continue
    const { afterMs, ...tries } = verdict.retry
    // Nobody goes before the time that was asked for; jitter is shared by those who fell out together.
    const key = `${tries.attempt} ${tries.resends}`
    const group = groups.get(key)
    if (!group) groups.set(key, { rows: [recipient.row], afterMs, tries })
    else {
      group.rows.push(recipient.row)
      group.afterMs = Math.max(group.afterMs, afterMs)
    }
  }
  for (const { rows, afterMs, tries } of groups.values()) {
    const { appId, notificationId, laneId, expiresAt } = page
    rows.sort((a, b) => a - b)
    await ledger.insertPage(
      { appId, notificationId, laneId: laneId!, rows, notBefore: now + afterMs, expiresAt, ...tries },
      now,
    )
  }
}

/**
 * Takes back the pages that a dead worker had: whoever was begun may or may not have got the message and is sent again with
 * the same replacement key (at most twice); everybody else just goes on waiting. `claim` is one page whose work failed here,
 * which then rests for `restMs`. Returns how many pages.
 */
export async function recoverPages(
  parts: Pick<DeliveryParts, 'inTransaction' | 'clock' | 'random' | 'log'>,
  whose?: { all: true } | { name: string } | { claim: Claim; restMs: number },
): Promise<number> {
  if (whose && 'claim' in whose) {
    await parts.inTransaction((areas) => recoverPage(parts, areas, whose.claim, whose.restMs))
    return 1
  }
  let recovered = 0
  for (;;) {
    const count = await parts.inTransaction(async ({ queue, ledger, dispatch }) => {
      const claims = await queue.orphans(20, whose)
      for (const claim of claims) await recoverPage(parts, { queue, ledger, dispatch }, claim)
      return claims.length
    })
    recovered += count
    if (count === 0) break
  }
  if (recovered > 0) parts.log.info({ pages: recovered }, 'took back the pages of a worker that ended')
  return recovered
}

async function recoverPage(
  { clock, random }: Pick<DeliveryParts, 'clock' | 'random'>,
  { queue, ledger, dispatch }: Pick<DeliveryAreas, 'queue' | 'ledger' | 'dispatch'>,
  claim: Claim,
  restMs = 0,
): Promise<void> {
  const page = await ledger.claimedPage(claim)
  if (!page) return
  const now = clock.now()
  const verdict = uncertainVerdict(page, random())
  const begun = page.rows.filter((_, slot) => page.outcomes[slot] === SLOT.begun)
  page.outcomes.forEach((byte, slot) => byte === SLOT.begun && page.outcomes.writeUInt8(verdict.slot, slot))
  await ledger.writeOutcomes(claim, page.outcomes, now)
  if ('retry' in verdict && begun.length > 0) {
    const { afterMs, ...tries } = verdict.retry
    const { appId, notificationId, laneId, expiresAt } = page
    await ledger.insertPage(
      { appId, notificationId, laneId: laneId!, rows: begun, notBefore: now + afterMs, expiresAt, ...tries },
      now,
    )
  } else {
    const reason = 'a worker ended while it was sending'
    await ledger.insertFailures(
      page,
      begun.map((row) => ({ row, kind: 'unknown', reason })),
      now,
    )
  }
  if (page.outcomes.includes(SLOT.pending)) await queue.retry(claim, now + restMs)
  else {
    await queue.complete(claim)
    await dispatch.finishIfDone(page.appId, page.notificationId)
  }
}
