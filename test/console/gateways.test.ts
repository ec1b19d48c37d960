import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ElementHandle, HTTPRequest } from 'puppeteer-core'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { addInstall } from '../support/installs.ts'
import { type OpenConsole, openConsole } from './support/console.ts'

describe('gateways and keys in the console', () => {
  let console: OpenConsole
  let sandbox: Sandbox
  let dir: string

  before(async function () {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-gateways-'))
    sandbox = await startSandbox({
      dir,
      clock: { ...systemClock, now: () => console?.server.clock.now() ?? Date.now() },
    })
    console = await openConsole(this, { settings: { ...sandbox.settings, 'gateways.caFile': join(dir, 'ca.pem') } })
    // Certificates are judged by the machine's clock.
    console.server.clock.set(Date.now())
    await console.enter()
  })
  after(async () => {
    await console?.close()
    await sandbox?.close()
    rmSync(dir, { recursive: true, force: true })
  })
  afterEach(() => {
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  const at = (path: string) => `/apps/${console.appId}${path}`
  const drop = async (file: string) => {
    const input = (await console.page.waitForSelector('input[type="file"]')) as ElementHandle<never>
    await input.uploadFile(file)
  }

  it('an operator drops the wrong file and reads which it is, drops a service account, and sees what was recognised', async () => {
    await console.visit(at('/gateways'))
    await console.press('Set up Android')
    await console.sees('Generate new private key')
    const wrong = join(dir, 'google-services.json')
    writeFileSync(wrong, JSON.stringify({ project_info: { project_id: 'shop' }, client: [] }))
    await drop(wrong)
    await console.sees('The file is google-services.json, which is built into the app')
    await drop(join(dir, 'push.p12'))
    await console.sees('push.p12 is not a JSON file')
    await drop(join(dir, 'service-account.json'))
    await console.sees('This is what was recognised. Nothing is saved yet.')
    await console.sees('appsvc-sandbox')
    expect(await console.server.program.gateways.list(console.appId)).to.deep.equal([])
    await console.press('Save the gateway')
    await console.sees('Replace the credential')
    expect((await console.server.program.gateways.list(console.appId)).map(({ platform }) => platform)).to.deep.equal([
      'android',
    ])
    expect(await console.page.content()).to.not.include('PRIVATE KEY')
  })

  it('a check asks the vendor and tells the remedy', async () => {
    await console.press('Check now')
    await console.sees('FCM accepts the service account for project appsvc-sandbox.')
    await sandbox.setPlan({ rules: [{ match: { on: 'fcm-token' }, effect: { reason: 'invalid_grant' } }] })
    await console.press('Check now')
    await console.sees('the key was deleted: make a new one for the service account')
    await sandbox.setPlan({})
  })

  it('a newcomer without a phone lets the other gateways lead to the sandbox, adds an iPhone, and sends it a push', async () => {
    await console.visit(at('/gateways'))
    await console.press('Use the sandbox')
    await console.sees('gateways lead to the sandbox')
    await console.press('Add an iPhone')
    await console.sees('iPhone of sandbox')
    await console.press('Send the test push')
    await console.sees('It is on its way.')
    const [install] = await console.server.program.crm.listInstalls(console.appId, 0, 10)
    expect(install!.subscribed).to.equal(true)
  })

  it('an operator drops the wrong file for the key of Apple, and reads so beside it', async () => {
    await console.visit(at('/gateways/ios'))
    await drop(join(dir, 'service-account.json'))
    await console.sees('service-account.json holds no key')
    await console.press('Certificate (.p12)')
    await drop(join(dir, 'service-account.json'))
    await console.sees('service-account.json is no certificate')
  })

  it('a new app has code with its keys, waits for the first install, and sends it a test push', async () => {
    await console.visit('/new-app')
    await console.type('Name', 'Corner shop')
    await console.press('Create the app')
    await console.sees('Corner shop is ready')
    await console.sees('Waiting for the first device…')
    const { program } = console.server
    const made = (await program.apps.list()).find(({ name }) => name === 'Corner shop')!
    const [api] = await program.apps.keys(made.id)
    const code = String(await console.page.$eval('[role="tabpanel"]', (panel) => panel.textContent))
    expect(code)
      .to.include(`apiKey: '${api!.value}'`)
      .and.to.match(/secretKey: 'dk_/)
    expect(code).to.include(`${new URL(console.page.url()).origin}/sdk/v1/worker.js`)
    await console.press('curl')
    expect(await console.page.$eval('[role="tabpanel"]', (panel) => panel.textContent)).to.match(/-u ak_\S+:sk_/)

    const block = await checkBlocks({ android: { serviceAccount: sandbox.credentials.serviceAccount } }, Date.now())
    await program.inTransaction((tx) => tx.gateways.configure(made.id, block))
    await addInstall(program, made.id, 'first-phone')
    await console.sees('has reported.')
    await console.press('Send it a test push')
    await console.sees('It is on its way.')
    const [push] = await program.kernel.db.read('notifications').where({ app_id: made.id })
    expect(JSON.parse((push as { target: string }).target)).to.have.property('kind', 'installs')
    await console.press('Copy')
  })

  it('removing a gateway tells what follows, and its name must be typed', async () => {
    await console.visit(at('/gateways/web'))
    await console.press('Remove it')
    await console.sees('Its keys are lost: browsers that subscribed must subscribe again.')
    await console.type('Type web to confirm', 'web')
    await console.press('Remove the gateway')
    await console.sees('The gateway Web Push is removed.')
  })

  it('a key with scopes is made and seen once, then only its beginning', async () => {
    await console.visit(at('/keys'))
    await console.page.waitForSelector('.card a[href="/docs"]')
    await console.press('New key')
    await console.type('Name', 'newsletter')
    await console.press('Create the key')
    await console.sees('It is shown this once.')
    const key = (await console.page.$eval('dialog .mono.once', (text) => text.textContent))!
    expect(key).to.match(/^ss_/)
    await console.press('Copy')
    await console.press('Done')
    await console.misses('It is shown this once.')
    await console.sees('newsletter')
    expect(await console.page.content()).to.not.include(key)
    expect((await console.server.program.serverKeys.authenticate(key))?.name).to.equal('newsletter')
  })

  it('a replaced server key goes on for a day, and the page counts down', async () => {
    await console.press('Replace the server key')
    await console.press('Replace the server key')
    await console.sees('Your new server key')
    await console.press('Copy')
    await console.press('Done')
    await console.misses('Your new server key')
    await console.sees('Ends')
    const keys = await console.server.program.apps.keys(console.appId)
    expect(keys.filter(({ kind }) => kind === 'server')).to.have.length(2)
  })

  it('signed users are switched on with a signing key that is shown once', async () => {
    const { signedIds } = console.server.program
    await console.choose('Tokens or plain identifiers')
    await console.press('Save the setting')
    await console.sees('Your new signing key')
    await console.press('Copy')
    await console.press('Done')
    await console.misses('Your new signing key')
    await console.sees('Never put it into an app.')
    await console.choose('Tokens only')
    await console.sees('Wait until most people have the new version.')
    await console.press('Save the setting')
    await eventually(async () => (await signedIds.report(console.appId)).mode === 'require', 'it is stored')
    await console.press('Replace the signing key')
    await console.page.select('[name="grace"]', '0')
    await console.sees('All tokens of users that were issued stop working at once.')
    await console.press('As command')
    await console.sees(`apps identity ${console.appId} --rotate --grace 0s`)
    await console.press('Replace the signing key')
    await console.sees('Your new signing key')
    await console.press('Copy')
    await console.press('Done')
    await console.misses('Your new signing key')
    expect((await signedIds.report(console.appId)).keys).to.have.length(1)
  })

  /** Sends a test message by a double click, whose second click comes when the first has been answered; returns how many were sent. */
  async function testsByDoubleClick(): Promise<number> {
    const { page } = console
    let sent = 0
    const note = (request: HTTPRequest) => void (request.url().endsWith('/test') && sent++)
    page.on('request', note)
    const answered = page.waitForResponse((response) => response.url().endsWith('/test'))
    await console.press('Send a test message')
    await answered
    await page.waitForFunction(`!document.querySelector('.main [aria-disabled="true"]')`)
    // What a browser makes of the second of two quick clicks.
    await page.evaluate(`[...document.querySelectorAll('button')].find((one) => one.textContent === 'Send a test message')
      .dispatchEvent(new MouseEvent('click', { detail: 2, bubbles: true, cancelable: true }))`)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    page.off('request', note)
    return sent
  }

  it('an operator makes a webhook, sees its secret once, switches it off and on, and deletes it', async () => {
    const hooks = () => console.server.program.webhooks.list(console.appId)
    await console.visit(at('/webhooks'))
    await console.press('New webhook')
    await console.type('URL', 'http://hooks.example.com/in')
    await console.press('Create the webhook')
    await console.sees('only https is allowed')
    expect(await hooks()).to.deep.equal([])
    await console.type('URL', 'https://hooks.example.com/in')
    await console.type('Types of events', 'k.push.opened, k.push.delivered')
    await console.press('Create the webhook')
    await console.sees('Secret of the webhook')
    await console.press('Copy')
    await console.press('Done')
    const [made] = await hooks()
    expect(made!.types).to.deep.equal(['k.push.opened', 'k.push.delivered'])
    await console.press('https://hooks.example.com/in')
    await console.sees('Requests of the last seven days')
    expect(await testsByDoubleClick(), 'the first is answered before the second click').to.equal(1)
    await console.press('More')
    await console.press('Switch it off')
    await eventually(async () => (await hooks())[0]!.state === 'off', 'it is off')
    await console.press('More')
    await console.press('Switch it on')
    await eventually(async () => (await hooks())[0]!.state === 'on', 'it is on')
    await console.press('More')
    await console.press('Delete it')
    await console.press('Delete the webhook')
    await console.sees('The webhook is deleted.')
    expect(await hooks()).to.deep.equal([])
  })

  it('a viewer sees the state of gateways, and nothing to press', async () => {
    await console.leave()
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(at('/gateways'))
    await console.sees('Ready')
    const text = String(await console.page.evaluate('document.querySelector("main").innerText'))
    expect(text).to.not.match(/Manage|Set up|Use the sandbox|Send a test push/)
  })
})
