import { ascending } from '../../audience/target.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import type { CrmService } from '../../crm/service.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import { slotName } from '../record/page.ts'
import type { Tries } from '../record/verdict.ts'
import type { NotificationRecord } from '../types.ts'
import { STATUS } from '../types.ts'

/** The history of one recipient of a notification. */
export interface Trace {
  install: string
  /** Outcome in the newest page with this recipient, `waiting` while the fan-out is running, or `not_a_recipient`. */
  state: string
  /** Pages with this recipient, oldest first; times in ms. */
  pages: TracedPage[]
  /** Answers of gateways that refused the push, oldest first; times in ms. */
  answers: { kind: string; reason: string; at: number }[]
}

/**
 * Reasons for which a recipient is in a page again: the worker ended while sending, no answer came, it was in quiet
 * hours, or the gateway failed or asked for a retry.
 */
type SentAgain = 'after_crash' | 'no_answer' | 'held' | 'retry'

/** `again` is null for the first page. */
interface TracedPage {
  page: number
  state: string
  slot: string
  attempt: number
  again: SentAgain | null
  notBefore: number
}

/** An install as traces need it. */
export interface TracedInstall {
  row: number
  installId: string
}

interface Parts {
  /** Throws `not_found`. */
  get(appId: number, id: number): Promise<Pick<NotificationRecord, 'id' | 'status'>>
  ledger: Pick<Ledger, 'walked' | 'pagesWith' | 'failuresOf' | 'hasDueRun'>
  audience: Pick<Audience, 'step'>
  book: Pick<CrmService, 'showInstall' | 'showUser' | 'listInstalls'>
}

export type Traces = ReturnType<typeof createTraces>

/** Installs of one user that are traced at most. */
const INSTALLS_OF_USER = 20

/** Follows recipients through the pages of a notification. */
export function createTraces({ get, ledger, audience, book }: Parts) {
  async function of(
    appId: number,
    { id, status }: Pick<NotificationRecord, 'id' | 'status'>,
    { row, installId }: TracedInstall,
  ): Promise<Trace> {
    const holding = await ledger.pagesWith(appId, id, row)
    let before: Tries = { attempt: 0, resends: 0 }
    const pages = holding.flatMap((page): TracedPage[] => {
      const place = page.rows.indexOf(row)
      if (place < 0) return []
      const again = whyAgain(page, before)
      before = page
      const slot = slotName(page.outcomes[place]!)
      return [{ page: page.id, state: page.state, slot, attempt: page.attempt, again, notBefore: page.notBefore }]
    })
    const answers = await ledger.failuresOf(appId, id, row)
    const isOver = status !== STATUS.queued && status !== STATUS.sending
    const isFannedOut = pages.length > 0 || isOver || !(await ledger.hasDueRun(id))
    const state = pages.at(-1)?.slot ?? (isFannedOut ? 'not_a_recipient' : 'waiting')
    return { install: installId, state, pages, answers }
  }

  return {
    /** The trace of an install that the caller has read already. */
    of,

    /** Throws `not_found` if the notification or the install does not exist. */
    async recipient(appId: number, id: number, installId: string): Promise<Trace> {
      const notification = await get(appId, id)
      return of(appId, notification, await book.showInstall(appId, installId))
    },

    /** Traces of the installs that a user has now, at most twenty. Throws `not_found`. */
    async user(appId: number, id: number, identifier: string): Promise<Trace[]> {
      const notification = await get(appId, id)
      const { installs } = await book.showUser(appId, identifier)
      const traces: Trace[] = []
      for (const install of installs.slice(0, INSTALLS_OF_USER)) traces.push(await of(appId, notification, install))
      return traces
    },

    /**
     * The first `limit` installs that the notification targets now. Throws `not_found` if the notification does not
     * exist.
     */
    async some(appId: number, id: number, limit: number): Promise<Trace[]> {
      const notification = await get(appId, id)
      const message = await ledger.walked(appId, id)
      if (!message) return []
      const found: number[] = []
      for (let cursor: Cursor = {}, done = false; !done && found.length < limit; ) {
        const step = await audience.step(appId, message.target, cursor, limit)
        found.push(...step.steps.flatMap((one) => one.rows))
        cursor = step.cursor
        done = step.done
      }
      const rows = ascending(found).slice(0, limit)
      const traces: Trace[] = []
      for (const row of rows) {
        // Finds the install by primary key: the first row after `row - 1`.
        const [install] = await book.listInstalls(appId, row - 1, 1)
        if (install?.row === row) traces.push(await of(appId, notification, install))
      }
      return traces
    },
  }
}

function whyAgain(
  { attempt, resends, afterCrash, held }: Tries & { afterCrash: boolean; held: boolean },
  before: Tries,
): SentAgain | null {
  if (afterCrash) return 'after_crash'
  if (resends > before.resends) return 'no_answer'
  if (held) return 'held'
  return attempt > 0 ? 'retry' : null
}
