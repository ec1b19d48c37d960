import type { Audience } from '../../audience/install-walk.ts'
import type { CrmService } from '../../crm/service.ts'
import type { Tries } from '../deliver/verdict.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import { slotName } from '../record/page.ts'
import type { NotificationsService } from '../service.ts'
import { STATUS } from '../types.ts'

interface TraceAreas {
  notifications: Pick<NotificationsService, 'get'>
  crm: Pick<CrmService, 'showInstall' | 'showUser' | 'listInstalls'>
  ledger: Pick<Ledger, 'pagesWith' | 'failuresOf' | 'message'>
  audience: Pick<Audience, 'step'>
}

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
  app: TraceAreas,
  appId: number,
  notificationId: number,
  installId: string,
): Promise<Trace> {
  const { status } = await app.notifications.get(appId, notificationId)
  const { row } = await app.crm.showInstall(appId, installId)
  return traceRow(app, { appId, notificationId, status, row, install: installId })
}

/** Installs of one user that are traced at most. */
const INSTALLS_OF_USER = 20

/** What happened to the installs that a user has now, at most twenty. Throws `not_found`. */
export async function traceUser(
  app: TraceAreas,
  appId: number,
  notificationId: number,
  identifier: string,
): Promise<Trace[]> {
  const { status } = await app.notifications.get(appId, notificationId)
  const { installs } = await app.crm.showUser(appId, identifier)
  const traces: Trace[] = []
  for (const { row, installId } of installs.slice(0, INSTALLS_OF_USER)) {
    traces.push(await traceRow(app, { appId, notificationId, status, row, install: installId }))
  }
  return traces
}

/**
 * The first `limit` installs that the notification targets now. Throws `not_found` if the notification does not exist.
 */
export async function traceSome(
  app: TraceAreas,
  appId: number,
  notificationId: number,
  limit: number,
): Promise<Trace[]> {
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

async function traceRow(app: TraceAreas, { appId, notificationId, status, row, install }: Which): Promise<Trace> {
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
