import type { App } from '../app.ts'
import { slotName } from '../domain/notifications/page.ts'
import { STATUS } from '../domain/notifications/types.ts'

/** What became of one recipient of a notification. */
export interface Trace {
  install: string
  /** The newest slot that holds the recipient, `waiting` while the audience is still walked, or `not_a_recipient`. */
  state: string
  /** Pages that hold or held the recipient, oldest first; times in ms. */
  pages: { page: number; state: string; slot: string; attempt: number; notBefore: number }[]
  /** What gateways answered when it was not taken, oldest first; times in ms. */
  answers: { kind: string; reason: string; at: number }[]
}

/** Throws `not_found` when there is no such notification or install. */
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

/** The first `limit` installs that the notification means now. Throws `not_found` when there is no such notification. */
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
    // By key: the install whose row follows the one before.
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
  const pages = holding.flatMap((page) => {
    const place = page.rows.indexOf(row)
    if (place < 0) return []
    const slot = slotName(page.outcomes[place]!)
    return [{ page: page.id, state: page.state, slot, attempt: page.attempt, notBefore: page.notBefore }]
  })
  const answers = await app.ledger.failuresOf(appId, notificationId, row)
  const walked = status !== STATUS.queued && status !== STATUS.sending
  const state = pages.at(-1)?.slot ?? (walked ? 'not_a_recipient' : 'waiting')
  return { install, state, pages, answers }
}
