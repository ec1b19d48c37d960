import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { addInstall } from '../support/installs.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

const everybody = { target: { broadcast: true }, content: { title: 'Hello', message: 'text' } }

/** Somebody at a terminal who answers each question with the next of these lines, and hangs up when there is none. */
function typing(...lines: string[]): RunOptions {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  // A prompt begins to read when it asks, and stops when it has its line.
  stdin.on('resume', () => {
    const line = lines.shift()
    if (line === undefined) stdin.end()
    else stdin.write(`${line}\n`)
  })
  return { stdin, tty: true }
}

interface Preview {
  preview: { recipients: number; confirm: number | null }
}

describe('sends that must be confirmed', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  const file = join(dir, 'one.json')
  const inAppFile = join(dir, 'in-app.json')
  const notify = (argv: string[], options?: RunOptions) => run(['notify', ...argv], options)

  before(async () => {
    await run(['apps', 'create', 'First'])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    const place = { program, first: { id: 1 }, clock: { now: () => Date.now() } }
    await addTemplates(place)
    for (const id of ['one', 'two', 'three']) await addInstall(program, 1, id)
    for (const name of ['ann', 'bob']) await addUser(place, name)
    await program.close()
    writeFileSync(file, JSON.stringify(everybody))
    writeFileSync(inAppFile, JSON.stringify(inAppBody()))
  })
  after(end)

  it('apps restrain sets, shows and ends it, and refuses what is no number', async () => {
    expect((await run(['apps', 'restrain', '1'])).stdout).to.match(/confirm above +off/)
    const set = await run(['apps', 'restrain', '1', '--confirm-above', '1', '--json'])
    expect(set.json()).to.deep.include({ app: 1, confirmAbove: 1, quietHours: null })
    expect((await run(['apps', 'restrain', '1', '--quiet-hours', 'off'])).stdout).to.match(
      /confirm above +1 recipient$/m,
    )
    expect((await run(['apps', 'restrain', '1', '--confirm-above', 'many'])).code).to.equal(64)
    expect((await run(['apps', 'restrain', '1', '--confirm-above', '99999999999'])).code).to.equal(65)
    expect((await run(['apps', 'restrain', '1', '--confirm-above', 'off', '--json'])).json()).to.include({
      confirmAbove: null,
    })
    await run(['apps', 'restrain', '1', '--confirm-above', '1'])
  })

  it('without a terminal it is refused with 65, and --confirm says how many are expected', async () => {
    const refused = await notify([file])
    expect(refused.code).to.equal(65)
    expect(refused.stdout).to.include('confirm: ').and.include('3')
    expect((await notify([file, '--confirm', '2'])).code).to.equal(65)
    expect((await notify([file, '--confirm', '3'])).code).to.equal(0)
    const own = JSON.stringify({ ...everybody, confirm: 2 })
    expect((await notify(['--confirm', '3'], { stdin: own })).code, 'what the value says itself counts').to.equal(65)
    expect((await notify([inAppFile, '--in-app'])).code).to.equal(65)
    expect((await notify([inAppFile, '--in-app', '--confirm', '2'])).code).to.equal(0)
  })

  it('on a terminal it asks how many are expected, again when they are more, and nothing leaves it', async () => {
    const taken = await notify([file], typing('2', '3'))
    expect(taken.code).to.equal(0)
    expect(taken.stderr.split('How many recipients do you expect').length - 1).to.be.at.least(2)
    expect(taken.stdout).to.match(/202.* 1: notification \d+/)
    for (const answer of ['', 'yes', '-1']) {
      const left = await notify([file], typing(answer))
      expect(left.code, answer).to.equal(65)
      expect(left.stdout).to.include('refused')
    }
  })

  it('--dry-run counts all of them and says what confirm must be', async () => {
    const dry = (argv: string[]) => notify([...argv, '--dry-run', '--json'])
    expect((await dry([file])).json<Preview>().preview).to.include({ recipients: 3, confirm: 3 })
    expect((await dry([file, '--confirm', '3'])).json<Preview>().preview).to.include({ recipients: 3, confirm: null })
    expect((await dry([inAppFile, '--in-app'])).json<Preview>().preview).to.include({ recipients: 2, confirm: 2 })
    expect((await notify([file, '--dry-run'])).stdout).to.include('add "confirm": 3 or more')
  })

  describe('and keys with scopes over --url', () => {
    let server: TestServer
    before(async () => {
      server = await openTestServer()
      await addInstall(server.program, server.first.id, 'one')
      await addInstall(server.program, server.first.id, 'two')
      await server.call('PUT', '/messages/v1/restraint', { body: { confirmAbove: 1 } })
    })
    after(() => server.close())

    const there = async (scope: 'send' | 'read', argv: string[] = [], options?: RunOptions) => {
      const { key } = await server.program.inTransaction((tx) =>
        tx.serverKeys.create(server.first.id, { permissions: [scope] }),
      )
      const keyFile = join(dir, `${scope}.key`)
      writeFileSync(keyFile, `${key}\n`)
      const keys = ['--api-key', server.first.apiKey, '--server-key-file', keyFile]
      return runAnywhere(['notify', file, '--url', server.address, ...keys, ...argv], options)
    }

    it('a server refuses and asks in the same way', async () => {
      expect((await there('send')).code).to.equal(65)
      expect((await there('send', ['--confirm', '2'])).code).to.equal(0)
      expect((await there('send', [], typing('2'))).code).to.equal(0)
    })

    it('a key that may not send ends with 77 and the name of the scope', async () => {
      const ran = await there('read', ['--confirm', '2'])
      expect(ran.code).to.equal(77)
      expect(ran.stderr).to.include('the scope send')
    })
  })
})

