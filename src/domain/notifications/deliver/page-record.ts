import type { Claim } from '../../../platform/queue/queue.ts'
import type { Recipient } from '../../crm/types.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { DEFAULT_LANGUAGE } from '../../personalization/people/readers.ts'
import type { OutcomesWrite } from '../record/claimed-pages.repository.ts'
import type { Failure } from '../record/ledger.repository.ts'
import { endedBetween, SLOT, type SlotName, slotName } from '../record/page.ts'
import type { NewPage, Page } from '../record/page-rows.ts'
import { onlyTry, type Verdict, verdictOf } from '../record/verdict.ts'
import type { LaneContext } from './delivery-parts.ts'
import type { SlotLanguages } from './editions.ts'
import { PageRecipients } from './page-recipients.ts'
import type { Admission } from './restraint.repository.ts'
import { heldPagesOf, retryPagesOf } from './retry-pages.ts'

/** A recipient whose outcome says more than that the gateway accepted it. */
interface Judged {
  slot: number
  recipient: Recipient
  outcome: Outcome
  verdict: Verdict
}

/** Responses of one page, judged. */
export interface Judgement {
  /** Slots that were accepted. */
  accepted: number[]
  /** All others. */
  others: Judged[]
  /** Recipients whose outcome says something about their token. */
  tokens: Pick<Judged, 'recipient' | 'outcome'>[]
  /** So many tokens were refused that our credential is probably wrong. */
  doubted: boolean
}

/** Changes of one page by a transaction. */
export interface Changes {
  judgement: Judgement
  /** Slots to begin, ascending. */
  toBegin: readonly number[]
  /** The outcome of all recipients that are still pending; undefined leaves them pending. */
  rest: number | undefined
  /** Recipients that may be begun, and those that are held; undefined means that all may. */
  admission: Admission | undefined
  /** Time at which the recipients of the page expire (ms). Only read when some are held. */
  expiresAt: number
  /** Time at which the frequency cap counts the begun recipients (ms); undefined when there is no cap. */
  countedAt: number | undefined
  /** True when the transaction may finish the page: it has locked the notification for that. */
  mayClose: boolean
}

/** The changes of a page as they are written; valid once the transaction is committed. */
export interface Written extends OutcomesWrite {
  /** Slots that are begun on disk now. Only these may be sent to. */
  begun: number[]
  /** The rate limit is used up. */
  held: boolean
  /** No recipient is left, and the claim is ended. */
  closed: boolean
  /** Pages for recipients that wait, and the failures to report. They are stored in the same transaction. */
  pages: NewPage[]
  failures: Failure[]
  /** Number of recipients more that are accepted, by language. */
  languages: ReadonlyMap<string, number>
}

const NO_LANGUAGES: ReadonlyMap<string, number> = new Map()

/** Numbers of recipients by the names of their languages, without those that nobody gets. */
function namedCounts({ languages }: SlotLanguages, counts: Uint32Array): ReadonlyMap<string, number> {
  const named = new Map<string, number>()
  for (const [i, language] of languages.entries())
    if (counts[i]! > 0) named.set(language ?? DEFAULT_LANGUAGE, counts[i]!)
  return named
}

const NOTHING: Judgement = { accepted: [], others: [], tokens: [], doubted: false }
const NOBODY = new PageRecipients([], [], 0)

/**
 * A claimed page and its state on disk. `written` is stored by a transaction, which may be run anew or rolled back; `commit`
 * follows when it is committed. Transactions of one page must not run concurrently.
 */
export class PageRecord {
  readonly page: Page
  readonly claim: Claim
  #recipients: PageRecipients
  #oneTry: boolean
  #isQueued: boolean
  #isRated = false
  /** The languages in which slots get the message, where there are several. */
  #languages: SlotLanguages | undefined
  #outcomes: Buffer
  /** The outcomes on disk. `#outcomes` may be ahead of them by recipients skipped since. */
  #recorded: Buffer
  #lost = false
  #closed = false
  /** Slot -> when the frequency cap counted the begun recipient (ms). */
  readonly #countedAt = new Map<number, number>()
  /** Slot -> why a recipient was skipped, until it is on disk. */
  readonly #skipWords = new Map<number, readonly string[]>()
  /** Slots begun by a transaction whose commit got no response: begun on disk, and not yet sent to. */
  readonly #unsent = new Set<number>()

