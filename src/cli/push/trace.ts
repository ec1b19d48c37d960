import type { App } from '../../app.ts'
import type { Tries } from '../../domain/notifications/deliver/verdict.ts'
import { slotName } from '../../domain/notifications/record/page.ts'
import { STATUS } from '../../domain/notifications/types.ts'

/** What happened to one recipient of a notification. */
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
 * Why a recipient is in a page again: the worker ended while sending, no answer came, it was in quiet hours, or the
 * gateway failed or asked for a retry.
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

/** Throws `not_found` if the notification or the install does not exist. */
export async function traceRecipient(
  app: App,
  appId: number,
  notificationId: number,
  installId: string,
): Promise<Trace> {
  const { status } = await app.notifications.get(appId, notificationId)
  const { row } = await app.crm.showInstall(appId, installId)
  return traceRow(app, { appId, notificationId, status, row, install: installId })
}

/**
 * The first `limit` installs that the notification targets now. Throws `not_found` if the notification does not exist.
 */
export async function traceSome(app: App, appId: number, notificationId: number, limit: number): Promise<Trace[]> {
  const { status } = await app.notifications.get(appId, notificationId)
  const message = await app.ledger.message(notificationId)
  if (!message) return []
  const { steps } = await app.audience.step(appId, message.target, {}, limit)
  const rows = steps
    .flatMap((step) => step.rows)
    .sort((a, b) => a - b)
    .slice(0, limit)
  const traces: Trace[] = []
  for (const row of rows) {
    // Finds the install by primary key: the first row after `row - 1`.
    const [install] = await app.crm.listInstalls(appId, row - 1, 1)
    if (install?.row === row)
      traces.push(await traceRow(app, { appId, notificationId, status, row, install: install.installId }))
  }
  return traces
}

interface Which {
  appId: number
  notificationId: number
  status: number
  row: number
  install: string
}

async function traceRow(app: App, { appId, notificationId, status, row, install }: Which): Promise<Trace> {
  const holding = await app.ledger.pagesWith(appId, notificationId, row)
  let before: Tries = { attempt: 0, resends: 0 }
  const pages = holding.flatMap((page): TracedPage[] => {
    const place = page.rows.indexOf(row)
    if (place < 0) return []
    const again = whyAgain(page, before)
    before = page
    const slot = slotName(page.outcomes[place]!)
    return [{ page: page.id, state: page.state, slot, attempt: page.attempt, again, notBefore: page.notBefore }]
  })
  const answers = await app.ledger.failuresOf(appId, notificationId, row)
  const isFannedOut = status !== STATUS.queued && status !== STATUS.sending
  const state = pages.at(-1)?.slot ?? (isFannedOut ? 'not_a_recipient' : 'waiting')
  return { install, state, pages, answers }
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
