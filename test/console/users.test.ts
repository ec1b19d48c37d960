import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runErasures } from '../../src/domain/erasures/run.ts'
import { erasing } from '../support/erasures.ts'
import { makeProfileWorld, type ProfileWorld } from '../support/profile-world.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('users in the console', () => {
  let console: OpenConsole
  let world: ProfileWorld
  let base: string

  useConsole(async (opened) => {
    console = opened
    world = await makeProfileWorld(console.server)
    base = `/apps/${console.appId}`
  })

  const atUser = (id: number) => console.page.waitForFunction(`location.pathname.endsWith('/users/${id}')`)

  it('somebody finds a user by an attribute that is suggested', async () => {
    await console.visit(`${base}/users`)
    await console.sees('bob@example.com')
    await console.type('Find users', 'plan = g')
    await console.sees('plan = gold')
    await console.page.keyboard.press('ArrowDown')
    await console.page.keyboard.press('Enter')
    await console.misses('bob@example.com')
    await console.press('alice@example.com')
    await atUser(world.alice)
    await console.sees('Devices (2)')
  })

  it('the list fits the page beside the navigation of a narrow window', async () => {
    await console.visit(`${base}/users`)
    await console.sees('bob@example.com')
    for (const width of [900, 960, 1024]) {
      await console.look(width, 'light')
      const [inner, frame] = await console.page.$eval('.table-wrap', (one) => [one.scrollWidth, one.clientWidth])
      expect(inner, `${width} px`).to.equal(frame)
    }
    await console.look(1280, 'light')
  })

  it('and by the id of an install', async () => {
    await console.visit(`${base}/users`)
    await console.type('Find users', 'bob-phone')
    await console.page.waitForSelector('[role="option"]')
    await console.page.keyboard.press('ArrowDown')
    await console.page.keyboard.press('Enter')
    await atUser(world.bob)
    await console.sees('bob@example.com')
  })

  it('they learn why a person got nothing: notifications are off, or they are not in the channel', async () => {
    await console.visit(`${base}/users/${world.bob}?tab=why`)
    await console.press('T')
    await console.sees('They did not get it')
    await console.sees('Notifications of the app are turned off on this device')
    await console.sees('The person can turn them on')
    await console.press('Fresh bread')
    await console.sees('this device is not subscribed to it')
    await console.sees('Subscribe them to the channel')
  })

  it('they see what happened to a person', async () => {
    await console.visit(`${base}/users/${world.alice}?tab=timeline`)
    await console.sees('Opened a push')
    await console.sees('Push “Fresh bread”')
  })

  it('they edit an attribute and subscribe the person to a channel', async () => {
    await console.visit(`${base}/users/${world.alice}`)
    await console.press('Edit attributes')
    await console.type('Name', 'plan')
    await console.type('Value', 'platinum')
    await console.press('Store this attribute')
    await console.sees('platinum')
    const { program, first } = console.server
    expect(await program.crm.attributes(first.id, 'alice@example.com')).to.include({ plan: 'platinum', visits: 12 })
    await console.press('Subscribe')
    await console.type('Channel', 'Off')
    await console.page.waitForSelector('.dialog [role="option"]')
    await console.page.keyboard.press('Enter')
    await console.press('Subscribe to this channel')
    await console.sees('Subscribed to Offers.')
    expect((await program.subscriptions.ofUser(first.id, world.alice)).map(({ uuid }) => uuid)).to.include('offers')
  })

  it('the page of a person is no wider than the window where text is twice as large', async () => {
    await console.visit(`${base}/users/${world.alice}`)
    await console.page.evaluate(`document.documentElement.style.fontSize = '200%'`)
    expect(await console.page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(1280)
  })

  it('they send a test push to that person alone', async () => {
    await console.visit(`${base}/users/${world.alice}`)
    await console.press('Send a test')
    await console.press('Send it to this user')
    await console.sees('Which notification?')
    const { program, first } = console.server
    const [newest] = (await program.notifications.list(first.id, { limit: 1 })).notifications
    expect(newest!.content).to.include({ title: 'Test' })
  })

  it('they export everything about a person, and the audit log notes it', async () => {
    await console.visit(`${base}/users/${world.alice}`)
    // What would be saved: a download needs a folder that Chromium may write to.
    await console.page.evaluate(`(() => {
      HTMLAnchorElement.prototype.click = function () { window.saved = { name: this.download } }
      const make = URL.createObjectURL
      URL.createObjectURL = (blob) => { blob.text().then((text) => { window.savedText = text }); return make(blob) }
    })()`)
    await console.press('More')
    await console.press('Export everything')
    await console.press('Save the file')
    await console.page.waitForFunction('window.savedText !== undefined')
    expect(await console.page.evaluate('window.saved.name')).to.equal(`user-${world.alice}.ndjson`)
    expect(await console.page.evaluate('window.savedText'))
      .to.include('alice@example.com')
      .and.include('"table":"events"')
    const { entries } = await console.server.program.audit.list({ limit: 1 })
    expect(entries[0]).to.include({ action: 'users.export' })
  })

  it('they find a part of a word, see how many fit, and set an attribute of all of them', async () => {
    const { program, first } = console.server
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, 'dora', { city: 'Heidelberg' }))
    await console.visit(`${base}/users?q=eidelb`)
    await console.sees('1 user fits.')
    await console.press('With all who fit')
    await console.press('Set an attribute')
    await console.sees('For 1 user.')
    await console.type('Name', 'visits')
    await console.type('Value', '7')
    await console.press('Set an attribute')
    await console.sees('Done with 1 user.')
    expect(await program.crm.attributes(first.id, 'dora')).to.deep.equal({ city: 'Heidelberg', visits: 7 })
    await console.press('Close')
  })

  it('they choose users, and compose a push to them', async () => {
    await console.visit(`${base}/users?sort=identifier`)
    await console.sees('dora')
    await console.page.click('input[aria-label="Choose dora"]')
    await console.page.click('input[aria-label="Choose bob@example.com"]')
    await console.press('With 2 chosen')
    await console.press('Send a push')
    await console.sees('For 2 users.')
    await console.press('Send a push to them')
    await console.sees('User ids')
    const named = `[...document.querySelectorAll('textarea')].some(({ value }) => value === 'dora\\nbob@example.com')`
    await console.page.waitForFunction(named)
  })

  it('they import a file after a look at its lines, and what is refused is told', async () => {
    const { program, first } = console.server
    const file = join(tmpdir(), 'people.csv')
    writeFileSync(
      file,
      'user_id,plan,visits,address.city,known\r\ndora,gold,12,Köln,true\r\nemil,"a ""b""",3,,true\r\n,free,1,,\r\nfritz,x,y,z\r\n',
    )
    await console.visit(`${base}/users`)
    await console.press('Import')
    const input = (await console.page.waitForSelector('input[type="file"]'))!
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file)
    await console.sees('The first of 2 users')
    await console.sees('has 4 cells, the first line has 5')
    await console.press('Check all lines')
    await console.sees('1 will be created, 1 will be changed, 0 the same, 2 refused')
    expect(await program.crm.countUsers(first.id)).to.equal(4)
    await console.press('Import')
    await console.sees('1 created, 1 changed, 0 the same, 2 refused')
    expect(await program.crm.attributes(first.id, 'dora')).to.deep.equal({
      city: 'Heidelberg',
      visits: 12,
      plan: 'gold',
      address: { city: 'Köln' },
    })
    expect(await program.crm.attributes(first.id, 'emil')).to.deep.equal({ plan: 'a "b"', visits: 3 })
  })

  it('they put the users of a file on the suppression list', async () => {
    const { program, first } = console.server
    const file = join(tmpdir(), 'gone.csv')
    writeFileSync(file, 'emil\nnobody@example.com\n')
    await console.visit(`${base}/users/import`)
    const input = (await console.page.waitForSelector('input[type="file"]'))!
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file)
    await console.sees('The first of 2 users')
    await console.page.select('select', 'suppress')
    await console.type('Reason', 'list of the former provider')
    await console.press('Put them on the list')
    await console.sees('2 put on the list, 0 on it already')
    expect(await program.suppressions.get(first.id, 'emil')).to.include({ reason: 'list of the former provider' })
  })

  it('they erase users who were chosen, after typing how many', async () => {
    await console.visit(`${base}/users`)
    await console.sees('emil')
    await console.page.click('input[aria-label="Choose emil"]')
    await console.press('With 1 chosen')
    await console.press('Erase')
    await console.type('Type erase 1 to confirm', 'erase 1')
    await console.press('Erase these users')
    await console.sees('Done with 1 user.')
    const { entries } = await console.server.program.audit.list({ limit: 1 })
    expect(entries[0]).to.include({ action: 'users.delete' })
    await console.press('Close')
  })

  it('they stop an erasure of many at the user that it is at, and those who are left stay', async () => {
    const { program, first } = console.server
    for (let i = 0; i < 30; i++) await program.inTransaction((tx) => tx.crm.putAttributes(first.id, `many-${i}`, {}))
    await console.visit(`${base}/users?q=many-`)
    await console.sees('30 users fit.')
    await console.press('With all who fit')
    await console.press('Erase')
    await console.type('Type erase 30 to confirm', 'erase 30')
    // The third erasure is held until the dialog is closed.
    await console.page.evaluate(`(() => {
      const real = window.fetch
      let begun = 0
      window.fetch = async (address, options) => {
        if (options?.method === 'DELETE' && ++begun === 3) await new Promise((go) => (window.letGo = go))
        return real(address, options)
      }
    })()`)
    await console.press('Erase these users')
    await console.page.waitForFunction('window.letGo !== undefined')
    await console.press('Stop')
    await console.sees('2 users done.')
    await console.page.evaluate('window.letGo()')
    await console.page.waitForFunction(
      `performance.getEntriesByType('resource').filter(({ name }) => /users\\/many-/.test(name)).length === 3`,
    )
    const { entries } = await program.audit.list({ limit: 10 })
    expect(entries.filter(({ action }) => action === 'users.delete').length).to.be.at.most(5)
    await runErasures(erasing(console.server))
    expect((await program.profiles.find(first.id, { text: 'many-', limit: 100 })).ids).to.have.length(27)
  })

  it('they are told of somebody who is gone by now, and of an id that an address cannot have', async () => {
    const { program, first } = console.server
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, '..', { gone: 1 }))
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, 'gone-soon', { gone: 1 }))
    await console.visit(`${base}/users?q=gone%20%3D%201`)
    await console.sees('2 users fit.')
    await console.page.click('input[aria-label="Choose gone-soon"]')
    await console.page.click('input[aria-label="Choose .."]')
    await program.inTransaction((tx) => tx.erasures.request(first.id, 'user', 'gone-soon'))
    await runErasures(erasing(console.server))
    await console.press('With 2 chosen')
    await console.press('Subscribe to a channel')
    await console.type('Channel', 'Off')
    await console.page.waitForSelector('.dialog [role="option"]')
    await console.page.keyboard.press('Enter')
    await console.press('Subscribe to a channel')
    await console.sees('Done with 2 users, 1 could not be changed.')
    await console.press('Close')
    await console.page.click('input[aria-label="Choose .."]')
    await console.press('With 1 chosen')
    await console.press('Erase')
    await console.type('Type erase 1 to confirm', 'erase 1')
    await console.press('Erase these users')
    await console.sees('Done with 1 user, 1 could not be changed.')
    await console.press('Close')
    expect(await program.apps.find(first.id)).to.not.equal(undefined)
  })

  it('a viewer sees masked data, finds a person by the whole name, and has no button that they may not press', async () => {
    await console.leave()
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(`${base}/users?q=alice%40example.com`)
    await console.sees('Personal data is masked for you.')
    await console.press('al•••')
    await atUser(world.alice)
    await console.sees('Devices (2)')
    const text = String(await console.page.evaluate('document.body.innerText'))
    for (const secret of ['alice@', 'alice-phone', 'platinum', 'Edit attributes', 'Send a test', 'Unsubscribe']) {
      expect(text).to.not.include(secret)
    }
    await console.leave()
    await console.enter()
  })

  it('they erase a person after typing the name, and see when nothing is left', async () => {
    await console.visit(`${base}/users/${world.carol}`)
    await console.press('More')
    await console.press('Erase this user')
    await console.type('Type carol@example.com to confirm', 'carol@example.com')
    await console.page.keyboard.press('Enter')
    await console.sees('It goes on when you leave this page.')
    await runErasures(erasing(console.server))
    await console.sees('Nothing is left of them.')
    await console.press('Back to all users')
    await console.sees('bob@example.com')
    expect(String(await console.page.evaluate('document.body.innerText'))).to.not.include('carol')
  })

  it('they read the stack of a crash and see who is checked in', async () => {
    await console.visit(`${base}/crashes`)
    await console.press('java.lang.IllegalStateException')
    await console.sees('at com.example.Main.run')
    await console.visit(`${base}/checkins?state=open`)
    await console.sees('Bakery')
    await console.sees('still there')
  })
})