  constructor(claim: Claim, page: Page, recipients = NOBODY, { oneTry = false, isQueued = false } = {}) {
    this.claim = claim
    this.page = page
    this.#recipients = recipients
    this.#oneTry = oneTry
    this.#isQueued = isQueued
    this.#outcomes = page.outcomes
    this.#recorded = Buffer.from(page.outcomes)
  }

  get recipients(): PageRecipients {
    return this.#recipients
  }

  /** The notification was not begun when the page was read. */
  get isQueued(): boolean {
    return this.#isQueued
  }

  /** The notification has a rate limit of its own. */
  get isRated(): boolean {
    return this.#isRated
  }

  /** Each recipient is tried once. */
  get oneTry(): boolean {
    return this.#oneTry
  }

  /** Gets what was read for the delivery of the page. */
  meet(
    recipients: PageRecipients,
    how: { oneTry: boolean; isQueued: boolean; isRated?: boolean; languages?: SlotLanguages | undefined },
  ): void {
    const { oneTry, isQueued, isRated = false, languages } = how
    this.#recipients = recipients
    this.#languages = languages
    this.#oneTry = oneTry
    this.#isRated = isRated
    this.#isQueued = isQueued
  }

  /** Makes recipients pending who are begun on disk and were not sent to: another outcome is written for them. */
  takeBack(): void {
    this.#outcomes = this.#outcomes.map((byte) => (byte === SLOT.begun ? SLOT.pending : byte)) as Buffer
  }

  /**
   * True when another worker took the page over. Responses that still come are merged into the pages where recipients
   * wait.
   */
  get lost(): boolean {
    return this.#lost
  }

  get closed(): boolean {
    return this.#closed
  }

  get hasPending(): boolean {
    return this.#outcomes.includes(SLOT.pending)
  }

  /** Number of recipients that are begun and not recorded. */
  get begun(): number {
    let count = 0
    for (const byte of this.#outcomes) if (byte === SLOT.begun) count++
    return count
  }

  /** Tells whether recipients were skipped that are not yet stored as skipped. */
  get hasUnwritten(): boolean {
    return !this.#outcomes.equals(this.#recorded)
  }

  /** Tells whether restraint judges this page: recipients that were tried before have been judged already. */
  get isRestrained(): boolean {
    return this.page.attempt === 0 && this.page.resends === 0
  }

  isBegun(slot: number): boolean {
    return this.#outcomes[slot] === SLOT.begun
  }

  isPending(slot: number): boolean {
    return this.#outcomes[slot] === SLOT.pending
  }

  /** The install rows that are pending. */
  pendingRows(): number[] {
    return this.page.rows.filter((_, slot) => this.isPending(slot))
  }

  /**
   * Skips a recipient that can receive nothing (`why`: an outcome byte; `words`: more about it, for the report). The next turn writes
   * this to disk.
   */
  skip(slot: number, why: number = SLOT.skipped, words: readonly string[] = []): void {
    this.#outcomes[slot] = why
    if (words.length > 0) this.#skipWords.set(slot, words)
  }

  /** The words for skipped recipients whose outcome is not on disk yet. */
  #skipped(): Failure[] {
    return [...this.#skipWords].flatMap(([slot, words]) => {
      const byte = this.#outcomes[slot]!
      if (byte === this.#recorded[slot]) return []
      return words.map((reason) => ({ row: this.page.rows[slot]!, kind: slotName(byte), reason }))
    })
  }