describe('appsvc keys create --server', () => {
  const { dir, end } = temporaryDirectory()
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', join(dir, 'data')], options)
  before(() => run(['apps', 'create', 'First']))
  after(end)

  it('makes a key that is shown once, beside REST keys, with ids that name one of either', async () => {
    const made = await run(['keys', 'create', '--server', '--scope', 'read, send', '--name', 'news', '--json'])
    const key = made.json<{ id: number; key: string }>()
    expect(key).to.deep.include({ id: 1, appId: 1, kind: 'server', name: 'news', scopes: ['send', 'read'] })
    expect(key.key).to.match(/^ss_[\w-]{43}$/)
    const rest = (await run(['keys', 'create', '--scope', 'read', '--json'])).json()
    expect(rest).to.deep.include({ id: 2, kind: 'rest', scopes: ['read'], permissions: ['read'] })
    const list = await run(['keys', 'list'])
    expect(list.stdout)
      .to.match(/1 +server +ss_\S{4}… +news +send,read/)
      .and.match(/2 +REST +rk_\S{4}… /)
    expect(list.stdout).to.not.include(key.key)

    expect((await run(['keys', 'revoke', '1'])).stdout).to.include('Scoped server key 1')
    expect((await run(['keys', 'revoke', '2'])).stdout).to.include('REST key 2')
    const unknown = await run(['keys', 'revoke', '3'])
    expect(unknown).to.include({ code: 66, stderr: 'appsvc: there is no key 3: appsvc keys list shows them\n' })
    const { keys } = (await run(['keys', 'list', '--json'])).json<{ keys: { revokedAt: string | null }[] }>()
    for (const { revokedAt } of keys) expect(revokedAt).to.match(/\+0000$/)
  })

  it('refuses scopes of the other kind and none at all', async () => {
    for (const [scope, ...kind] of [['create', '--server'], ['send'], ['', '--server'], ['all', '--server']]) {
      const ran = await run(['keys', 'create', ...kind, '--scope', scope!])
      expect(ran.code, scope).to.equal(65)
      // Who mixed the two up reads how the other kind is made.
      expect(ran.stderr).to.match(/--scope must be one of .*; a (server|REST) key \(.*--server\) has /)
    }
    expect((await run(['keys', 'create', '--server'])).code).to.equal(64)
  })

  it('what the command prints opens what its scopes say, and nothing of a key is in the database', async () => {
    const server = await openTestServer()
    try {
      const { key } = await server.program.inTransaction((tx) =>
        tx.serverKeys.create(server.first.id, { permissions: ['crm'] }),
      )
      const auth = basic(server.first.apiKey, key)
      const attributes = '/crm/v1/users/ann/attributes'
      expect((await server.call('PUT', attributes, { auth, body: { a: 1 } })).status).to.equal(200)
      expect((await server.call('GET', '/messages/v1/restraint', { auth })).status).to.equal(403)
    } finally {
      await server.close()
    }
  })
})
