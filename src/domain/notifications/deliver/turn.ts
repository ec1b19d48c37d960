import { isDatabaseFault } from '../../../platform/db/unavailable.ts'
import { messageOf } from '../../../platform/errors.ts'
import { ascending } from '../../audience/target.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { SLOT, type SlotName } from '../record/page.ts'
import { STATUS } from '../types.ts'
import type { DeliveryAreas, DeliveryParts, LaneContext } from './delivery-parts.ts'
import { mergeAccepted } from './late-responses.ts'
import type { Changes, PageRecord, Written } from './page-record.ts'
import type { Admission, Asked, Rules } from './restraint.repository.ts'
import { rememberToken } from './token-fate.ts'

/** The work of a turn on one page. */
export interface PageTurn {
  record: PageRecord
  /** Slots with a response that is not recorded yet. */
  answered: readonly number[]
  /** The responses, by slot. */
  answers: readonly (Outcome | undefined)[]
  /** Slots to begin, ascending. */
  toBegin: readonly number[]
  /** An outcome for all recipients that are still pending. */
  rest?: number | undefined
  /** The transaction has asked for rules and found none. Absent means false. */
  isFree?: true
}

/** The result for one page. */
export interface Turned {
  /** Slots that are begun on disk now. Only these may be sent to. */
  begun: readonly number[]
  /** The notification was cancelled. */
  cancelled: boolean
  /** Until when (ms) the rest of the page has to wait, because the notification's rate limit is used up. */
  restUntil: number | undefined
}

/** Work in the transaction of a turn, before its own: returns turns of pages that it has claimed and that begin at once. */
export type Also = (areas: DeliveryAreas) => Promise<PageTurn[]>

const NOTHING: Turned = { begun: [], cancelled: false, restUntil: undefined }
const RECORD_RETRY_MS = 500
const UNRECORDED = 'outcomes cannot be recorded'
/** A page whose notification has used up its rate limit gives way to others of its lane for this time. */
const RATE_PAUSE_MS = 500

/**
 * Records responses and begins recipients of pages of a lane, in one transaction that also does `also`; retries until the
 * database accepts it. After a failure it begins nobody, leaves `also` out, and gives each notification a transaction of its own,
 * because what is wrong may be wrong with one of them. Closes pages that are finished. Returns one result for each page, in order, and
 * then those of the pages that `also` has begun.
 */
export async function takeTurn(
  parts: DeliveryParts,
  lane: LaneContext,
  turns: readonly PageTurn[],
  also?: Also,
): Promise<Turned[]> {
  const turned = await recordAll(parts, lane, turns, also)
  for (const turn of turns) {
    if (turn.record.lost && turn.answered.length > 0) await untilRecorded(parts, [turn], () => mergeLate(parts, turn))
  }
  return turned.map((one, i) => {
    const turn = turns[i]
    const unsent = turn ? turn.record.takeUnsent(turn.toBegin) : []
    return unsent.length === 0 ? one : { ...one, begun: ascending([...one.begun, ...unsent]) }
  })
}

async function recordAll(
  parts: DeliveryParts,
  lane: LaneContext,
  turns: readonly PageTurn[],
  also: Also | undefined,
): Promise<Turned[]> {
  const alone = Map.groupBy(turns, ({ record: { page } }) => page.notificationId)
  const results = new Map<PageTurn, Turned>()
  return untilRecorded(parts, turns, async (isFirst) => {
    if (isFirst) return record(parts, lane, turns, also)
    for (const [id, some] of alone) {
      const turned = await record(
        parts,
        lane,
        some.map((turn) => ({ ...turn, toBegin: [] })),
        undefined,
      )
      for (const [i, turn] of some.entries()) results.set(turn, turned[i]!)
      alone.delete(id)
    }
    return turns.map((turn) => results.get(turn)!)
  })
}

