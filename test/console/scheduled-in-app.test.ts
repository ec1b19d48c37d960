import { expect } from 'chai'
import { fromInAppForm, inAppForm } from '../../src/domain/in-app/request/request.ts'
import { SOURCE } from '../../src/domain/in-app/types.ts'
import { sendMessage } from '../../src/domain/series/send.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { accept, addTemplates, addUser, handOut, holders, inAppBody } from '../support/in-app.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { examine } from './support/examine.ts'

/** The words of all buttons of a page. */
const BUTTONS = `[...document.querySelectorAll('main button, main a.button')].map((one) => one.innerText.trim())`
const LOCAL = { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' }
const HELLO = { template: 'hello', content: { Name: 'Ann' } }

describe('scheduled in-app messages in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole(async (opened) => {
    console = opened
    base = `/apps/${console.appId}`
    await addTemplates(console.server)
    for (const name of ['ann', 'bob']) await addUser(console.server, name, { subscribed: true })
  })

  const schedule = async (extra: object = {}): Promise<number> =>
    (await accept(console.server, { ...HELLO, schedule: LOCAL, ...extra })).message!.id
  const find = (id: number) => console.server.program.inApp.get(console.appId, id)

  it('a marketer looks at one, changes it with its push and sends it now', async () => {
    const { server } = console
    const id = await schedule({ notification: { title: 'Fresh bread', message: 'Look inside.' } })
    await console.visit(`${base}/in-app/${id}`)
    await console.sees('on each phone’s clock')
    await examine(console, 'scheduled-message', { isShotDark: true })

    await console.press('Edit')
    await console.sees('Edit the scheduled message')
    await console.sees('2 people get it')
    await console.type('Name', 'Bob')
    await console.type('Title of the push', 'Fresh rolls')
    await console.choose('At a time')
    await console.press('Save the changes')
    await console.sees('Choose a date and a time.')
    await console.choose('On each phone’s clock')
    await examine(console, 'scheduled-message-edit', { isShotDark: true })
    await console.press('Save the changes')
    await console.sees('Save the changes?')
    await console.sees('It goes to 2 people, as of now')
    await console.press('Save the changes')
    await console.sees('The message is changed.')
    await console.sees('Hello Bob')
    expect(await find(id)).to.deep.include({ schedule: LOCAL, status: 0, tagValues: { Name: 'Bob' } })
    const { entries } = await server.program.audit.list({ limit: 1 })
    expect(entries[0]).to.include({ action: 'in-app-messages.update', target: String(id) })
    expect(JSON.stringify(entries[0]!.before)).to.include('Hello Ann')
    expect(JSON.stringify(entries[0]!.after)).to.include('Hello Bob')
    await console.visit('/audit')
    await console.sees('changed the scheduled in-app message')

    const push = (await find(id)).notificationId!
    await console.visit(`${base}/delivery/${push}`)
    await console.sees('Fresh rolls')
    await console.sees('To change it, edit the message.')
    await console.press('Look at the message')
    await console.press('Send now')
    await console.sees('You can still withdraw it, but not its push.')
    await console.press('Send it now')
    await console.sees('It is on its way.')
    await handOut(server)
    expect(await holders(server, id)).to.deep.equal(['ann', 'bob'])
    await console.visit(`${base}/in-app/${id}`)
    await console.sees('About it')
    const named = await console.page.$$eval('dt', (all) => all.map(({ textContent }) => textContent))
    expect(named).to.include('Created').and.not.include('When')
    await console.visit(`${base}/in-app/${id}/edit`)
    await console.sees('It does not wait for its time any more.')
    expect((await find(id)).status).to.equal(3)
  })

  it('asks for the number of people again, and says when it came too late', async () => {
    const { server, appId } = console
    const utc = { strategy: 'utc', sendAt: '2026-03-01 12:30', pastTimes: 'ignore' }
    const id = await schedule({ schedule: utc })
    await server.program.inTransaction((tx) => tx.apps.restrain(appId, { confirmAbove: 1 }))
    await console.visit(`${base}/in-app/${id}/edit`)
    await console.sees('2 people get it')
    await console.type('Name', 'Eve')
    await console.press('Save the changes')
    await console.type('Type 2 to confirm', '2')
    await console.press('Save the changes')
    await console.sees('The message is changed.')
    expect(await find(id)).to.deep.include({ schedule: utc, tagValues: { Name: 'Eve' } })
    await server.program.inTransaction((tx) => tx.apps.restrain(appId, { confirmAbove: null }))

    await console.visit(`${base}/in-app/${id}/edit`)
    await console.sees('2 people get it')
    await console.type('Name', 'Late')
    server.clock.set(Date.parse('2026-03-01T12:30:00Z'))
    await console.press('Save the changes')
    await console.press('Save the changes')
    await console.sees('its first due time 2026-03-01T12:30:00+0000 has come')
    expect((await find(id)).tagValues).to.deep.equal({ Name: 'Eve' })
    console.problems.splice(0)
  })

  it('is cancelled before anybody has it', async () => {
    const id = await schedule()
    await console.visit(`${base}/in-app/${id}`)
    await console.press('Cancel it')
    await console.type('Type hello to confirm', 'hello')
    await console.press('Cancel the message')
    await console.sees('It is cancelled: nobody gets it.')
    expect((await find(id)).status).to.equal(4)
  })

  it('says of one time of a series why nobody edits it, and shows a viewer no button', async () => {
    const { server, appId } = console
    const rule = { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'UTC' }
    const body = parseJson(inAppForm, inAppBody({ schedule: rule }))
    const { message } = await server.program.inTransaction((tx) =>
      sendMessage(tx, appId, { source: SOURCE.messages, body, request: fromInAppForm(body) }),
    )
    for (const place of [`in-app/${message!.id}`, `in-app/${message!.id}/edit`]) {
      await console.visit(`${base}/${place}`)
      await console.sees('It is one time of a series')
      expect(await console.page.evaluate(BUTTONS), place).to.not.include.members(['Edit', 'Send now'])
      await console.misses('Save the changes')
    }
    const id = await schedule()
    await console.enter([{ appId, role: 'viewer' }])
    await console.visit(`${base}/in-app/${id}`)
    await console.sees('on each phone’s clock')
    for (const word of ['Send now', 'Edit', 'Cancel it']) {
      expect(await console.page.evaluate(BUTTONS)).to.not.include(word)
    }
  })
})
