import { isDatabaseFault } from '../../../platform/db/unavailable.ts'
import { messageOf } from '../../../platform/errors.ts'
import type { Outcome } from '../../gateways/gateway.ts'
import { SLOT, type SlotName } from '../record/page.ts'
import { STATUS } from '../types.ts'
import type { DeliveryAreas, DeliveryParts, LaneContext } from './delivery-parts.ts'
import { mergeAccepted } from './late-responses.ts'
import type { Changes, PageRecord, Written } from './page-record.ts'
import type { Admission, Rules } from './restraint.repository.ts'

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

/** Further work in the transaction of a turn. */
export type Also = (areas: DeliveryAreas) => Promise<void>

const NOTHING: Turned = { begun: [], cancelled: false, restUntil: undefined }
const RECORD_RETRY_MS = 500
const UNRECORDED = 'outcomes cannot be recorded'
/** A page whose notification has used up its rate limit gives way to others of its lane for this time. */
const RATE_PAUSE_MS = 500

/**
 * Records responses and begins recipients of pages of one notification, in one transaction that also does `also`;
 * retries until the database accepts it. After a failure it begins nobody and leaves `also` out. Closes pages that are
 * finished. Returns one result for each page, in order.
 */
export async function takeTurn(
  parts: DeliveryParts,
  lane: LaneContext,
  turns: readonly PageTurn[],
  also?: Also,
): Promise<Turned[]> {
  const unrecorded = turns.reduce((sum, { answered }) => sum + answered.length, 0)
  const fields = { page: turns[0]?.record.page.id, unrecorded }
  const turned = await untilRecorded(parts, fields, (isFirst) =>
    record(parts, lane, isFirst ? turns : turns.map((turn) => ({ ...turn, toBegin: [] })), isFirst ? also : undefined),
  )
  for (const turn of turns) {
    if (turn.record.lost && turn.answered.length > 0) await untilRecorded(parts, fields, () => mergeLate(parts, turn))
  }
  return turned.map((one, i) => {
    const unsent = turns[i]!.record.takeUnsent(turns[i]!.toBegin)
    return unsent.length === 0 ? one : { ...one, begun: [...one.begun, ...unsent].sort((a, b) => a - b) }
  })
}

/** Repeats `work` until the database accepts it. Responses stay in memory meanwhile. */
async function untilRecorded<T>(
  { log, clock }: DeliveryParts,
  fields: object,
  work: (isFirst: boolean) => Promise<T>,
): Promise<T> {
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
      await areas.ledger.statusOf(record.page.notificationId, true)
      await closePages(areas, lane, [record], now)
    }
  })
}

async function record(
  parts: DeliveryParts,
  lane: LaneContext,
  turns: readonly PageTurn[],
  also: Also | undefined,
): Promise<Turned[]> {
  const kept = turns
    .filter((turn) => !turn.record.lost)
    .map((turn) => ({ turn, judgement: turn.record.judge(turn.answered, turn.answers, lane.control, parts.random) }))
  // In the order of their ids, in which a merge of late responses locks them, too.
  kept.sort((a, b) => a.turn.record.page.id - b.turn.record.page.id)
  const now = parts.clock.now()
  const done = await parts.inTransaction(async (areas) => {
    const done = await writePages(areas, lane, kept, now)
    await also?.(areas)
    return done
  })
  const results = new Map<PageRecord, Turned>()
  for (const { record, changes, written } of done.pages) {
    if (written) {
      count(parts, [record.commit(changes, written)])
      const restUntil = written.held ? now + RATE_PAUSE_MS : undefined
      results.set(record, { begun: written.begun, cancelled: done.cancelled, restUntil })
    } else {
      record.lose()
      parts.log.warn({ page: record.page.id }, 'a page was taken over by another worker')
    }
  }
  return turns.map((turn) => results.get(turn.record) ?? NOTHING)
}

type JudgedTurn = { turn: PageTurn; judgement: Changes['judgement'] }

