import { expect } from 'chai'
import type { Page } from 'puppeteer-core'
import { broadcast } from '../../../support/delivery.ts'
import { eventually } from '../../../support/eventually.ts'
import type { Shop, Visitor } from './shop.ts'

export type Json = Record<string, unknown>

/** An event as the server stored it. */
interface Stored {
  type: string
  uuid: string
  data: Json
}

/** Runs before the scripts of a page: its clock is two hours ahead, so what it keeps for an hour is old. */
export const LATER = 'const now = Date.now; Date.now = () => now() + 7_200_000'

/** Runs before the scripts of a page: the person says yes when they are asked, as far as the page knows. */
export const ALLOWS = `Notification.requestPermission = async () => {
  Object.defineProperty(Notification, 'permission', { value: 'granted', configurable: true })
  return 'granted'
}`

export type Stage = ReturnType<typeof stageOf>

export const evaluate = async (page: Page, script: string): Promise<unknown> => page.evaluate(script)

/** The things that stories do and look at in a shop. */
export function stageOf(shop: Shop) {
  const { server } = shop
  const installOf = async (page: Page) => String(await evaluate(page, 'app.installId()'))

  /** Clicks the button of the page, whose handler asks. */
  async function ask(page: Page): Promise<unknown> {
    await evaluate(page, 'window.asked = undefined')
    await page.click('#ask')
    await page.waitForFunction('window.asked')
    return evaluate(page, 'asked')
  }

  async function counts(id: number): Promise<Json> {
    const { notification } = await server.program.notifications.report(server.first.id, id)
    const { delivered, opened, dismissed } = notification
    return { delivered, opened, dismissed }
  }

  /** Waits until the report of a push has these counts. */
  const counted = (id: number, wanted: Json) =>
    eventually(async () => JSON.stringify(await counts(id)) === JSON.stringify(wanted), JSON.stringify(wanted))

  /** Sends a push to one browser. Returns the number of the notification. */
  async function send(installId: string, extra: object = {}): Promise<number> {
    const id = await broadcast(server, { target: { userIds: [installId] }, ...extra })
    await shop.deliver()
    return id
  }

  /** Sends a push to one browser, and gives it to its worker. */
  async function push(visitor: Visitor, installId: string, extra: object = {}): Promise<number> {
    const id = await send(installId, extra)
    expect(await visitor.receive()).to.equal(1)
    await counted(id, { delivered: 1, opened: 0, dismissed: 0 })
    return id
  }

  /** Events that the server has of a browser. */
  async function events(installId: string, type?: string): Promise<Stored[]> {
    const { read } = server.program.kernel.db
    const rows: { type: string; uuid: string; data: string | Json | null }[] = await read('events')
      .join('installs', 'installs.id', 'events.install_row')
      .where({ 'installs.install_id': installId })
      .orderBy('events.id')
      .select('events.type', 'events.uuid', 'events.data')
    return rows
      .filter((row) => type === undefined || row.type === type)
      .map((row) => ({ ...row, data: (typeof row.data === 'string' ? JSON.parse(row.data) : row.data) as Json }))
  }

  const arrived = (installId: string, type: string, count = 1) =>
    eventually(async () => (await events(installId, type)).length === count, `${count} ${type}`)

  const nothingWaits = (visitor: Visitor, page: Page) =>
    eventually(async () => (await visitor.queue(page)).length === 0, 'nothing waits')

  /** A page of somebody who was never here, when all that it says at its start has arrived. */
  async function settled(visitor: Visitor, options: object = {}): Promise<{ page: Page; installId: string }> {
    const page = await visitor.open('/', options)
    const installId = await installOf(page)
    await arrived(installId, 'k.inApp.statusUpdated')
    await nothingWaits(visitor, page)
    return { page, installId }
  }

  const showInstall = (installId: string) => server.program.crm.showInstall(server.first.id, installId)

  return { shop, server, installOf, ask, counted, send, push, events, arrived, nothingWaits, settled, showInstall }
}
