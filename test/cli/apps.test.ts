import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { smallPng } from '../support/pictures.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Created {
  id: number
  accountId: number
  name: string
  apiKey: string
  serverKey: string
  secretKey: string
  linkHost: string
}

/** Commands that begin a database, or run until it is stopped. */
const MAKING = new Set(['apps:create', 'migrate:up', 'init', 'restore', 'serve', 'worker', 'demo', 'sandbox'])
/** The command that connects to the vendors; that it leaves nothing behind is in test/doctor/worlds.test.ts. */
const CONNECTING = 'doctor'

describe('appsvc apps', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  after(end)

  it('without any configuration the first app makes a private data directory, and says so', async () => {
    const fresh = join(dir, 'fresh')
    const ran = await runAnywhere(['apps', 'create', 'Zero', '--data-dir', fresh])
    expect(ran.code).to.equal(0)
    expect(ran.stderr).to.include(`created the data directory ${fresh}`)
    expect(statSync(fresh).mode & 0o777).to.equal(0o700)
    for (const file of ['appsvc.sqlite', 'master.key']) expect(statSync(join(fresh, file)).mode & 0o777).to.equal(0o600)
  })

  it('where there is no database only what begins one makes it: everything else says so with 66 and leaves nothing behind', async () => {
    const none = join(dir, 'none')
    const commands = Object.keys(COMMANDS).filter((id) => !MAKING.has(id) && id !== CONNECTING)
    expect(commands).to.include.members(['apps:list', 'status', 'keys:list', 'notify', 'gateways:check'])
    let looked = 0
    for (const id of commands) {
      const args = COMMANDS[id]!.args ?? {}
      const words = Object.entries(args).flatMap(([, arg]) => (arg.required ? ['1'] : []))
      const ran = await runAnywhere([...id.split(':'), ...words, '--data-dir', none])
      if (ran.code === 66 && ran.stderr.includes('there is no database in')) looked++
      expect(existsSync(none), id).to.equal(false)
    }
    // The others want flags, or need no database.
    expect(looked).to.be.at.least(30)
  })

  it('migrate status changes nothing: without a database every step is pending', async () => {
    const none = join(dir, 'none')
    const ran = await runAnywhere(['migrate', 'status', '--json', '--data-dir', none])
    const status = ran.json<{ applied: string[]; pending: string[] }>()
    expect(ran.code).to.equal(0)
    expect(status.applied).to.deep.equal([])
    expect(status.pending[0]).to.equal('0101_instance')
    expect(ran.stderr).to.include('There is no database in')
    expect(existsSync(none)).to.equal(false)
  })

  it('create prints the keys once; of them show prints the API key, which is public, and list none', async () => {
    const ran = await run(['apps', 'create', 'Bakery', '--json'])
    const app = ran.json<Created>()
    expect(ran.code).to.equal(0)
    expect(Object.keys(app)).to.deep.equal(['id', 'accountId', 'name', 'apiKey', 'serverKey', 'secretKey', 'linkHost'])
    expect(app).to.include({ id: 1, accountId: 1, name: 'Bakery' })
    for (const argv of [['list'], ['show', '1'], ['show', 'Bakery'], ['show']]) {
      const { code, stdout } = await run(['apps', ...argv, '--json'])
      expect(code).to.equal(0)
      expect(stdout).to.include('Bakery')
      for (const key of [app.serverKey, app.secretKey]) expect(stdout).to.not.include(key)
      expect(stdout.includes(app.apiKey)).to.equal(argv[0] === 'show')
    }
  })

  it('for people create prints the same without JSON', async () => {
    const { stdout } = await run(['apps', 'create', 'Second'])
    expect(stdout).to.match(/^API key {5}ak_\S{43}$/m)
    expect(stdout).to.match(/^server key {2}sk_\S{43}$/m)
  })

  const refused: [string, string[], number, RegExp][] = [
    ['an empty name', ['apps', 'create', ''], 65, /name must not be empty/],
    ['a name of 256 characters', ['apps', 'create', 'x'.repeat(256)], 65, /at most 255/],
    ['an unknown account', ['apps', 'create', 'x', '--account', '77'], 65, /--account there is no account 77/],
    ['an account that is no number', ['apps', 'create', 'x', '--account', 'me'], 65, /--account must be a number/],
    ['an unknown id', ['apps', 'show', '99'], 66, /there is no app 99/],
    ['an unknown name', ['apps', 'show', 'nobody'], 66, /there is no app "nobody"/],
    ['a name with a slip', ['apps', 'show', 'secnod'], 66, /there is no app "secnod"; did you mean "Second"\?/],
    ['no app at all where there are several', ['apps', 'show'], 64, /there are 2 apps/],
    ['renaming to nothing', ['apps', 'rename', '1', ''], 65, /name must not be empty/],
    ['renaming what is not there', ['apps', 'rename', '99', 'x'], 66, /there is no app 99/],
    ['deleting without a yes', ['apps', 'delete', '2'], 64, /add --yes/],
    ['rotating no key', ['apps', 'keys', 'rotate', '1'], 64, /Exactly one/],
    ['rotating at once without a yes', ['apps', 'keys', 'rotate', '1', '--server'], 64, /add --yes/],
    [
      'a strange grace',
      ['apps', 'keys', 'rotate', '1', '--server', '--grace', '1 day'],
      64,
      /--grace must be a duration/,
    ],
    [
      'an endless grace',
      ['apps', 'keys', 'rotate', '1', '--server', '--grace', '99999d'],
      64,
      /--grace must be a duration/,
    ],
  ]
  for (const [what, argv, exit, sentence] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run([...argv, '--json'])
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
      expect(ran.json()).to.have.property('error')
    })
  }

  it('field errors come with --json as the HTTP interface sends them', async () => {
    const ran = await run(['apps', 'create', '', '--json'])
    const { error, errors } = ran.json<{ error: string; errors: Record<string, string[]> }>()
    expect(error).to.equal('validation failed')
    expect(errors.name).to.include('must not be empty')
  })

  it('a rotated key works at once, the old one until the grace is over', async () => {
    const ran = await run(['apps', 'keys', 'rotate', '1', '--server', '--grace', '24h', '--json'])
    expect(ran.json()).to.have.keys('id', 'kind', 'serverKey', 'oldKeyExpiresAt')
    const { keys } = (await run(['apps', 'show', '1', '--json'])).json<{
      keys: { kind: string; expiresAt: string | null }[]
    }>()
    expect(keys.filter(({ kind }) => kind === 'server').map(({ expiresAt }) => expiresAt === null)).to.deep.equal([
      false,
      true,
    ])
  })

  it('settings show and change the time zone and the icon, and off takes them away', async () => {
    const file = join(dir, 'icon.png')
    writeFileSync(file, smallPng())
    const { url, uid } = (await run(['pictures', 'add', '--app', '1', file, '--json'])).json<{
      url: string
      uid: string
    }>()
    const set = await run(['apps', 'settings', '1', '--timezone', 'europe/berlin', '--icon', uid, '--json'])
    expect(set.json()).to.include({ id: 1, timezone: 'Europe/Berlin', iconUrl: url })
    expect((await run(['apps', 'settings', '1'])).stdout)
      .to.include('Europe/Berlin')
      .and.include(url)
    expect((await run(['apps', 'show', '1'])).stdout)
      .to.include('Europe/Berlin')
      .and.include(url)
    const refused = await run(['pictures', 'delete', '--app', '1', uid, '--yes'])
    expect(refused.stderr).to.include('named by app 1')
    const off = await run(['apps', 'settings', '1', '--timezone', 'off', '--icon', 'off', '--json'])
    expect(off.json()).to.include({ timezone: null, iconUrl: null })
    for (const [flag, value] of [
      ['--timezone', 'Mars/Olympus'],
      ['--icon', 'https://example.com/a.png'],
      ['--name', ''],
    ]) {
      const wrong = await run(['apps', 'settings', '1', flag!, value!])
      expect(wrong.stderr).to.include(`${flag} must`)
      expect(wrong.code).to.equal(65)
    }
    const taken = await run(['apps', 'settings', '1', '--name', 'Second'])
    expect(taken.stderr).to.include('choose another name, or add --allow-duplicate')
  })

  it('rename and delete do what they say', async () => {
    expect((await run(['apps', 'rename', 'Second', 'Other', '--json'])).json()).to.include({ id: 2, name: 'Other' })
    expect((await run(['apps', 'delete', 'Other', '--yes', '--json'])).json()).to.deep.equal({ id: 2, deleted: true })
    expect((await run(['apps', 'show', '2'])).code).to.equal(66)
  })

  it('a name that moves the cursor is shown harmlessly', async () => {
    await run(['apps', 'create', 'evil\u202e\u2066', '--json'])
    const { stdout } = await run(['apps', 'list'], { tty: true })
    expect(stdout).to.include('evil\\u202e\\u2066')
  })

  it('refuses to go on when the master key is gone', async () => {
    const { rename } = await import('node:fs/promises')
    await rename(join(data, 'master.key'), join(data, 'away'))
    const { code, stderr } = await run(['apps', 'list'])
    await rename(join(data, 'away'), join(data, 'master.key'))
    expect(code).to.equal(78)
    expect(stderr).to.include('master.key is missing')
  })
})