/** Repeats `work` until the database accepts it. Responses stay in memory meanwhile. */
async function untilRecorded<T>(
  { log, clock }: DeliveryParts,
  turns: readonly PageTurn[],
  work: (isFirst: boolean) => Promise<T>,
): Promise<T> {
  const unrecorded = turns.reduce((sum, { answered }) => sum + answered.length, 0)
  const fields = { page: turns[0]?.record.page.id, unrecorded }
  let logged: string | undefined
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work(isFirst)
    } catch (error) {
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

/** Gives all pending recipients of a page the same outcome and closes it. No request of it may be in flight. */
export async function endPage(
  parts: DeliveryParts,
  lane: LaneContext,
  record: PageRecord,
  rest: number,
): Promise<void> {
  if (!record.lost && !record.closed)
    await takeTurn(parts, lane, [{ record, answered: [], answers: [], toBegin: [], rest }])
  await leavePage(parts, lane, record)
}

/**
 * Closes a page, or returns the rest of it to the queue, due at `restUntil` (ms) or at once; that counts no failure.
 * Stores the lane's hold. No request of the page may be in flight.
 */
export async function leavePage(
  parts: DeliveryParts,
  lane: LaneContext,
  record: PageRecord,
  restUntil?: number,
): Promise<void> {
  const isOpen = () => !record.lost && !record.closed
  // The last skipped recipients are not on disk yet.
  if (isOpen() && record.hasUnwritten) await takeTurn(parts, lane, [{ record, answered: [], answers: [], toBegin: [] }])
  if (!isOpen()) return
  const now = parts.clock.now()
  await parts.inTransaction(async (areas) => {
    if (record.hasPending) {
      await storeLane(areas, lane, now)
      await areas.queue.retry(record.claim, restUntil)
    } else {
      const { appId, notificationId } = record.page
      await areas.ledger.statusOf(notificationId, true)
      await storeLane(areas, lane, now)
      await areas.queue.complete(record.claim)
      await areas.fanOut.finish(appId, [notificationId])
    }
  })
}

async function record(
  parts: DeliveryParts,
  lane: LaneContext,
  turns: readonly PageTurn[],
  also: Also | undefined,
): Promise<Turned[]> {
  const judge = (turn: PageTurn): JudgedTurn => ({
    turn,
    judgement: turn.record.judge(turn.answered, turn.answers, lane.control, parts.random),
  })
  const kept = turns.filter((turn) => !turn.record.lost).map(judge)
  const now = parts.clock.now()
  let all = turns
  const done = await parts.inTransaction(async (areas) => {
    const further = (await also?.(areas)) ?? []
    all = [...turns, ...further]
    return writePages(areas, lane, [...kept, ...further.map(judge)].sort(byPage), now)
  })
  const results = new Map<PageRecord, Turned>()
  for (const { record, changes, written, cancelled } of done) {
    if (written) {
      count(parts, [record.commit(changes, written)])
      const restUntil = written.held ? now + RATE_PAUSE_MS : undefined
      results.set(record, { begun: written.begun, cancelled, restUntil })
    } else {
      record.lose()
      parts.log.warn({ page: record.page.id }, 'a page was taken over by another worker')
    }
  }
  return all.map((turn) => results.get(turn.record) ?? NOTHING)
}

/** In the order of the pages' ids, in which a merge of late responses locks them, too. */
const byPage = (a: JudgedTurn, b: JudgedTurn) => a.turn.record.page.id - b.turn.record.page.id

type JudgedTurn = { turn: PageTurn; judgement: Changes['judgement'] }

/** A page whose changes were written; without `written` another worker has it. */
interface WrittenPage {
  record: PageRecord
  changes: Changes
  written: Written | undefined
  cancelled: boolean
}

const idOf = ({ turn }: JudgedTurn) => turn.record.page.notificationId

async function writePages(
  areas: DeliveryAreas,
  lane: LaneContext,
  judged: readonly JudgedTurn[],
  now: number,
): Promise<WrittenPage[]> {
  if (judged.length === 0) return []
  const { ledger } = areas
  const beginning = judged.filter(({ turn }) => turn.toBegin.length > 0)
  const asking = beginning.filter(({ turn }) => !turn.isFree)
  // The rate limit is in the notification's row: upgrading a shared lock of it would deadlock with another worker that
  // does the same.
  const locksMore = ({ turn: { record } }: JudgedTurn) => record.isQueued || (record.isRated && record.isRestrained)
  const mayClose = judged.some(({ turn }) => isLastTurn(turn)) || beginning.some(locksMore)
  const { rules, statuses } = await rulesAndStatuses(areas, judged, asking, mayClose)
  const isCancelled = (one: JudgedTurn) => statuses.get(idOf(one)) === STATUS.cancelled
  const admissions = await admit(areas, judged, rules, isCancelled, now)
  const pages = judged.map((one): WrittenPage => {
    const { record, toBegin, rest } = one.turn
    const inForce = rules.get(idOf(one))
    const cancelled = isCancelled(one)
    const changes: Changes = {
      judgement: one.judgement,
      toBegin,
      rest: cancelled ? SLOT.cancelled : rest,
      admission: admissions.get(idOf(one)),
      countedAt: record.isRestrained && inForce?.cap ? now : undefined,
      expiresAt: record.page.expiresAt ?? inForce?.expiresAt ?? 0,
      mayClose,
    }
    return { record, changes, written: undefined, cancelled }
  })
  await writeAll(areas, pages, now)
  const begun = pages.filter(({ written }) => written !== undefined && written.begun.length > 0)
  const ids = ascending(begun.map(({ record }) => record.page.notificationId))
  await ledger.start(
    ids.filter((id) => statuses.get(id) === STATUS.queued),
    now,
  )
  const closed = pages.filter(({ written }) => written?.closed).map(({ record }) => record)
  if (closed.length > 0) {
    await storeLane(areas, lane, now)
    await areas.fanOut.finish(closed[0]!.page.appId, ascending(closed.map(({ page }) => page.notificationId)))
  }
  return pages
}

/** The rules of the notifications of `asking`, and the status of all, which are locked. */
async function rulesAndStatuses(
  { ledger, restraint }: DeliveryAreas,
  judged: readonly JudgedTurn[],
  asking: readonly JudgedTurn[],
  mayClose: boolean,
): Promise<{ rules: ReadonlyMap<number, Rules>; statuses: ReadonlyMap<number, number> }> {
  const ids = ascending(judged.map(idOf))
  if (asking.length === 0) return { rules: NO_RULES, statuses: await ledger.statusesOf(ids, mayClose) }
  const found = await restraint.rulesAndStatusesOf(judged[0]!.turn.record.page.appId, ids, mayClose)
  if (asking.length === judged.length) return found
  const asked = new Set(asking.map(idOf))
  return { rules: new Map([...found.rules].filter(([id]) => asked.has(id))), statuses: found.statuses }
}

const NO_RULES: ReadonlyMap<number, Rules> = new Map()

/** Writes the changes of the pages, and what follows from them. */
async function writeAll(areas: DeliveryAreas, pages: readonly WrittenPage[], now: number): Promise<void> {
  const { ledger, crm } = areas
  for (let left = pages; left.length > 0; ) {
    for (const page of left) page.written = page.record.written(page.changes, now)
    const kept = await ledger.writeAllOutcomes(
      left.map(({ written }) => written!),
      now,
    )
    const stale: WrittenPage[] = []
    for (const page of kept.size === left.length ? [] : left) {
      if (kept.has(page.record.page.id)) continue
      page.written = undefined
      const onDisk = await ledger.claimedPage(page.record.claim)
      if (!onDisk) continue
      page.record.adopt(onDisk.outcomes)
      stale.push(page)
    }
    left = stale
  }
  const written = pages.filter((page) => page.written !== undefined)
  await ledger.insertPages(
    written.flatMap((page) => page.written!.pages),
    now,
  )
  const failing = written.filter((page) => page.written!.failures.length > 0)
  for (const { record, written: { failures } = NO_FAILURES } of failing.toSorted(byNotification))
    await ledger.insertFailures(record.page, failures, now)
  await countLanguages(areas, written)
  const tokens = written.flatMap(({ record, changes: { judgement } }) =>
    judgement.tokens.map((token) => ({ ...token, appId: record.page.appId, doubted: judgement.doubted })),
  )
  // In the order of their rows, so that two transactions cannot deadlock.
  if (tokens.length > 1) tokens.sort((a, b) => a.recipient.row - b.recipient.row)
  for (const { appId, recipient, outcome, doubted } of tokens)
    await rememberToken(crm, appId, recipient, outcome, doubted)
}

/** Adds recipients that were accepted to the counts of their languages: at once for all pages of a notification. */
async function countLanguages({ ledger }: DeliveryAreas, pages: readonly WrittenPage[]): Promise<void> {
  const speaking = pages.filter(({ written }) => written!.languages.size > 0).toSorted(byNotification)
  for (const some of Map.groupBy(speaking, ({ record }) => record.page.notificationId).values()) {
    const accepted = new Map<string, number>()
    for (const { written } of some)
      for (const [language, count] of written!.languages) accepted.set(language, (accepted.get(language) ?? 0) + count)
    await ledger.countLanguages(some[0]!.record.page, { accepted })
  }
}

const NO_FAILURES = { failures: [] }
const byNotification = (a: WrittenPage, b: WrittenPage) => a.record.page.notificationId - b.record.page.notificationId

/** Tells whether the turn leaves nobody of its page. */
function isLastTurn({ record, answered, toBegin, rest }: PageTurn): boolean {
  if (toBegin.length > 0) return false
  return record.begun <= answered.length && (rest !== undefined || !record.hasPending)
}

/**
 * Finds the recipients that may be begun, by notification; one that is missing may begin all. One question for all pages, so that
 * the rows that it locks are locked in ascending order.
 */
async function admit(
  { restraint }: DeliveryAreas,
  judged: readonly JudgedTurn[],
  rules: ReadonlyMap<number, Rules>,
  isCancelled: (one: JudgedTurn) => boolean,
  now: number,
): Promise<Map<number, Admission>> {
  const { appId } = judged[0]!.turn.record.page
  const asked: Asked[] = []
  for (const [notificationId, some] of Map.groupBy(judged, idOf)) {
    const withdrawn = new Map(some.flatMap(({ turn, judgement }) => turn.record.withdrawn(judgement)))
    if (!rules.has(notificationId) && withdrawn.size === 0) continue
    const open = some.filter((one) => one.turn.rest === undefined && !isCancelled(one)).map(({ turn }) => turn)
    const [first, tried] = [true, false].map((isFirst) => open.filter(({ record }) => record.isRestrained === isFirst))
    const [toBegin, again] = [rowsToBegin(first!), rowsToBegin(tried!)]
    if (toBegin.length === 0 && again.length === 0 && withdrawn.size === 0) continue
    const inForce = rules.get(notificationId) ?? (await restraint.rulesOf(appId, [notificationId])).get(notificationId)
    if (!inForce) continue
    const others = () => {
      const beginning = new Set(toBegin)
      return first!.flatMap(({ record }) => record.pendingRows()).filter((row) => !beginning.has(row))
    }
    asked.push({ notificationId, rules: inForce, toBegin, again, others, withdrawn })
  }
  if (asked.length === 0) return new Map()
  const admissions = await restraint.admit(appId, asked, now)
  return new Map(asked.map(({ notificationId }, i) => [notificationId, admissions[i]!]))
}

const rowsToBegin = (turns: readonly PageTurn[]) =>
  ascending(turns.flatMap(({ record, toBegin }) => toBegin.map((slot) => record.page.rows[slot]!)))

async function storeLane({ gateways }: DeliveryAreas, lane: LaneContext, now: number): Promise<void> {
  const { control, laneId, holds } = lane
  if (control.hold) await gateways.lanes.hold(laneId, control.hold, now)
  else if (holds > 0 && !control.probing) await gateways.lanes.open(laneId, now)
}

/** Responses of a page that another worker has by now. */
async function mergeLate(parts: DeliveryParts, { record, answered, answers }: PageTurn): Promise<void> {
  const accepted = answered.filter((slot) => answers[slot]!.kind === 'accepted')
  const rows = ascending(accepted.map((slot) => record.page.rows[slot]!))
  const { merged, ended } =
    rows.length === 0
      ? { merged: 0, ended: [] }
      : await parts.inTransaction(({ ledger }) => mergeAccepted(ledger, record, rows, parts.clock.now()))
  count(parts, ended)
  parts.log.warn(
    { page: record.page.id, answers: answered.length, merged },
    'responses came after their page was taken over; accepted recipients that were still waiting are done',
  )
}

function count(parts: DeliveryParts, ended: readonly ReadonlyMap<SlotName, number>[]): void {
  for (const one of ended) for (const [outcome, recipients] of one) parts.count?.(outcome, recipients)
}