  /** Tells what the responses (`answers`, by slot) of these slots mean for their recipients. */
  judge(
    slots: readonly number[],
    answers: readonly (Outcome | undefined)[],
    control: LaneContext['control'],
    random: () => number,
  ): Judgement {
    if (slots.length === 0) return NOTHING
    const doubted = control.refusalsDoubted
    const judgement: Judgement = { accepted: [], others: [], tokens: [], doubted }
    for (const slot of slots) {
      const outcome = answers[slot]!
      const isAccepted = outcome.kind === 'accepted'
      if (isAccepted) {
        judgement.accepted.push(slot)
        if (this.#recipients.refusalsOf(slot) === 0 && outcome.environment === undefined) continue
      }
      const recipient = this.#recipients.recipient(slot)!
      if (!isAccepted) {
        const first = this.#verdict(outcome, doubted, control.hold !== null, random())
        const verdict = this.#oneTry ? onlyTry(first, outcome) : first
        judgement.others.push({ slot, recipient, outcome, verdict })
      }
      judgement.tokens.push({ recipient, outcome })
    }
    return judgement
  }

  #verdict(outcome: Outcome, doubted: boolean, isHeld: boolean, random: number): Verdict {
    const refused = outcome.kind === 'token_dead' || outcome.kind === 'token_suspect'
    if (refused && doubted && !outcome.local) return { slot: SLOT.pending }
    // While the whole lane is held, its recipients wait on this page and count no attempt, whatever the response asks
    // for.
    const waits = outcome.kind === 'gateway_down' || outcome.kind === 'throttled_gateway'
    if (waits && isHeld) return { slot: SLOT.pending }
    return verdictOf(outcome, this.page, random)
  }

