import { expect } from 'chai'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../support/delivery.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('delivery in the console', () => {
  let console: OpenConsole

  useConsole((opened) => (console = opened), { settings: { 'delivery.pageSize': '2' } })

  const accepts = scriptedSender(() => ({ kind: 'accepted' }))
  /** Sends to a page of recipients, and leaves the others for later. */
  const sendSome = async () => {
    const stop = new AbortController()
    const one = scriptedSender(() => {
      stop.abort()
      return { kind: 'accepted' }
    })
    await deliverDue(console.server, one.sender, { signal: stop.signal, maxRecipients: 1 })
  }

  it('home leads from an empty app step by step, and shows what was sent at last', async () => {
    const { server, appId } = console
    await console.visit(`/apps/${appId}`)
    await console.sees('First steps')
    await console.sees('0 of 4 done')
    await console.sees('Give the app the keys of a push gateway')
    await console.sees('Nobody has started the app yet')
    await console.sees('Nothing was sent in these days')
    await withAndroids(server, 5)
    await broadcast(server)
    await deliverDue(server, accepts.sender)
    // What the checks found is kept for five seconds.
    server.clock.advance(6000)
    await console.visit(`/apps/${appId}`)
    await console.sees('Recently sent')
    await console.sees('3 of 4 done')
    await console.sees('Accepted by gateways')
  })

  it('home shows the audience and a period that is chosen beside the one before', async () => {
    const { server, appId } = console
    const { page } = console
    // Five are left behind the loss of one, as the other stories want them.
    await withAndroids(server, 6)
    const [{ row }] = await server.program.kernel.db.read('installs').where({ app_id: appId }).select({ row: 'id' })
    await server.program.kernel.db.write((trx) => trx('install_days').update({ day: trx.raw('day - 13') }))
    await server.program.inTransaction((tx) => tx.crm.retireToken(appId, row, 'token-0', 'UNREGISTERED'))
    await console.visit(`/apps/${appId}`)
    await console.sees('Reachable devices')
    await console.sees('too short to compare with the 30 days before')
    await page.select('select[name="days"]', '7')
    await console.sees('Compared with the 7 days before')
    await console.sees('−6, down from 6')
    await console.sees('+1, up from 0')
    expect(await page.evaluate('location.search')).to.equal('?days=7')
    // What was read stays while another period is read, so the choice keeps the focus.
    await page.focus('select[name="days"]')
    await page.select('select[name="days"]', '90')
    await console.sees('Sends are kept for 90 days')
    expect(await page.evaluate('document.activeElement.name')).to.equal('days')
  })

  it('a running broadcast is watched as it goes, and stopped', async () => {
    const { server, appId } = console
    const id = await broadcast(server)
    await sendSome()
    await console.visit(`/apps/${appId}/delivery/${id}`)
    await console.sees('Progress')
    const { counts } = await server.program.deliveries.progress(appId, id)
    expect(counts.pending).to.be.above(0)
    await console.sees(`${counts.accepted} of 5`)
    await console.page.setOfflineMode(true)
    server.hangUp()
    await console.sees('What you see may be old.')
    await sendSome()
    await console.page.setOfflineMode(false)
    const later = (await server.program.deliveries.progress(appId, id)).counts.accepted
    expect(later).to.be.above(counts.accepted)
    await console.sees(`${later} of 5`)
    await console.press('Stop sending')
    await console.type(`Type ${id} to confirm`, String(id))
    await console.press('Stop sending')
    await console.sees('It is stopped')
    await console.sees('Cancelled on request.')
    await deliverDue(server, accepts.sender)
    const after = await server.program.deliveries.progress(appId, id)
    expect(after.counts).to.include({ accepted: later, cancelled: 5 - later, pending: 0 })
    const { entries } = await server.program.audit.list({ limit: 5 })
    expect(entries[0]).to.include({ action: 'notifications.stop', target: String(id) })
  })

  it('a report explains failures, shows what was sent, and traces a recipient', async () => {
    const { server, appId } = console
    const id = await broadcast(server)
    const some = scriptedSender((token) => {
      if (token.endsWith('1')) return { kind: 'token_dead', reason: 'UNREGISTERED' }
      return token.endsWith('2') ? { kind: 'token_suspect', reason: 'SENDER_ID_MISMATCH' } : { kind: 'accepted' }
    })
    await deliverDue(server, some.sender)
    await console.visit(`/apps/${appId}/delivery`)
    await console.sees('Recipients')
    await console.visit(`/apps/${appId}/delivery/${id}`)
    await console.sees('Accepted by Google')
    await console.sees('Confirmed by the device')
    await console.sees('The app was removed from the device')
    await console.sees('UNREGISTERED')
    const remedy = '.delivery-name:has([aria-label="Copy appsvc gateways check"])'
    const gateways = await console.page.waitForSelector(`${remedy} a[href="/console/apps/${appId}/gateways"]`)
    expect(gateways).to.not.equal(null)
    await console.press('What was sent')
    await console.sees('"alert": "M"')
    await console.press('Recipients')
    const failed = await server.program.notifications.recipients(appId, id, 'failed')
    for await (const { installId } of failed) {
      await console.page.select('select[name="by"]', 'installId')
      await console.type('Install id', installId!)
      break
    }
    await console.press('Trace')
    await console.sees('The gateway does not know this token any more')
    await console.type('Install id', 'nobody')
    await console.press('Trace')
    await console.sees('There is no install with this id.')
  })

  it('the report and the server API count the same', async () => {
    const { server, appId } = console
    const id = await broadcast(server)
    const mixed = scriptedSender((token) =>
      token.endsWith('2')
        ? { kind: 'token_dead', reason: 'UNREGISTERED' }
        : token.endsWith('3')
          ? { kind: 'payload_error', reason: 'INVALID_ARGUMENT', everyone: false }
          : { kind: 'accepted' },
    )
    await deliverDue(server, mixed.sender)
    await server.program.inTransaction((tx) =>
      tx.events.ingest(appId, 'install-0', [
        { type: 'k.push.opened', uuid: 'o1', timestamp: server.clock.now(), data: { id } },
      ]),
    )
    await console.visit(`/apps/${appId}/delivery/${id}`)
    await console.sees('From recipients to opening')
    await console.sees('Opens by hour')
    const shown = (await console.page.evaluate(
      `[...document.querySelectorAll('.funnel-number')].map((one) => Number(one.firstChild.textContent.replace(/\\D/g, '')))`,
    )) as number[]
    const { body } = await server.call('GET', `/messages/v2/notifications/${id}`)
    const { counts } = body as { counts: Record<string, number> }
    expect(shown).to.deep.equal([counts.audience, counts.accepted, counts.delivered, counts.opened])
    expect(counts.opened).to.equal(1)
    const reasons = await console.page.$$eval('table[class] tbody tr', (rows) =>
      rows.map(({ textContent }) => textContent ?? '').filter((text) => /UNREGISTERED|INVALID_ARGUMENT/.test(text)),
    )
    expect(reasons).to.have.length(2)
  })

  it('what failed, what waits and what is held are told apart', async () => {
    const { server, appId } = console
    const later = await server.call('POST', '/messages/v2/notifications', {
      body: {
        target: { broadcast: true },
        content: { title: 'Later', message: 'M' },
        schedule: { sendAt: '2031-05-01 07:30', strategy: 'local', pastTimes: 'ignore' },
      },
    })
    const { id } = (later.body as { notification: { id: number } }).notification
    await console.visit(`/apps/${appId}/delivery/${id}`)
    await console.sees('Waiting for its time')
    await console.sees('May 1, 2031 at 7:30 AM on each phone’s clock')
    await console.press('Cancel it')
    await console.type(`Type ${id} to confirm`, String(id))
    await console.press('Cancel the notification')
    await console.sees('Cancelled')
    await console.visit(`/apps/${appId}/delivery?status=cancelled`)
    await console.sees('Later')
    await console.page.reload()
    await console.sees('Later')
  })

  it('the recipients come as CSV, and the audit log says who took them', async () => {
    const { server, appId } = console
    const id = await broadcast(server)
    await deliverDue(server, accepts.sender)
    const text = (await console.page.evaluate(
      `fetch('/admin/v1/apps/${appId}/deliveries/${id}/recipients.csv').then((answer) => answer.text())`,
    )) as string
    const lines = text.trimEnd().split('\r\n')
    expect(lines[0]).to.equal('install,user,outcome,kind,reason,explanation,transport')
    expect(lines.slice(1).filter((line) => line.includes(',accepted,')).length).to.be.above(0)
    const { entries } = await server.program.audit.list({ limit: 5 })
    expect(entries[0]).to.include({ action: 'notifications.recipients.export', target: String(id) })
  })

  it('a report stands beside the usual, says who opened it, and a test has its mark', async () => {
    const { server, appId } = console
    const send = async (opens: number, more: object = {}) => {
      const id = await broadcast(server, more)
      await deliverDue(server, accepts.sender)
      for (let i = 1; i <= opens; i++) {
        const event = { type: 'k.message.opened', uuid: `o-${id}-${i}`, timestamp: 1, data: { type: 1, id } }
        await server.program.inTransaction((tx) => tx.events.ingest(appId, `install-${i}`, [event]))
      }
      return id
    }
    for (const opens of [1, 1, 1]) await send(opens)
    const test = await send(0, { isTest: true, content: { title: 'Only a try', message: 'M' } })
    const id = await send(3, { content: { title: 'Warm croissants', message: 'Until six.' } })
    await console.visit(`/apps/${appId}/delivery/${id}`)
    await console.sees('above the usual')
    for (const width of [1280, 390]) {
      await console.look(width, width === 390 ? 'dark' : 'light')
      await console.shoot(`report-${width}`)
    }
    await console.page.emulateMediaType('print')
    await console.shoot('report-print')
    await console.page.emulateMediaType()
    await console.press('Who opened')
    await console.sees('By language of the device')
    await console.sees('install-3')
    await console.shoot('openers-390')
    await console.look(1280, 'light')
    await console.shoot('openers-1280')
    await console.visit(`/apps/${appId}/delivery?q=CROISS`)
    await console.sees('Warm croissants')
    await console.misses('Only a try')
    await console.visit(`/apps/${appId}/delivery/${test}`)
    await console.sees('Only a try')
    expect(await console.page.evaluate(`document.querySelector('.page-head').innerText`)).to.include('Test')
  })

  it('a viewer sees the report, and no button to stop, to duplicate or to download', async () => {
    const { server, appId } = console
    const id = await broadcast(server)
    await console.leave()
    await console.enter([{ appId, role: 'viewer' }])
    await console.visit(`/apps/${appId}/delivery/${id}?tab=recipients`)
    await console.sees('What happened to one recipient')
    const shown = String(await console.page.evaluate('document.body.innerText'))
    expect(shown).to.not.include('Stop sending')
    expect(shown).to.not.include('Download CSV')
    await console.leave()
    await console.enter()
  })
})
