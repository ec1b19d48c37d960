import { setImmediate } from 'node:timers/promises'
import { SLOT, tally, unpackRows } from '../record/page.ts'
import { STATUS } from '../types.ts'
import type { Counted, CountedPage, conservationRepository } from './conservation.repository.ts'

/** A notification whose recipients do not add up, and in what way, as the end of a sentence. */
export interface Imbalance {
  id: number
  appId: number
  what: string
}

/** What was added up. `complete` is false when time or room ran out before the last notification. */
export interface Conservation {
  notifications: number
  recipients: number
  imbalances: Imbalance[]
  complete: boolean
}

export interface ConservationOptions {
  /** Notifications of all apps that were accepted last. */
  newest: number
  /** Open notifications, the oldest. */
  open: number
  /** No further notification is begun after so many recipients. */
  recipients: number
  /** Only this app's. */
  appId?: number | undefined
  signal: AbortSignal
}

/** Pages read by one statement: some hundred thousand recipients, a few hundred kilobytes. */
const PAGES_AT_ONCE = 200
/** Pages that are added up before others have a turn; a page has about a thousand recipients. */
const PAGES_A_TURN = 10

/**
 * Adds up the recipients of the newest and the open notifications (docs/reference/promises.md): what a page counts must be what its
 * recipients' outcomes are, a page that is done must have an outcome for everybody, and whoever was moved to a retry page
 * must be on exactly one page that counts.
 */
export function conservation(repo: ReturnType<typeof conservationRepository>) {
  return async ({ newest, open, recipients, appId, signal }: ConservationOptions): Promise<Conservation> => {
    const some = [...(await repo.open(open)), ...(await repo.newest(newest))]
    const chosen = [...new Map(some.map((one) => [one.id, one])).values()].filter(
      (one) => appId === undefined || one.appId === appId,
    )
    const result: Conservation = { notifications: 0, recipients: 0, imbalances: [], complete: true }
    for (const notification of chosen) {
      if (signal.aborted || result.recipients >= recipients) return { ...result, complete: false }
      const { audience, wrong } = await addUp(repo, notification)
      result.notifications++
      result.recipients += audience
      if (wrong.length > 0) {
        result.imbalances.push({ id: notification.id, appId: notification.appId, what: wrong.join(' and ') })
      }
    }
    return result
  }
}

async function addUp(
  repo: ReturnType<typeof conservationRepository>,
  { id, appId, status }: Counted,
): Promise<{ audience: number; wrong: string[] }> {
  /** How often each recipient counts; 0 for those that only a retry page can count. */
  const counts = new Map<number, number>()
  let [audience, miscounted, unfinished, waiting] = [0, 0, 0, 0]
  let [isOneView, after] = [true, 0]
  for (;;) {
    const pages = await repo.pages(appId, id, after, PAGES_AT_ONCE)
    for (const [i, page] of pages.entries()) {
      if (i % PAGES_A_TURN === PAGES_A_TURN - 1) await setImmediate()
      const found = tally(page.outcomes)
      if (!isSame(page, found)) miscounted++
      if (page.state === 'done' && found.pending > 0) unfinished += found.pending
      if (page.state !== 'done') waiting += found.pending
      audience += found.audience
      for (const [slot, row] of unpackRows(page.recipients).entries()) {
        counts.set(row, (counts.get(row) ?? 0) + (page.outcomes[slot] === SLOT.moved ? 0 : 1))
      }
    }
    if (pages.length < PAGES_AT_ONCE) break
    // While it is being sent, recipients may move between two statements.
    isOneView = status >= STATUS.sent
    after = pages.at(-1)!.id
  }
  let [lost, repeated] = [0, 0]
  let seen = 0
  for (const count of counts.values()) {
    if (count === 0) lost++
    else if (count > 1) repeated++
    if (++seen % 20_000 === 0) await setImmediate()
  }
  const wrong: string[] = []
  if (miscounted > 0) wrong.push(`${miscounted} of its pages count other outcomes than their recipients have`)
  if (unfinished > 0) wrong.push(`${unfinished} recipients of finished pages have no outcome`)
  if (status === STATUS.sent && waiting > 0) wrong.push(`it is over and ${waiting} recipients still wait`)
  if (isOneView && lost > 0) wrong.push(`${lost} recipients were moved to a page that does not exist`)
  if (isOneView && repeated > 0) wrong.push(`${repeated} recipients are counted more than once`)
  return { audience, wrong }
}

function isSame(page: CountedPage, found: ReturnType<typeof tally>): boolean {
  const columns = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const
  return page.total === page.outcomes.length && columns.every((column) => page[column] === found[column])
}
