import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { announceFirstSignIn } from '../../src/cli/first-sign-in.ts'
import type { Io } from '../../src/cli/process/io.ts'
import type { Program } from '../../src/program.ts'
import { consoleAddress } from '../../src/server/console/entrance.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

const PASSWORD = 'correct horse battery staple'

describe('the first sign-in of a new server', () => {
  let test: TestProgram | undefined
  let lines: string[]
  const out = { line: (text = '') => void lines.push(text), paint: (_: unknown, text: string) => text }
  const io = { stdin: Readable.from([]), environment: {} } as unknown as Io
  const announceOn = async (program: Program, listening = 'http://127.0.0.1:8080', isDemo = false) => {
    const at = consoleAddress(program.kernel.config, listening)
    const { stop, address } = await announceFirstSignIn(program, { io, out, consoleAddress: at, isDemo })
    stop()
    return address
  }
  const announce = async (settings: Parameters<typeof openTestProgram>[0] = {}, listening?: string) => {
    test = await openTestProgram(settings)
    await announceOn(test.program, listening)
    return test.program
  }
  beforeEach(() => {
    lines = []
  })
  afterEach(async () => {
    await test?.close()
    test = undefined
  })

  it('is a one-time link at baseUrl, printed until somebody used it', async () => {
    const program = await announce({ settings: { baseUrl: 'https://push.example.com' } })
    const [, shown] = lines
    expect(shown).to.match(/^ {2}https:\/\/push\.example\.com\/console\/setup#token=once_[\w-]{43}$/)
    const token = shown!.split('#token=')[1]!
    await program.inTransaction((tx) =>
      tx.admins.setUp(token, { email: 'a@example.com', name: 'A', password: 'digest' }),
    )
    lines = []
    await announceOn(program)
    expect(lines).to.deep.equal([])
  })

  it('never names an address that nobody can open', async () => {
    const program = await announce({}, 'http://0.0.0.0:8080')
    expect(lines.join('\n')).to.contain('http://127.0.0.1:8080/console/setup#')
    await announceOn(program, 'http://[::]:8080')
    expect(lines.join('\n')).to.contain('http://[::1]:8080/console/setup#')
    lines = []
    // The console is off.
    await announceFirstSignIn(program, { io, out, consoleAddress: undefined })
    expect(lines).to.deep.equal([])
  })

  it('a later address ends the earlier one, and after 30 minutes it is too old', async () => {
    const program = await announce()
    const tokens = [lines[1]!.split('#token=')[1]!]
    await announceOn(program)
    tokens.push(lines.at(-1)!.split('#token=')[1]!)
    const read = (token: string) =>
      program.admins.readLink(token).then(
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
      const program = await announce({
        settings: { 'admin.email': 'Anna@example.com', 'admin.passwordFile': join(dir, 'good') },
      })
      expect(lines).to.deep.equal([])
      expect((await program.admins.isPasswordOf('anna@example.com', PASSWORD))?.email).to.equal('anna@example.com')
      await announceOn(program)
      expect((await program.admins.list({ limit: 10 })).people).to.have.length(1)
      const log = await program.audit.list({ limit: 10 })
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

  it('the demo signs its owner in by an address that works once, and prints another at the next start', async () => {
    test = await openTestProgram()
    const { program } = test
    const address = await announceOn(program, undefined, true)
    expect(lines.at(-1)).to.equal(`  ${address}`)
    const token = address!.split('/console/link#token=')[1]!
    const admin = await program.inTransaction((tx) => tx.admins.useLink(token, {}))
    expect(await program.admins.roles(admin.id)).to.deep.equal([{ appId: null, role: 'owner' }])
    const again = await program.inTransaction((tx) => tx.admins.useLink(token, {})).catch((error: Error) => error)
    expect(again).to.have.property('code', 'unauthorized')
    expect(await announceOn(program, undefined, true)).to.contain('/console/link#token=')
  })

  it('the demo opens no server that belongs to somebody', async () => {
    test = await openTestProgram()
    const { program } = test
    await program.inTransaction((tx) => tx.admins.first({ email: 'a@example.com', name: 'A', password: 'digest' }))
    expect(await announceOn(program, undefined, true)).to.equal(undefined)
    expect(lines).to.deep.equal([])
  })
})