  /**
   * Recipients that become pending again, because the whole lane has to wait, and when the frequency cap counted them
   * (ms). They got nothing: their count is taken back, and they are judged again later.
   */
  withdrawn({ others }: Judgement): [row: number, countedAt: number][] {
    return others.flatMap(({ slot, recipient, verdict }) => {
      const countedAt = this.#countedAt.get(slot)
      if (countedAt === undefined || verdict.slot !== SLOT.pending || this.#outcomes[slot] !== SLOT.begun) return []
      return [[recipient.row, countedAt] as [number, number]]
    })
  }

  /** The changes as they have to be written now. The caller writes them, adopts the page on disk if it was another, and asks again. */
  written(changes: Changes, now: number): Written {
    const { judgement, mayClose, expiresAt } = changes
    const answered = judgement.others.filter(({ slot }) => this.#outcomes[slot] === SLOT.begun)
    const { outcomes, begun, held, resting } = this.#changed(changes)
    const closed = mayClose && !outcomes.includes(SLOT.pending) && !outcomes.includes(SLOT.begun)
    const pages = answered.length > 0 ? retryPagesOf(this.page, answered, now) : []
    if (resting.size > 0) pages.push(...heldPagesOf(this.page, resting, expiresAt))
    return {
      claim: this.claim,
      before: this.#recorded,
      outcomes,
      begun,
      held,
      closed,
      pages,
      failures: this.#skipWords.size === 0 ? failuresOf(answered) : [...failuresOf(answered), ...this.#skipped()],
      languages: this.#acceptedIn(outcomes),
    }
  }

  /** Number of recipients more that are accepted in these outcomes than on disk, by language; empty where there is only one language. */
  #acceptedIn(outcomes: Buffer): ReadonlyMap<string, number> {
    const languages = this.#languages
    if (!languages) return NO_LANGUAGES
    const counts = new Uint32Array(languages.languages.length)
    for (let slot = 0; slot < outcomes.length; slot++) {
      if (outcomes[slot] === SLOT.accepted && this.#recorded[slot] !== SLOT.accepted)
        counts[languages.languageOf(slot)]!++
    }
    return namedCounts(languages, counts)
  }

  /** The languages in which recipients that were accepted late get the message: `rows` that this page has. */
  languagesOf(rows: ReadonlySet<number>): ReadonlyMap<string, number> {
    const languages = this.#languages
    if (!languages) return NO_LANGUAGES
    const counts = new Uint32Array(languages.languages.length)
    for (const [slot, row] of this.page.rows.entries()) if (rows.has(row)) counts[languages.languageOf(slot)]!++
    return namedCounts(languages, counts)
  }

  /** The outcomes as `changes` would leave them. */
  #changed({
    judgement,
    toBegin,
    rest,
    admission,
  }: Changes): Pick<Written, 'outcomes' | 'begun' | 'held'> & { resting: Map<number, number[]> } {
    const outcomes = Buffer.from(this.#outcomes)
    // A recipient that is no longer begun was settled by a late response to the worker before us.
    for (const slot of judgement.accepted) if (outcomes[slot] === SLOT.begun) outcomes[slot] = SLOT.accepted
    for (const { slot, verdict } of judgement.others) if (outcomes[slot] === SLOT.begun) outcomes[slot] = verdict.slot
    const begun: number[] = []
    let held = false
    for (const slot of rest === undefined ? toBegin : []) {
      if (outcomes[slot] !== SLOT.pending) continue
      const row = this.page.rows[slot]!
      if (admission?.held.has(row)) continue
      const reason = admission?.leftOut.get(row)
      if (reason !== undefined) outcomes[slot] = reason
      else if (admission?.admitted.has(row) === false) held = true
      else {
        outcomes[slot] = SLOT.begun
        begun.push(slot)
      }
    }
    const resting = new Map<number, number[]>()
    if (rest === undefined && admission && admission.held.size > 0) this.#rest(outcomes, admission.held, resting)
    if (rest !== undefined) {
      for (let slot = 0; slot < outcomes.length; slot++) if (outcomes[slot] === SLOT.pending) outcomes[slot] = rest
    }
    return { outcomes, begun, held, resting }
  }

  /**
   * Moves held recipients from the page; `resting` gets their rows by when they may be sent to (ms). Where each recipient is
   * tried once, nobody can wait: they expire.
   */
  #rest(outcomes: Buffer, held: ReadonlyMap<number, number>, resting: Map<number, number[]>): void {
    if (!this.isRestrained) return
    for (const [slot, row] of this.page.rows.entries()) {
      const until = held.get(row)
      if (until === undefined || outcomes[slot] !== SLOT.pending) continue
      outcomes[slot] = this.#oneTry ? SLOT.expired : SLOT.moved
      if (this.#oneTry) continue
      const others = resting.get(until)
      if (others) others.push(row)
      else resting.set(until, [row])
    }
  }

  /**
   * Adopts changes on disk that this object has not made knowingly: late responses, which were counted where they
   * arrived, or its own changes when the response to a commit was lost. Only the owner of a page begins recipients of
   * it.
   */
  adopt(onDisk: Buffer): void {
    onDisk.forEach((byte, slot) => {
      if (byte === this.#recorded[slot]) return
      this.#outcomes[slot] = byte
      if (byte === SLOT.begun) this.#unsent.add(slot)
    })
    this.#recorded = onDisk
  }

  /** The changes are committed. Returns how many recipients got which final outcome. */
  commit({ judgement, countedAt }: Changes, { outcomes, begun, closed }: Written): ReadonlyMap<SlotName, number> {
    const ended = endedBetween(this.#recorded, outcomes)
    if (this.#countedAt.size > 0) {
      for (const slot of judgement.accepted) this.#countedAt.delete(slot)
      for (const { slot } of judgement.others) this.#countedAt.delete(slot)
    }
    if (countedAt !== undefined) for (const slot of begun) this.#countedAt.set(slot, countedAt)
    this.#skipWords.clear()
    this.#outcomes = outcomes
    this.#recorded = Buffer.from(outcomes)
    this.#closed = closed
    return ended
  }

  /** Another worker has the page: it finds the begun recipients, and sends to them again. */
  lose(): void {
    this.#lost = true
    this.#unsent.clear()
  }

  /** Takes the slots of these that an earlier transaction begun, whose commit got no response: they may be sent to now. */
  takeUnsent(slots: readonly number[]): number[] {
    return this.#unsent.size === 0 ? [] : slots.filter((slot) => this.#unsent.delete(slot))
  }
}

function failuresOf(judged: readonly Judged[]): Failure[] {
  return judged.flatMap(({ recipient, outcome, verdict }) => {
    if (outcome.kind === 'accepted' || !isFailure(verdict.slot)) return []
    return [{ row: recipient.row, kind: slotName(verdict.slot), reason: outcome.reason }]
  })
}

/** Tells whether the vendor's words are kept for an outcome: not for recipients that wait, nor for those that expired. */
function isFailure(slot: number): boolean {
  return slot !== SLOT.pending && slot !== SLOT.moved && slot !== SLOT.expired
}
