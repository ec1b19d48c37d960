import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { expect } from 'chai'
import { type KeepParts, keepCertificates } from '../../../src/domain/certificates/keep.ts'
import { makeMasterKey } from '../../../src/platform/crypto/vault.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { listen, type RunningServer } from '../../../src/server/index.ts'
import { type AcmeStandIn, startAcme } from '../../support/acme/server.ts'
import {
  type DatabaseKind,
  itOfShape,
  onEachDatabase,
  openTestProgram,
  type TestProgram,
} from '../../support/program.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const SRC = join(import.meta.dirname, '../../../src')
const NAME = 'push.example.com'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

interface World {
  test: TestProgram
  acme: AcmeStandIn
  server: RunningServer
  /** One look at all names, by a process of this name. */
  look(owner?: string, signal?: AbortSignal): Promise<number>
  parts(owner?: string): KeepParts
  /** The names in the certificate that a client gets. */
  shown(name?: string): Promise<string | undefined>
  close(): Promise<void>
}

async function openWorld(kind: DatabaseKind = 'sqlite', settings: Record<string, string> = {}): Promise<World> {
  const acme = await startAcme()
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const caFile = join(dir, 'ca.pem')
  writeFileSync(caFile, acme.root)
  const test = await openTestProgram({
    kind,
    settings: {
      port: '0',
      baseUrl: `https://${NAME}`,
      'tls.host': '127.0.0.1',
      'tls.port': '0',
      'tls.httpPort': '0',
      'acme.enabled': 'true',
      'acme.agree': 'true',
      'acme.directory': acme.directory,
      'acme.caFile': caFile,
      ...settings,
    },
  })
  test.clock.set(Date.now())
  const server = await listen(test.program)
  const securePort = server.securePort!
  acme.ports.https = securePort
  acme.ports.http = server.plainAddress === undefined ? 0 : Number(new URL(server.plainAddress).port)
  const parts = (owner = 'one'): KeepParts => ({
    certificates: test.program.certificates,
    write: (work) => test.program.inTransaction((tx) => work(tx.certificates)),
    config: test.program.kernel.config,
    // Listeners and the authority find that time has passed.
    clock: { ...test.clock, sleep: async (ms) => test.clock.advance(ms) },
    log: silentLog,
    owner,
    random: () => 0.5,
    tick() {},
  })
  return {
    test,
    acme,
    server,
    parts,
    look: (owner, signal = new AbortController().signal) => keepCertificates(parts(owner), signal),
    shown(name = NAME) {
      test.clock.advance(1500)
      return new Promise((resolve) => {
        const options = { host: '127.0.0.1', port: securePort, servername: name, ca: acme.root }
        const socket = tls.connect(options, () => {
          resolve(socket.getPeerCertificate().subjectaltname)
          socket.destroy()
        })
        socket.on('error', () => resolve(undefined))
      })
    },
    async close() {
      await server.close()
      await test.close()
      await acme.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

onEachDatabase('certificates from an authority', (kind) => {
  let world: World
  const open = async (settings?: Record<string, string>) => {
    world = await openWorld(kind, settings)
  }
  afterEach(() => world.close())
  /** Tests of what an authority says and wants; what is stored, claimed and read by others is on both databases always. */
  const itOfProtocol = itOfShape(kind)
  const only = async () => (await world.test.program.certificates.list())[0]!

  it('are ordered by HTTP-01 and shown to clients', async () => {
    await open()
    expect(await world.shown()).to.equal(undefined)
    expect(await world.look()).to.equal(1)
    expect(world.acme.verified).to.deep.equal([`http-01 ${NAME}`])
    expect(await world.shown()).to.equal(`DNS:${NAME}`)
    expect(await world.shown('unknown.example.com')).to.equal(undefined)
    const { notBefore, notAfter, nextAt, lastError, issuer } = await only()
    expect(nextAt).to.equal(Math.round(notAfter! - (notAfter! - notBefore!) / 3 - (notAfter! - notBefore!) / 100))
    expect([lastError, issuer]).to.deep.equal([null, 'ACME stand-in'])
    expect(await world.look()).to.equal(0)
    expect(world.acme.issued).to.deep.equal([NAME])
  })

  itOfProtocol('are ordered by TLS-ALPN-01 where there is no port for HTTP', async () => {
    await open({ 'tls.httpPort': 'off' })
    expect(await world.look()).to.equal(1)
    expect(world.acme.verified).to.deep.equal([`tls-alpn-01 ${NAME}`])
    expect(await world.shown()).to.equal(`DNS:${NAME}`)
  })

  it('are for the hosts of the settings and of deep links, at most so many', async () => {
    await open({ 'hosts.data': 'data.example.com', 'links.domain': 'lnk.example.com', 'acme.maxNames': '3' })
    const { program, first } = world.test
    await program.inTransaction(async (tx) => {
      await tx.apps.create({ name: 'Second' })
      await tx.links.configure(first.id, { domain: 'go.example.com' })
    })
    expect(await world.look()).to.equal(3)
    expect(world.acme.issued.toSorted()).to.deep.equal(['data.example.com', 'go.example.com', NAME])
    expect(await world.shown('go.example.com')).to.equal('DNS:go.example.com')
    expect(world.acme.accounts()).to.equal(1)
  })

  it('are renewed when a third of their time is left, and the authority hears what it replaces', async () => {
    await open()
    await world.look()
    const { nextAt } = await only()
    world.test.clock.set(nextAt - 1)
    expect(await world.look()).to.equal(0)
    world.test.clock.set(nextAt)
    expect(await world.look()).to.equal(1)
    expect((await only()).revision).to.equal(2)
    const [, replaced] = world.acme.replaced
    expect(Buffer.from(replaced!.split('.')[0]!, 'base64url').toString('hex')).to.equal(world.acme.authority.keyId)
  })

  itOfProtocol('are renewed early when the authority wants it', async () => {
    await open()
    await world.look()
    const soon = new Date(world.test.clock.now() + HOUR_MS).toISOString()
    world.acme.behave.window = { start: soon, end: soon }
    world.test.clock.advance(7 * HOUR_MS)
    expect(await world.look()).to.equal(0)
    expect((await only()).nextAt).to.equal(Date.parse(soon))
    expect(await world.look()).to.equal(1)
  })

  itOfProtocol('keep the old one while a renewal fails, and say why', async () => {
    await open()
    await world.look()
    world.acme.behave.isAway = true
    world.test.clock.set((await only()).nextAt)
    expect(await world.look()).to.equal(0)
    const failed = await only()
    expect(failed.lastError).to.equal('the certificate authority answered 503: down for maintenance')
    expect(failed.nextAt - failed.failedAt!).to.equal(60_000)
    expect(await world.shown()).to.equal(`DNS:${NAME}`)
    world.acme.behave.isAway = false
    world.test.clock.set(failed.nextAt)
    expect(await world.look()).to.equal(1)
    expect((await only()).lastError).to.equal(null)
  })

  it('wait as long as the authority wants after a limit, all names together', async () => {
    await open({ 'hosts.data': 'data.example.com' })
    world.acme.behave.limitedFor = 7200
    await world.look()
    const [push, data] = (await world.test.program.certificates.list()).toReversed()
    expect(push!.lastError).to.contain('429: too many certificates')
    expect(push!.nextAt - push!.failedAt!).to.equal(7_200_000)
    expect(data!.attempts).to.equal(0)
    world.acme.behave.limitedFor = undefined
    expect(await world.look()).to.equal(0)
    world.test.clock.advance(7_200_000)
    expect(await world.look()).to.equal(2)
  })

  itOfProtocol('try the other challenge after one failed, and wait in between', async () => {
    await open()
    const { http } = world.acme.ports
    // The discard port of this machine, where nobody listens.
    world.acme.ports.http = 9
    await world.look()
    const failed = await only()
    expect(failed.lastError).to.contain(`could not verify ${NAME} by http-01`)
    expect(failed.nextAt - failed.failedAt!).to.equal(15 * 60_000)
    expect(await world.look()).to.equal(0)
    world.test.clock.set(failed.nextAt)
    expect(await world.look()).to.equal(1)
    expect(world.acme.verified).to.deep.equal([`tls-alpn-01 ${NAME}`])
    world.acme.ports.http = http
  })

  itOfProtocol('survive nonces that are not fresh and an order that takes its time', async () => {
    await open()
    world.acme.behave.badNonces = 4
    world.acme.behave.processing = 2
    expect(await world.look()).to.equal(1)
  })

  it('are taken up where a process left them when it was killed', async () => {
    await open()
    const stop = new AbortController()
    // Stopped between the order and the certificate: `processing` is asked again, and then nobody is there any more.
    world.acme.behave.processing = 5
    const parts = world.parts('killed')
    const { sleep } = parts.clock
    let naps = 0
    parts.clock.sleep = async (ms) => {
      if (++naps === 3) stop.abort()
      await sleep(ms)
    }
    expect(await keepCertificates(parts, stop.signal)).to.equal(0)
    const left = await only()
    expect([left.revision, left.attempts, left.orderUrl !== null]).to.deep.equal([0, 0, true])
    world.acme.behave.processing = 0
    expect(await world.look('next')).to.equal(1)
    expect(world.acme.issued).to.deep.equal([NAME])
    expect(await world.shown()).to.equal(`DNS:${NAME}`)
  })

  it('are ordered by one process at a time', async () => {
    await open()
    const both = await Promise.all([world.look('one'), world.look('two')])
    expect(both.toSorted()).to.deep.equal([0, 1])
    expect(world.acme.issued).to.deep.equal([NAME])
  })

  // The other process opens the file, which is enough: where it stands is in rows that both databases have.
  for (const point of kind === 'sqlite' ? ['certificates.ordered', 'certificates.finalized'] : []) {
    it(`cost one order when the process is killed at ${point}`, async function () {
      this.timeout(PROGRAMS_MS)
      await open()
      const { test } = world
      makeMasterKey(join(test.dir, 'master.key'), Buffer.alloc(32, 7))
      const flags = { ...test.program.kernel.config, dataDir: test.dir }
      const given = Object.fromEntries(
        (['baseUrl', 'acme.enabled', 'acme.agree', 'acme.directory', 'acme.caFile'] as const).map((name) => [
          name,
          String(flags[name]),
        ]),
      )
      const program = `
        const { loadConfig } = await import(${JSON.stringify(join(SRC, 'config.ts'))})
        const { openProgram } = await import(${JSON.stringify(join(SRC, 'open.ts'))})
        const { keepCertificates } = await import(${JSON.stringify(join(SRC, 'domain/certificates/keep.ts'))})
        const { config } = await loadConfig({ environment: {}, flags: ${JSON.stringify({ ...given, dataDir: test.dir })} })
        const app = openProgram({ config })
        const { clock, log } = app.kernel
        await keepCertificates({ certificates: app.certificates, write: (work) => app.inTransaction((tx) => work(tx.certificates)),
          config, clock: { ...clock, sleep: async () => {} }, log, owner: 'killed', random: () => 0.5, tick() {} }, new AbortController().signal)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        env: { ...process.env, APPSVC_FAILPOINTS: `${point}:1` },
        stdio: 'inherit',
      })
      const signal = await new Promise((resolve) => child.once('exit', (_code, by) => resolve(by)))
      expect(signal).to.equal('SIGKILL')
      const left = await only()
      expect([left.revision, left.orderUrl !== null]).to.deep.equal([0, true])
      // The claim of the killed process ends.
      world.test.clock.advance(HOUR_MS)
      expect(await world.look('next')).to.equal(1)
      expect(world.acme.issued).to.deep.equal([NAME])
    })
  }

  for (const challenge of ['http-01', 'tls-alpn-01']) {
    it(`are proved by ${challenge} to whichever thread or node the authority asks`, async () => {
      await open({ 'acme.challenge': challenge })
      const other = await listen(world.test.program)
      try {
        world.acme.ports.https = other.securePort!
        world.acme.ports.http = Number(new URL(other.plainAddress!).port)
        const nodes = await Promise.all([world.look('one'), world.look('two')])
        expect(nodes.toSorted()).to.deep.equal([0, 1])
        expect(world.acme.issued).to.deep.equal([NAME])
      } finally {
        await other.close()
      }
    })
  }

  it('of names that nobody wants any more go when they end', async () => {
    await open()
    const { program, first } = world.test
    await program.inTransaction((tx) => tx.links.configure(first.id, { domain: 'go.example.com' }))
    await world.look()
    await program.inTransaction((tx) => tx.links.configure(first.id, { domain: null }))
    await world.look()
    expect((await program.certificates.list()).length).to.equal(2)
    world.test.clock.advance(90 * DAY_MS)
    await world.look()
    expect((await program.certificates.list()).map(({ name }) => name)).to.deep.equal([NAME])
  })

  itOfProtocol('answer challenges of their own names only', async () => {
    await open()
    const { plainAddress = '' } = world.server
    const at = (path: string) => fetch(`${plainAddress}/.well-known/acme-challenge/${path}`)
    expect((await at('abc')).status).to.equal(404)
    expect((await at('..%2f..%2fetc')).status).to.equal(404)
    expect((await at("x'%20or%201=1")).status).to.equal(404)
  })
})
