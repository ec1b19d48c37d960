import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { HTTPRequest } from 'puppeteer-core'
import type { Areas } from '../../src/program.ts'
import { eventually } from '../support/eventually.ts'
import { followUntil } from '../support/following.ts'
import { applyFiles, type FilledAudience, fillAudience } from './support/audience.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('segments and channels in the console', () => {
  let console: OpenConsole
  let made: FilledAudience

  useConsole(async (opened) => {
    console = opened
    made = await fillAudience(console.server)
  })

  /** Chooses in the list of the browser with this label. */
  async function choose(label: string, value: string): Promise<void> {
    const found = await console.page.waitForSelector(`select[aria-label="${label}"]`)
    await found!.select(value)
  }
  const segments = async () => (await console.server.program.segments.list(console.appId, { limit: 50 })).segments
  const at = (path: string) => `/apps/${console.appId}${path}`

  it('a marketer builds a nested segment and sees its count change', async () => {
    await console.visit(at('/segments'))
    await console.press('New segment')
    await console.type('Name', 'Gold or young')
    await choose('Field of condition 1', 'attributes.plan')
    await console.type('Value of condition 1', 'gold')
    await console.sees('33% of all devices')
    await console.press('Add a group')
    await choose('Field of condition 2.1', 'attributes.age')
    await choose('Operator of condition 2.1', 'lessThan')
    await console.type('Value of condition 2.1', '22')
    await console.sees('8.3% of all devices')
    await choose('How the conditions are joined', 'or')
    await console.sees('42% of all devices')
    await console.sees('user-01')
  })

  it('changes it as JSON, which changes the rows, and saves it', async () => {
    const filter = {
      and: [
        { field: 'attributes.address.city', op: 'in', value: ['Graz', 'Vienna'] },
        { not: { field: 'channel', op: 'equals', value: 'weekly' } },
      ],
    }
    await console.press('The filter as JSON')
    await console.type('Filter', JSON.stringify(filter))
    await console.sees('75% of all devices')
    expect(
      await console.page.$eval(
        'select[aria-label="Negation of condition 2"]',
        (one) => (one as never as { value: string }).value,
      ),
    ).to.equal('not')
    await console.press('Remove Vienna')
    await console.press('Create the segment')
    await console.sees('Nothing waits to be sent to it')
    const saved = (await segments()).at(-1)!
    expect(saved.name).to.equal('Gold or young')
    expect(saved.filter).to.deep.equal({
      and: [{ field: 'attributes.address.city', op: 'in', value: ['Graz'] }, filter.and[1]],
    })
  })

  it('counts an event that was seen, with what is stored, and says how far it is', async () => {
    const { program, clock } = console.server
    const bought = (i: number, amount: number) => ({
      type: 'cart.bought',
      uuid: `bought-${i}`,
      userId: `user-0${i}`,
      timestamp: clock.now(),
      data: { amount },
    })
    await program.inTransaction((tx) => tx.serverEvents.take(console.appId, [bought(1, 30), bought(2, 10)]))
    clock.advance(60_000)
    await console.visit(at('/segments/new'))
    await console.type('Name', 'Bought for 20')
    await choose('Field of condition 1', 'event.cart.bought')
    await console.sees('How often it happens')
    await console.page.select('select[name="field"]', 'data.amount')
    await console.page.select('select[name="op"]', 'atLeast')
    await console.type('Value', '20')
    await console.press('Count it')
    await console.sees('0 % read')
    expect(await program.metrics.get(console.appId, 'cart.bought')).to.deep.include({
      event: 'cart.bought',
      where: { field: 'data.amount', op: 'atLeast', value: 20 },
      value: null,
      backfilled: 0,
    })
    await followUntil(console.server, undefined, ({ metrics }) => metrics.follows<Areas>())
    await console.sees('8.3% of all devices')
    await console.press('Create the segment')
    await console.sees('Nothing waits to be sent to it')
    expect((await segments()).at(-1)!.filter).to.deep.equal({
      field: 'metrics.cart.bought',
      op: 'atLeast',
      value: 1,
      withinDays: 30,
    })
  })

  it('says beside the row what is wrong with it', async () => {
    await console.visit(at('/segments/new'))
    await console.press('The filter as JSON')
    await console.type('Filter', '{"field": "appVersion", "op": "atLeast", "value": "new"}')
    await console.sees('must be a version that begins with a number')
    await console.type('Filter', '{"field": "appVersion", "op"')
    await console.sees('Line 1, column')
    await console.page.evaluate('localStorage.clear()')
  })

  it('says that the server is away, keeps what was typed, and saves once by a double click when it is back', async () => {
    const { page } = console
    const { id } = (await segments()).at(-1)!
    await console.visit(at(`/segments/${id}`))
    await console.type('Name', 'Typed while it was away')
    await page.setOfflineMode(true)
    await console.press('Save the segment')
    await console.sees('What you see may be old.')
    await page.setOfflineMode(false)
    await console.misses('What you see may be old.')
    const writes: string[] = []
    const note = (request: HTTPRequest) => request.method() === 'PUT' && writes.push(request.url())
    page.on('request', note)
    const save = await page.waitForSelector('.form-foot button[type="submit"]')
    await save!.click({ count: 2, delay: 200 })
    await console.sees('The segment is saved.')
    page.off('request', note)
    expect((await segments()).at(-1)!.name).to.equal('Typed while it was away')
    expect(writes).to.have.length(1)
  })

  it('asks before it saves over what somebody else has saved meanwhile', async () => {
    const { id } = (await segments()).at(-1)!
    const { program } = console.server
    const rename = (name: string) => program.inTransaction((tx) => tx.segments.update(console.appId, { id }, { name }))
    await console.visit(at(`/segments/${id}`))
    await console.type('Name', 'Mine')
    await rename('Theirs')
    await console.press('Save the segment')
    await console.sees('Somebody else has changed this since you opened it')
    expect((await segments()).at(-1)!.name).to.equal('Theirs')
    await console.press('Save mine over it')
    await console.sees('The segment is saved.')
    expect((await segments()).at(-1)!.name).to.equal('Mine')
    await console.type('Name', 'Mine again')
    await rename('Theirs again')
    await console.press('Save the segment')
    await Promise.all([
      console.page.waitForNavigation(),
      console.page.locator('::-p-text(Drop mine and load theirs)').click(),
    ])
    await console.page.waitForFunction(`document.querySelector('[name="name"]')?.value === 'Theirs again'`)
    await console.type('Name', 'Half')
    await rename('Later')
    await console.visit(at(`/segments/${id}`))
    await console.sees('Somebody else has changed it since: saving takes that back.')
    await console.press('Start afresh')
    await console.page.waitForFunction(`document.querySelector('[name="name"]')?.value === 'Later'`)
  })

  it('counts a segment of the list that nobody has counted, and sends to it', async () => {
    const { id, name, uuid } = (await segments()).at(-1)!
    await console.visit(at('/segments'))
    await eventually(async () => (await segments()).at(-1)!.size !== null, 'the size is stored')
    await console.press(`Count ${name} again`)
    await console.visit(at(`/segments/${id}`))
    await console.press('Send to this segment')
    await console.sees('Who gets it')
    const chosen = () =>
      console.page.$$eval('select', (all) => all.map((one) => (one as never as { value: string }).value))
    await eventually(async () => (await chosen()).includes(uuid), 'the segment is chosen')
  })

  it('shows where a segment is used, and does not delete it then', async () => {
    const { id, uuid } = (await segments()).at(-1)!
    const { server } = console
    const sent = await server.call('POST', '/messages/v2/notifications', {
      body: {
        target: { segmentUuid: uuid },
        content: { title: 'T', message: 'M' },
        schedule: { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' },
      },
    })
    const { notification } = sent.body as { notification: { id: number } }
    await console.visit(at(`/segments/${id}`))
    await console.sees(`Notification ${notification.id}`)
    await console.press('Delete')
    await console.sees('It cannot be deleted yet')
    // The cross has that name too.
    await console.page.keyboard.press('Escape')
    await server.call('DELETE', `/messages/v2/scheduled-notifications/${notification.id}`)
    await console.press('Delete')
    await console.press('Delete the segment')
    await console.sees('The segment is deleted.')
    expect((await segments()).map((one) => one.id)).to.not.include(id)
  })

  it('imports a CSV file with refused lines and downloads them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'audience-'))
    const file = join(folder, 'more.csv')
    writeFileSync(file, 'user-03\n"nobody, again"\nuser-04\nghost\n')
    const { browser } = console
    const downloads = await browser.browser().target().createCDPSession()
    const browserContextId = browser.id!
    await downloads.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, browserContextId })
    await console.visit(at(`/channels/${made.channelId}`))
    await console.press('Import')
    const input = await console.page.waitForSelector('input[type="file"]')
    await input!.uploadFile(file)
    await console.sees('0 of 4 lines')
    await applyFiles(console.server)
    await console.sees('2 of 4 lines are subscribed.')
    await console.sees('2 lines name nobody')
    await console.sees('nobody, again')
    await console.press('Download 2 lines')
    const saved = join(folder, 'unknown-users.csv')
    await eventually(() => existsSync(saved), 'the download is there')
    expect(readFileSync(saved, 'utf8')).to.equal('"nobody, again"\r\nghost\r\n')
    expect((await console.server.program.channels.counts(console.appId, made.channelId)).users).to.equal(5)
  })

  it('says of a file that cannot be used which line is wrong', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'audience-')), 'wrong.csv')
    writeFileSync(file, 'user-05\nuser-06,gold\n')
    await console.look(390, 'light')
    const input = await console.page.waitForSelector('input[type="file"]')
    await input!.uploadFile(file)
    await console.sees('Nobody was subscribed, because wrong.csv cannot be used: line 2')
    // On a phone, too.
    expect(await console.axe()).to.deep.equal([])
    expect(await console.page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(390)
    await console.look(1280, 'light')
  })

  it('subscribes people, says who is not known, finds and unsubscribes them', async () => {
    await console.press('Members')
    await console.press('Subscribe people')
    await console.type('User ids', 'user-09\nstranger')
    await console.press('Subscribe 2')
    await console.sees('The one that is left here is not known')
    await console.page.keyboard.press('Escape')
    await console.type('Search members', 'user-09')
    await console.press('Unsubscribe user-09')
    await console.press('Unsubscribe')
    await console.sees('user-09 is not subscribed any more.')
    await console.sees('Nobody found')
  })

  it('makes, renames and deletes a channel with the keyboard alone', async () => {
    const { page } = console
    await console.visit(at('/channels'))
    const go = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        const now = await page.evaluate(
          `(document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel ?? document.activeElement.innerText ?? '').trim()`,
        )
        if (String(now).startsWith(name)) return
      }
      throw new Error(`the Tab key does not reach ${name}`)
    }
    const shows = (path: string) =>
      page.waitForFunction(`location.pathname.endsWith(${JSON.stringify(path)}) && document.querySelector('h1')`)
    await go('New channel')
    await page.keyboard.press('Enter')
    await shows('/channels/new')
    await go('Name')
    await page.keyboard.type('Run club')
    await go('Identifier')
    await page.keyboard.type('run-club')
    await page.keyboard.press('Enter')
    await console.sees('Nobody is subscribed yet')
    await console.server.call('POST', '/messages/v2/channels/run-club/subscriptions', {
      body: { userIds: ['user-01'] },
    })

    await page.reload()
    await console.sees('user-01')
    await go('Members')
    await page.keyboard.press('End')
    await go('Name')
    await page.keyboard.down('Control')
    await page.keyboard.press('KeyA')
    await page.keyboard.up('Control')
    await page.keyboard.type('Runners')
    await page.keyboard.press('Enter')
    await console.sees('The channel is saved.')
    expect((await console.server.program.channels.get(console.appId, { uuid: 'run-club' })).name).to.equal('Runners')

    await page.evaluate(`document.querySelector('h1').focus()`)
    await go('Delete')
    await page.keyboard.press('Enter')
    await console.sees('It takes along the subscriptions of 1 user.')
    await page.keyboard.type('run-club')
    await page.keyboard.press('Enter')
    await console.sees('The channel is deleted.')
    const { channels } = await console.server.program.channels.list(console.appId, { limit: 50 })
    expect(channels.map(({ uuid }) => uuid)).to.deep.equal(['weekly'])
  })

  it('shows viewers what they may see, and no button that they may not press', async () => {
    await console.leave()
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(at(`/segments/${made.segmentId}`))
    await console.sees('plan is go••• or (age is less than •••')
    await console.visit(at(`/channels/${made.channelId}`))
    await console.sees('us•••')
    const buttons = await console.page.$$eval('main button, main a.button', (all) =>
      all.map((one) => one.textContent ?? ''),
    )
    expect(buttons.filter((text) => /Delete|Subscribe|Unsubscribe|Settings|Save|New/.test(text))).to.deep.equal([])
  })
})
