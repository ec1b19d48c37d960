import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { announceFirstSignIn } from '../../src/cli/first-sign-in.ts'
import type { Io } from '../../src/cli/io.ts'
import { openTestApp, type TestApp } from '../support/app.ts'

const PASSWORD = 'correct horse battery staple'

describe('the first sign-in of a new server', () => {
  let test: TestApp | undefined
  let lines: string[]
  const out = { line: (text = '') => void lines.push(text), paint: (_: unknown, text: string) => text }
  const io = { stdin: Readable.from([]), environment: {} } as unknown as Io
  const announce = async (settings: Parameters<typeof openTestApp>[0] = {}) => {
    test = await openTestApp(settings)
    const announcing = await announceFirstSignIn(test.app, { io, out })
    announcing.stop()
    return test.app
  }
  beforeEach(() => {
    lines = []
  })
  afterEach(async () => {
    await test?.close()
    test = undefined
  })

  it('is a one-time address at baseUrl, printed until somebody used it', async () => {
    const app = await announce({ settings: { baseUrl: 'https://push.example.com' } })
    const [, shown] = lines
    expect(shown).to.match(/^ {2}https:\/\/push\.example\.com\/console\/setup#token=once_[\w-]{43}$/)
    const token = shown!.split('#token=')[1]!
    await app.inTransaction((tx) => tx.admins.setUp(token, { email: 'a@example.com', name: 'A', password: 'digest' }))
    lines = []
    ;(await announceFirstSignIn(app, { io, out })).stop()
    expect(lines).to.deep.equal([])
  })

  it('never names an address that nobody can open', async () => {
    await announce({ settings: { host: '0.0.0.0', port: '8080' } })
    expect(lines.join('\n')).to.contain('http://127.0.0.1:8080/console/setup#')
  })

  it('a later address ends the earlier one, and after 30 minutes it is too old', async () => {
    const app = await announce()
    const tokens = [lines[1]!.split('#token=')[1]!]
    ;(await announceFirstSignIn(app, { io, out })).stop()
    tokens.push(lines.at(-1)!.split('#token=')[1]!)
    const read = (token: string) =>
      app.admins.readLink(token).then(
        () => 'works',
        () => 'refused',
      )
    expect(await Promise.all(tokens.map(read))).to.deep.equal(['refused', 'works'])
    test!.clock.advance(30 * 60_000)
    expect(await read(tokens[1]!)).to.equal('refused')
  })

  describe('in a container', () => {
    let dir: string
    before(() => {
      dir = mkdtempSync(join(tmpdir(), 'appsvc-admins-'))
      writeFileSync(join(dir, 'good'), `${PASSWORD}\n`)
      writeFileSync(join(dir, 'short'), 'short')
    })
    after(() => rmSync(dir, { recursive: true }))

    it('makes the owner of the settings, once, and prints nothing', async () => {
      const app = await announce({
        settings: { 'admin.email': 'Anna@example.com', 'admin.passwordFile': join(dir, 'good') },
      })
      expect(lines).to.deep.equal([])
      expect((await app.admins.isPasswordOf('anna@example.com', PASSWORD))?.email).to.equal('anna@example.com')
      ;(await announceFirstSignIn(app, { io, out })).stop()
      expect((await app.admins.list({ limit: 10 })).people).to.have.length(1)
      const log = await app.audit.list({ limit: 10 })
      expect(JSON.stringify(log)).to.not.contain(readFileSync(join(dir, 'good'), 'utf8').trim())
    })

    it('refuses a password that is too short, and a file without an address', async () => {
      const settings = { 'admin.email': 'a@example.com', 'admin.passwordFile': join(dir, 'short') }
      const short = await announce({ settings }).catch((error: Error) => error)
      expect(short).to.have.property('code', 'invalid')
      await test!.close()
      const nobody = await announce({ settings: { 'admin.passwordFile': join(dir, 'good') } }).catch(
        (error: Error) => error,
      )
      expect(nobody).to.have.property('code', 'config')
    })
  })

  it('the demo signs its owner in by an address that works once', async () => {
    const app = await announce()
    const { token } = await app.inTransaction((tx) => tx.admins.signInLink({ email: 'demo@example.com', name: 'Demo' }))
    const admin = await app.inTransaction((tx) => tx.admins.useLink(token, {}))
    expect(await app.admins.roles(admin.id)).to.deep.equal([{ appId: null, role: 'owner' }])
    const again = await app.inTransaction((tx) => tx.admins.useLink(token, {})).catch((error: Error) => error)
    expect(again).to.have.property('code', 'unauthorized')
  })
})
