import { expect } from 'chai'
import { lowContrasts } from '../support/contrast.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { eventually } from '../support/eventually.ts'
import { addInstall } from '../support/installs.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { SHOWN_ON_PHONES } from './support/shown-on-phones.ts'

describe('composing a push in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole(async (opened) => {
    console = opened
    const { program, first } = console.server
    base = `/apps/${console.appId}`
    await withAndroids(console.server, 3)
    for (const [name, timezone] of [
      ['vienna', 'Europe/Vienna'],
      ['tokyo', 'Asia/Tokyo'],
    ] as const) {
      const id = await addInstall(program, first.id, name, { user: name })
      await program.kernel.db.write((trx) => trx('installs').where({ id }).update({ timezone }))
    }
    await program.inTransaction((tx) =>
      tx.channels.create(first.id, { uuid: 'news', name: 'News', showInPortal: true }),
    )
  })
  beforeEach(async () => {
    await console.visit('/account')
    await console.page.evaluate('localStorage.clear()')
  })

  const writeIt = async (title: string) => {
    await console.type('Title', title)
    await console.type('Message', 'Out of the oven until six.')
  }
  const onEachClock = async () => {
    await console.choose('On each phone')
    // Chromium's field for a time takes its parts one by one.
    await console.page.evaluate(`{
      const field = document.querySelector('[name="local"]')
      field.value = '2031-05-01T07:30'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }`)
  }
  const all = async () => (await console.server.program.notifications.list(console.appId, { limit: 50 })).notifications
  /** The notification with this title. */
  const found = async (title: string) => (await all()).find(({ content }) => content.title === title)

  it('chooses nobody by itself, and says what is missing', async () => {
    await console.visit(`${base}/push/new`)
    expect(await console.page.evaluate(`document.querySelectorAll('input[name="who"]:checked').length`)).to.equal(0)
    await console.sees('Nobody is chosen yet')
    await console.press('Review and send')
    await console.sees('Choose who gets it.')
    await console.sees('Give it a title.')
    expect(await all()).to.deep.equal([])
  })

  it('sends on each phone’s clock, without those who are left out', async () => {
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await console.sees('5 devices get it')
    await console.page.locator('::-p-xpath(//summary[contains(., "Leave devices out")])').click()
    await console.type('Install ids that get nothing', 'install-0')
    await console.sees('1 left out by you')
    await writeIt('Good morning')
    await onEachClock()
    await console.sees('Tokyo')
    await console.sees('Vienna')
    for (const width of [1280, 390]) {
      await console.look(width, 'light')
      expect(await console.axe({ without: ['color-contrast'] }), `${width}`).to.deep.equal([])
      expect(await lowContrasts(console.page), `${width}`).to.deep.equal([])
      await console.shoot(`push-written-${width}`)
    }
    await console.look(1280, 'light')
    await console.press('Review and send')
    await console.sees('Schedule for 4 devices?')
    await console.shoot('push-review')
    await console.press('Schedule for 4 devices')
    await console.sees('It is scheduled')
    const sent = (await found('Good morning'))!
    expect(sent.filters).to.deep.equal({ broadcast: true, excludeInstallIds: ['install-0'] })
    expect(sent.schedule).to.deep.equal({ strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' })
  })

  it('a send above the size that the app sets must be typed, and can be taken back', async () => {
    const { program, first } = console.server
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: 2 }))
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await writeIt('Too many')
    await console.sees('5 devices get it')
    await console.press('Review and send')
    await console.sees('Send to 5 devices?')
    const isOff = `document.querySelector('dialog button[type="submit"]').getAttribute('aria-disabled')`
    expect(await console.page.evaluate(isOff)).to.equal('true')
    await console.type('Type 5 to confirm', '5')
    await console.press('Send to 5 devices')
    await console.sees('Sending to 5 devices')
    await console.shoot('push-undo')
    expect(await console.page.evaluate(`localStorage.getItem('appsvc.draft.push-${console.appId}')`)).to.equal(null)
    await console.press('Undo')
    await console.sees('Nothing was sent')
    expect((await found('Too many'))!.status).to.equal(4)
    expect(await console.page.evaluate(`document.querySelector('[name="content.title"]').value`)).to.equal('Too many')
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: null }))
  })

  it('keeps the draft when the page is loaded again', async () => {
    await console.visit(`${base}/push/new`)
    await writeIt('Half written')
    await console.choose('Everybody')
    await console.visit(`${base}/push/new`)
    await console.sees('This is what you wrote last time.')
    expect(await console.page.evaluate(`document.querySelector('[name="content.title"]').value`)).to.equal(
      'Half written',
    )
    expect(await console.page.evaluate(`document.querySelector('input[value="everybody"]').checked`)).to.equal(true)
    await console.press('Start afresh')
    expect(await console.page.evaluate(`document.querySelector('[name="content.title"]').value`)).to.equal('')
  })

  it('fills the page with an earlier push of whatever program, and loses no field of it', async () => {
    const { server, appId } = console
    const whole = {
      target: { channelUuids: ['hidden'], excludeInstallIds: ['install-2'] },
      content: { title: 'Whole', message: 'All of it', url: 'https://example.com/a', data: { screen: 'x' } },
      ...SHOWN_ON_PHONES,
      userMeta: { vienna: { seat: 3 } },
      ttl: 90,
      rateLimit: 50,
      priority: 'transactional',
    }
    await server.program.inTransaction(async (tx) => {
      const { id } = await tx.channels.create(appId, { uuid: 'hidden', name: 'Hidden' })
      await tx.subscriptions.changeSubscribers(appId, id, { userIds: ['vienna'] }, { subscribe: true, all: true })
    })
    const schedule = { sendAt: '2031-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }
    const sent = await server.call('POST', '/messages/v2/notifications', { body: { ...whole, schedule } })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    const { id } = (sent.body as { notification: { id: number } }).notification
    await console.visit(`${base}/push/new?from=${id}`)
    await console.sees('hidden, which is not offered')
    await console.sees('1 device gets it')
    expect(await console.page.evaluate(`document.querySelector('[name="content.title"]').value`)).to.equal('Whole')
    expect(await console.page.evaluate(`document.querySelector('input[value="now"]').checked`)).to.equal(true)
    await console.press('Review and send')
    await console.press('Send to 1 device')
    await console.sees('Sending to 1 device')
    const again = (await all()).find((one) => one.content.title === 'Whole' && one.id !== id)!
    expect(await server.program.notifications.again(appId, again.id)).to.deep.equal(whole)
    await server.call('DELETE', `/messages/v2/scheduled-notifications/${again.id}`)
  })

  it('what the server refuses is marked at its field, also in a part that is folded in', async () => {
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await writeIt('Wrong')
    await console.page.evaluate(`document.querySelectorAll('details.more').forEach((one) => (one.open = true))`)
    await console.type('Picture', 'nowhere')
    await console.type('Data for your reports', '{"a": 1}')
    await console.page.waitForFunction(
      `document.querySelector('[name="picture"]').getAttribute('aria-invalid') === 'true'`,
    )
    await console.type('Picture', 'https://example.com/p.png')
    await console.page.waitForFunction(`!document.querySelector('[name="picture"]').hasAttribute('aria-invalid')`)
    // Only a send looks at the time that a push lives.
    await console.type('Expires after', '5000000')
    await console.page.evaluate(`document.querySelectorAll('details.more').forEach((one) => (one.open = false))`)
    await console.press('Review and send')
    await console.press('Send to 5 devices')
    await console.page.waitForFunction(`document.activeElement.name === 'ttl'`)
    await console.sees('at most 2419200')
    expect(await console.page.evaluate(`document.querySelector('[name="content.title"]').value`)).to.equal('Wrong')
    expect(await found('Wrong')).to.equal(undefined)
  })

  it('shows what each device would get, from the payloads', async () => {
    await console.visit(`${base}/push/new`)
    await writeIt('Fresh bread')
    await console.sees('of 4,096 bytes')
    for (const name of ['Android', 'Huawei', 'Browsers and UnifiedPush', 'Safari on Mac', 'iPhone and iPad']) {
      await console.page.locator(`::-p-xpath(//button[@aria-pressed and normalize-space()="${name}"])`).click()
      await console.page.waitForFunction(`document.querySelector('.push-card strong').textContent === 'Fresh bread'`)
    }
    // Nobody types that much; a draft has it.
    await console.page.evaluate(`localStorage.setItem('appsvc.draft.push-${console.appId}', JSON.stringify(
      { at: Date.now(), value: { 'content.title': 'T', 'content.message': 'x'.repeat(5000) } }))`)
    await console.visit(`${base}/push/new`)
    await console.sees('Too long for Android')
  })

  it('sends a test to a device of the team', async () => {
    await console.visit(`${base}/push/new`)
    await writeIt('Only a test')
    await console.type('Name of the device', 'Pixel')
    await console.type('Install id', 'install-1')
    await console.press('Add the device')
    await console.sees('Pixel is a test device now.')
    await console.choose('Pixel')
    await console.press('Send the test')
    await console.sees('The test is on its way.')
    await eventually(async () => (await found('Only a test')) !== undefined, 'the test was accepted')
    expect((await found('Only a test'))!.filters).to.deep.equal({ installIds: ['install-1'] })
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(console.server)
    await deliverDue(console.server, sender)
    expect(sent).to.deep.equal(['token-1'])
    await console.sees('Accepted by Google')
  })

  it('asks somebody else where the app wants a second person', async () => {
    const { program, first } = console.server
    await program.inTransaction((tx) => tx.apps.setSecondPerson(first.id, true))
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await writeIt('With care')
    await onEachClock()
    await console.sees('5 devices get it')
    await console.press('Review and ask')
    await console.press('Ask for approval')
    await console.sees('Waits')
    expect(await found('With care')).to.equal(undefined)
    await console.enter([{ appId: first.id, role: 'marketer' }])
    await console.visit(`${base}/push/approvals`)
    await console.press('Review')
    await console.sees('Approve and send to 5 devices')
    await console.sees('May 1, 2031')
    await console.shoot('push-approve')
    await console.press('Approve and send to 5 devices')
    await eventually(async () => (await found('With care')) !== undefined, 'the push was accepted')
    await program.inTransaction((tx) => tx.apps.setSecondPerson(first.id, false))
  })

  it('a viewer has no way to it', async () => {
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(base)
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('Compose a push')
    await console.visit(`${base}/push/new`)
    expect(await console.page.evaluate(`document.querySelector('input[name="who"]')`)).to.equal(null)
    await console.enter()
  })
})
