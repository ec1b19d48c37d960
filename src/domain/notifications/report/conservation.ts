import { setImmediate } from 'node:timers/promises'
import { SLOT, tally, unpackRows } from '../record/page.ts'
import { STATUS } from '../types.ts'
import type { Counted, CountedPage, conservationRepository } from './conservation.repository.ts'

/** A notification whose recipients do not add up, and the fault, as the end of a sentence. */
interface Imbalance {
  id: number
  appId: number
  what: string
}

/** Sums of the check. `complete` is false when time or room ran out before the last notification. */
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
  /** The number of recipients after which no further notification is begun. */
  recipients: number
  /** Limits the check to this app. */
  appId?: number | undefined
  signal: AbortSignal
}

/** Pages read by one statement: some hundred thousand recipients, a few hundred kilobytes. */
const PAGES_AT_ONCE = 200
/** Pages that are added up before others have a turn; a page has about a thousand recipients. */
const PAGES_A_TURN = 10
/** Moved recipients of one notification that are followed; a larger map would hold up others while it grows. */
const MOST_MOVED = 50_000

type Repository = ReturnType<typeof conservationRepository>

/** Checks that every recipient is counted exactly once (docs/reference/promises.md section 1). */
export function conservationService(repo: Repository) {
  return {
    /**
     * Adds up the recipients of the newest and the open notifications. The counts of a page must be those of its
     * recipients' outcomes, a page that is done must have an outcome for everybody, and a recipient that was moved to a
     * retry page must be on exactly one page that counts.
     */
    async addUp({ newest, open, recipients, appId, signal }: ConservationOptions): Promise<Conservation> {
      const some = [...(await repo.open(open)), ...(await repo.newest(newest))]
      const chosen = [...new Map(some.map((one) => [one.id, one])).values()].filter(
        (one) => appId === undefined || one.appId === appId,
      )
      const result: Conservation = { notifications: 0, recipients: 0, imbalances: [], complete: true }
      for (const notification of chosen) {
        if (signal.aborted || result.recipients >= recipients) return { ...result, complete: false }
        const { audience, wrong } = await addUpOne(repo, notification)
        result.notifications++
        result.recipients += audience
        if (wrong.length > 0) {
          result.imbalances.push({ id: notification.id, appId: notification.appId, what: wrong.join(' and ') })
        }
      }
      return result
    },
  }
}

async function addUpOne(
  repo: Repository,
  { id, appId, status }: Counted,
): Promise<{ audience: number; wrong: string[] }> {
  /** Moved recipients, each with the number of times that it counts. */
  const moved = new Map<number, number>()
  let [audience, miscounted, unfinished, waiting] = [0, 0, 0, 0]
  const first = await repo.pages(appId, id, 0, PAGES_AT_ONCE)
  // While it is being sent, recipients may move between two statements.
  const isOneView = first.length < PAGES_AT_ONCE || status >= STATUS.sent

  /** Gives every page to `take`, from the first statement on. */
  async function walk(take: (page: CountedPage) => void): Promise<void> {
    for (let pages = first; ; pages = await repo.pages(appId, id, pages.at(-1)!.id, PAGES_AT_ONCE)) {
      for (const [i, page] of pages.entries()) {
        take(page)
        if (i % PAGES_A_TURN === PAGES_A_TURN - 1) await setImmediate()
      }
      if (pages.length < PAGES_AT_ONCE) return
    }
  }

  await walk((page) => {
    const found = tally(page.outcomes)
    if (!isSame(page, found)) miscounted++
    if (page.state === 'done') unfinished += found.pending
    else waiting += found.pending
    audience += found.audience
    if (found.moved === 0 || moved.size >= MOST_MOVED) return
    for (const [slot, row] of unpackRows(page.recipients).entries()) {
      if (page.outcomes[slot] === SLOT.moved) moved.set(row, 0)
    }
  })
  if (moved.size > 0 && isOneView) {
    await walk((page) => {
      for (const [slot, row] of unpackRows(page.recipients).entries()) {
        const count = page.outcomes[slot] === SLOT.moved ? undefined : moved.get(row)
        if (count !== undefined) moved.set(row, count + 1)
      }
    })
  }
  const wrong: string[] = []
  const say = (count: number, words: string) => void (count > 0 && wrong.push(`${count} ${words}`))
  say(miscounted, 'of its pages count other outcomes than their recipients have')
  say(unfinished, 'recipients of finished pages have no outcome')
  if (status === STATUS.sent) say(waiting, 'recipients still wait although it is over')
  if (isOneView) {
    const counts = [...moved.values()]
    say(counts.filter((count) => count === 0).length, 'recipients were moved to a page that does not exist')
    say(counts.filter((count) => count > 1).length, 'recipients are counted more than once')
  }
  return { audience, wrong }
}

function isSame(page: CountedPage, found: ReturnType<typeof tally>): boolean {
  const columns = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const
  return page.total === page.outcomes.length && columns.every((column) => page[column] === found[column])
}
