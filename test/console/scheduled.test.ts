import { expect } from 'chai'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { accept, addTemplates, addUser } from '../support/in-app.ts'
import { pushSeries } from '../support/series.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { examine } from './support/examine.ts'

/** The words of all buttons of a page. */
const BUTTONS = `[...document.querySelectorAll('main button, main a.button')].map((one) => one.innerText.trim())`
const LOCAL = { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' }

describe('scheduled pushes in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole(async (opened) => {
    console = opened
    base = `/apps/${console.appId}`
    const { server } = console
    await withAndroids(server, 3)
    for (const [i, tz] of ['Pacific/Auckland', 'Europe/Berlin', 'Pacific/Honolulu'].entries()) {
      const event = {
        type: 'k.stats.installTracked',
        uuid: `z${i}`,
        timestamp: server.clock.now(),
        data: { device: { tz } },
      }
      await server.program.inTransaction((tx) => tx.events.ingest(console.appId, `install-${i}`, [event]))
    }
  })

  async function schedule(extra: object = {}): Promise<number> {
    const { server, appId } = console
    const body = {
      target: { broadcast: true },
      content: { title: 'Fresh bread', message: 'Rye with walnuts.' },
      schedule: LOCAL,
      ...extra,
    }
    const { notification } = await server.program.inTransaction((tx) =>
      tx.sends.accept(appId, SOURCE.messages, fromMessagesForm(parseJson(messagesForm, body))),
    )
    return notification!.id
  }
  const find = (id: number) => console.server.program.notifications.get(console.appId, id)

  it('a marketer looks at one, changes it and sends it now', async () => {
    const { server, appId } = console
    const id = await schedule()
    await console.visit(`${base}/delivery?tab=scheduled`)
    await console.sees('on each phone’s clock')
    await console.press('Fresh bread')
    await console.sees('Waiting for its time')
    await console.sees('first in Auckland')
    await console.sees('last in Honolulu 22 hours later')
    await console.sees('3 devices, as of now')
    await examine(console, 'scheduled', { isShotDark: true })

    await console.press('Edit')
    await console.sees('Edit the scheduled push')
    await console.sees('3 devices get it')
    await console.type('Title', 'Fresh rolls')
    await console.choose('At a time')
    await console.press('Save the changes')
    await console.sees('Choose a date and a time.')
    await console.choose('On each phone’s clock')
    await examine(console, 'scheduled-edit', { isShotDark: true })
    await console.press('Save the changes')
    await console.sees('Save the changes?')
    await console.sees('It goes to 3 devices, as of now')
    await console.shoot('scheduled-ask')
    await console.press('Save the changes')
    await console.sees('The push is changed.')
    await console.sees('Fresh rolls')
    expect(await find(id)).to.deep.include({ schedule: LOCAL, status: 0 })
    const { entries } = await server.program.audit.list({ limit: 1 })
    expect(entries[0]).to.include({ action: 'notifications.update', target: String(id) })
    expect(JSON.stringify(entries[0]!.before)).to.include('Fresh bread')
    expect(JSON.stringify(entries[0]!.after)).to.include('Fresh rolls')

    await console.press('Send now')
    await console.sees('It cannot be taken back.')
    await console.shoot('scheduled-send-now')
    await console.press('Send it now')
    await console.sees('It is on its way.')
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(server)
    await deliverDue(server, sender)
    expect(sent.toSorted()).to.deep.equal(['token-0', 'token-1', 'token-2'])
    await console.visit(`${base}/delivery/${id}/edit`)
    await console.sees('It does not wait for its time any more.')
    expect((await find(id)).status).to.equal(3)
    expect(await server.program.notifications.get(appId, id)).to.have.nested.property('content.title', 'Fresh rolls')
  })

  it('asks for the number of recipients again, and says when it came too late', async () => {
    const { server, appId } = console
    const utc = { strategy: 'utc', sendAt: '2026-03-01 12:30', pastTimes: 'ignore' }
    const id = await schedule({ schedule: utc })
    await server.program.inTransaction((tx) => tx.apps.restrain(appId, { confirmAbove: 2 }))
    await console.visit(`${base}/delivery/${id}/edit`)
    await console.sees('3 devices get it')
    await console.type('Message', 'Poppy seed.')
    await console.press('Save the changes')
    await console.type('Type 3 to confirm', '3')
    await console.press('Save the changes')
    await console.sees('The push is changed.')
    expect(await find(id)).to.deep.include({ schedule: utc })
    expect((await find(id)).content.message).to.equal('Poppy seed.')
    await server.program.inTransaction((tx) => tx.apps.restrain(appId, { confirmAbove: null }))

    await console.visit(`${base}/delivery/${id}/edit`)
    await console.sees('3 devices get it')
    await console.type('Message', 'Too late.')
    server.clock.set(Date.parse('2026-03-01T12:30:00Z'))
    await console.press('Save the changes')
    await console.press('Save the changes')
    await console.sees('its first due time 2026-03-01T12:30:00+0000 has come')
    expect((await find(id)).content.message).to.equal('Poppy seed.')
    console.problems.splice(0)
  })

  it('says of a push that belongs to something else why nobody edits it, and leads there', async () => {
    const { server, appId } = console
    const schedule = { strategy: 'utc', sendAt: '2026-03-05 12:00', pastTimes: 'ignore' }
    const rule = { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'UTC' }
    const series = await pushSeries(server, { target: { broadcast: true }, schedule: rule })
    const [time] = (await server.program.notifications.list(appId, { limit: 1 })).notifications
    await addTemplates(server)
    await addUser(server, 'reader', { subscribed: true })
    const { message } = await accept(server, { notification: { title: 'Look', message: 'Inside' }, schedule })
    const { notificationId: push } = await server.program.inApp.get(appId, message!.id)
    for (const [one, why, button, page] of [
      [time!.id, 'It is one time of a series', 'Edit the series', `series/${series}/change`],
      [push, 'It announces an in-app message', 'Look at the message', `in-app/${message!.id}`],
    ] as const) {
      for (const place of [`delivery/${one}`, `delivery/${one}/edit`]) {
        await console.visit(`${base}/${place}`)
        await console.sees(why)
        expect(await console.page.evaluate(BUTTONS), place).to.not.include.members(['Edit', 'Send now'])
        await console.misses('Save the changes')
      }
      await examine(console, `fixed-${page.split('/')[0]}`, { isShotDark: true })
      await console.press(button)
      await console.page.waitForFunction(`location.pathname.endsWith(${JSON.stringify(page)})`)
    }
  })

  it('says of one at the hour of each person that it is not sent at once', async () => {
    const id = await schedule({ schedule: undefined, intelligentDelivery: true })
    await console.visit(`${base}/delivery/${id}`)
    await console.sees('Details')
    await console.sees('as fast as the gateways take it')
    await console.sees('Within a day, at the hour at which each person is usually active')
    await console.misses('sent at once')
  })

  it('shows a viewer the time, and no button', async () => {
    const id = await schedule()
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(`${base}/delivery/${id}`)
    await console.sees('on each phone’s clock')
    await console.misses('Send now')
    await console.misses('Edit')
  })
})
