import { expect } from 'chai'
import type { CDPSession } from 'puppeteer-core'
import { codeOfStep } from '../../src/domain/admins/second-factor/totp.ts'
import { type OpenConsole, openConsole } from './support/console.ts'

/** A sign-in counts as fresh for ten minutes. */
const FRESH_MS = 11 * 60_000
const PASSWORD = 'four or five good words'

describe('signing in to the console', () => {
  let console: OpenConsole
  /** Has the authenticator of the page, as long as there is one. */
  let devtools: CDPSession | undefined

  before(async function () {
    console = await openConsole(this, { roles: [], isNamed: true })
  })
  after(() => console?.close())
  afterEach(async () => {
    await devtools?.detach()
    devtools = undefined
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  it('from the one-time link to an account, an app and its keys', async () => {
    await console.visit('/')
    await console.sees('Set this server up')
    const { token } = await console.server.program.inTransaction((tx) => tx.admins.setupLink())
    await console.visit(`/setup#token=${token}`)
    await console.type('Your name', 'Anna Visser')
    await console.type('E-mail', 'anna@example.com')
    await console.type('Password', 'too short')
    await console.press('Create the account')
    await console.sees('must have at least 15 characters')
    await console.type('Password', PASSWORD)
    await console.press('Create the account')
    await console.sees('Sends and opens')
    expect(await console.page.evaluate('location.pathname')).to.equal(`/console/apps/${console.appId}`)
  })
  it('with the second step, and with a recovery code once the phone is lost', async () => {
    const { page, server } = console
    await console.visit('/account')
    server.clock.advance(FRESH_MS)
    await console.press('Turn it on')
    await confirm()
    await console.sees('Scan this with an authenticator app')
    await page.waitForSelector('img.qr')
    const secret = (await page.$eval('dialog .copyable .mono', (text) => text.textContent))!
    await console.type('Code of the app', '000000')
    await console.press('Turn it on')
    await console.sees('is not the code that the app shows now')
    await console.type('Code of the app', codeOfStep(bytesOf(secret), Math.floor(server.clock.now() / 30_000)))
    await console.press('Turn it on')
    await console.sees('Keep these recovery codes')
    const [recovery] = (await page.$eval('dialog .once', (codes) => codes.innerText))!.split('\n')
    await console.press('Copy')
    await console.press('Done')

    await signOut()
    await console.type('E-mail', 'anna@example.com')
    await console.type('Password', PASSWORD)
    await console.press('Sign in')
    await console.sees('Second step')
    await console.type('Code', '123456')
    await console.press('Continue')
    await console.sees('This code is not right')
    await console.type('Code', recovery)
    await console.press('Continue')
    await console.sees('Your account')
    await console.press('Turn it off')
    await console.press('Turn it off')
    await console.sees('The second step is off.')
  })

  it('with a passkey', async () => {
    devtools = await console.page.createCDPSession()
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await console.visit('/account')
    await console.press('Add a passkey')
    await console.type('Name', "Anna's phone")
    await console.press('Continue')
    await console.sees('The passkey is there.')
    await console.misses('The device that keeps it')
    await console.sees("Anna's phone")
    await signOut()
    await console.press('Sign in with a passkey')
    await console.sees('Your account')
  })

  it('a wrong password is refused without saying which part was wrong, and the address stays', async () => {
    await signOut()
    await console.visit(`/apps/${console.appId}`)
    await console.type('E-mail', 'anna@example.com')
    await console.type('Password', 'not her password at all')
    await console.press('Sign in')
    await console.sees('wrong')
    await console.type('Password', PASSWORD)
    await console.press('Sign in')
    await console.sees('Sends and opens')
    expect(await console.page.evaluate('location.pathname')).to.equal(`/console/apps/${console.appId}`)
  })

  it('after the session has ended, back to the page and to what was typed there', async () => {
    const { page, appId } = console
    for (const [path, label, name] of [
      ['push/new', 'Title', 'content.title'],
      ['segments/new', 'Name', 'name'],
    ] as const) {
      await console.visit(`/apps/${appId}/${path}`)
      await console.type(label, 'Half of it')
      await console.leave()
      // Whatever the console asks for next meets the end of the session.
      await page.evaluate(
        `history.pushState(null, '', '/console/account'); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      await console.sees('Your session has ended. What you typed is kept.')
      await page.evaluate('history.back()')
      await console.type('E-mail', 'anna@example.com')
      await console.type('Password', PASSWORD)
      await console.press('Sign in')
      await console.sees('This is what you wrote last time.')
      expect(await page.evaluate('location.pathname')).to.equal(`/console/apps/${appId}/${path}`)
      const typed = await page.$eval(`[name="${name}"]`, (input) => (input as unknown as { value: string }).value)
      expect(typed).to.equal('Half of it')
    }
  })

  async function confirm(): Promise<void> {
    await console.sees('Confirm it is you')
    await console.type('Password', PASSWORD)
    await console.press('Confirm')
  }

  async function signOut(): Promise<void> {
    await console.visit('/account')
    const menu = await console.page.waitForSelector('.side-foot button')
    await menu!.click()
    await console.page.waitForSelector('[role="menu"]:popover-open')
    await console.press('Sign out')
    await console.sees('to the console of this server')
  }
})

/** Base 32 without padding (RFC 4648). */
function bytesOf(text: string): Buffer {
  const bits = [...text].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}