async function writePages(areas: DeliveryAreas, lane: LaneContext, judged: readonly JudgedTurn[], now: number) {
  const first = judged[0]?.turn.record.page
  if (!first) return { pages: [], cancelled: false }
  const { ledger, restraint } = areas
  const { notificationId } = first
  const beginning = judged.filter(({ turn }) => turn.toBegin.length > 0)
  const rules = beginning.length > 0 ? await restraint.rulesOf(notificationId) : undefined
  const isRated = typeof rules?.perSecond === 'number' && beginning.some(({ turn }) => turn.record.isRestrained)
  // The rate limit is in the notification's row: upgrading a shared lock of it would deadlock with another worker that
  // does the same.
  const mayClose = judged.some(({ turn }) => isLastTurn(turn)) || isRated
  const cancelled = (await ledger.statusOf(notificationId, mayClose)) === STATUS.cancelled
  const admission = await admit(areas, cancelled ? [] : judged, judged, rules, now)
  const pages: { record: PageRecord; changes: Changes; written: Written | undefined }[] = []
  for (const { turn, judgement } of judged) {
    const { record, toBegin } = turn
    const changes: Changes = {
      judgement,
      toBegin,
      rest: cancelled ? SLOT.cancelled : turn.rest,
      admission,
      countedAt: record.isRestrained && rules?.cap ? now : undefined,
      expiresAt: record.page.expiresAt ?? rules?.expiresAt ?? 0,
      mayClose,
    }
    pages.push({ record, changes, written: await record.write(areas, changes, now) })
  }
  const closed = pages.filter(({ written }) => written?.closed).map(({ record }) => record)
  if (closed.length > 0) await closePages(areas, lane, closed, now)
  return { pages, cancelled }
}

/** Whether the turn leaves nobody of its page. */
function isLastTurn({ record, answered, toBegin, rest }: PageTurn): boolean {
  if (toBegin.length > 0) return false
  return record.begun <= answered.length && (rest !== undefined || !record.hasPending)
}

/**
 * Finds the recipients that may be begun; undefined means all. One question for all pages, so that the rows that it locks are
 * locked in ascending order.
 */
async function admit(
  { restraint }: DeliveryAreas,
  beginning: readonly JudgedTurn[],
  judged: readonly JudgedTurn[],
  rules: Rules | undefined,
  now: number,
): Promise<Admission | undefined> {
  const withdrawn = new Map(judged.flatMap(({ turn, judgement }) => turn.record.withdrawn(judgement)))
  if (!rules && withdrawn.size === 0) return undefined
  const open = beginning.map(({ turn }) => turn).filter(({ rest }) => rest === undefined)
  const rowsOf = (turns: readonly PageTurn[]) =>
    turns.flatMap(({ record, toBegin }) => toBegin.map((slot) => record.page.rows[slot]!)).sort((a, b) => a - b)
  const [first, tried] = [true, false].map((isFirst) => open.filter(({ record }) => record.isRestrained === isFirst))
  const [toBegin, again] = [rowsOf(first!), rowsOf(tried!)]
  if (toBegin.length === 0 && again.length === 0 && withdrawn.size === 0) return undefined
  const { page } = judged[0]!.turn.record
  const inForce = rules ?? (await restraint.rulesOf(page.notificationId))
  const others = () => {
    const asked = new Set(toBegin)
    return first!.flatMap(({ record }) => record.pendingRows()).filter((row) => !asked.has(row))
  }
  return inForce && restraint.admit(page, inForce, { toBegin, again, others, withdrawn }, now)
}

/** Completes claims of one notification. Its row must be locked. */
async function closePages(
  areas: DeliveryAreas,
  lane: LaneContext,
  records: readonly PageRecord[],
  now: number,
): Promise<void> {
  await storeLane(areas, lane, now)
  for (const { claim } of records) await areas.queue.complete(claim)
  const { appId, notificationId } = records[0]!.page
  await areas.fanOut.finishIfDone(appId, notificationId)
}

async function storeLane({ gateways }: DeliveryAreas, lane: LaneContext, now: number): Promise<void> {
  const { control, laneId, holds } = lane
  if (control.hold) await gateways.lanes.hold(laneId, control.hold, now)
  else if (holds > 0 && !control.probing) await gateways.lanes.open(laneId, now)
}

/** Responses of a page that another worker has by now. */
async function mergeLate(parts: DeliveryParts, { record, answered, answers }: PageTurn): Promise<void> {
  const rows = answered
    .filter((slot) => answers[slot]!.kind === 'accepted')
    .map((slot) => record.page.rows[slot]!)
    .sort((a, b) => a - b)
  const { merged, ended } =
    rows.length === 0
      ? { merged: 0, ended: [] }
      : await parts.inTransaction(({ ledger }) => mergeAccepted(ledger, record.page, rows, parts.clock.now()))
  count(parts, ended)
  parts.log.warn(
    { page: record.page.id, answers: answered.length, merged },
    'responses came after their page was taken over; accepted recipients that were still waiting are done',
  )
}

function count(parts: DeliveryParts, ended: readonly ReadonlyMap<SlotName, number>[]): void {
  for (const one of ended) for (const [outcome, recipients] of one) parts.count?.(outcome, recipients)
}
