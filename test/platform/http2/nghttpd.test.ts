import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Http2Pool } from '../../../src/platform/http2/types.ts'
import { type CertificateAuthority, makeCa } from '../../support/certificates.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { skip } from '../../support/skip.ts'
import { BOTH, listen, outcomeOf, requestOf } from './both.ts'

/** Where Debian puts it is not on everybody's path. */
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}

/** nghttpd says nothing when it is ready, so the port is asked until it answers. */
async function untilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + 50_000; Date.now() < deadline; ) {
    const socket = connect(port, '127.0.0.1')
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('nghttpd does not listen')
}

describe('against nghttpd', function () {
  this.timeout(PROGRAMS_MS)
  let directory: string
  let ca: CertificateAuthority
  let child: ChildProcess | undefined
  let pool: Http2Pool | undefined

  before(function () {
    if (spawnSync('nghttpd', ['--version'], { env: ENV }).status !== 0) {
      skip(this, 'there is no nghttpd (Debian: apt install nghttp2-server)')
    }
    directory = mkdtempSync(join(tmpdir(), 'nghttpd-'))
    ca = makeCa()
    const { certPem, keyPem } = ca.issue({ cn: 'localhost' })
    writeFileSync(join(directory, 'cert.pem'), certPem)
    writeFileSync(join(directory, 'key.pem'), keyPem)
    writeFileSync(join(directory, 'small'), 'small')
    writeFileSync(join(directory, 'large'), 'x'.repeat(200_000))
  })

  after(() => {
    if (directory) rmSync(directory, { recursive: true })
  })

  afterEach(async () => {
    await pool?.close()
    if (child?.kill()) await once(child, 'exit')
    child = pool = undefined
  })

  async function serve(...flags: string[]): Promise<number> {
    const port = await freePort()
    const tls = flags.includes('--no-tls') ? [] : [join(directory, 'key.pem'), join(directory, 'cert.pem')]
    const args = ['-a', '127.0.0.1', '-d', directory, '--early-response', ...flags, String(port), ...tls]
    child = spawn('nghttpd', args, { env: ENV, stdio: 'ignore' })
    await untilListening(port)
    return port
  }

  for (const [name, open] of BOTH) {
    it(`${name}: 3000 requests in cleartext and a large reply`, async () => {
      pool = open({ origin: `http://127.0.0.1:${await serve('--no-tls')}`, maxSessions: 1 })
      const sent = Array.from({ length: 3000 }, (_, i) => outcomeOf(pool!, requestOf('/small', 'x'.repeat(i % 200))))
      expect(new Set(await Promise.all(sent))).to.deep.equal(new Set(['200 small']))
      expect((await pool.request(requestOf('/large'))).body.length).to.equal(65_536)
      expect(await outcomeOf(pool, requestOf('/small'))).to.equal('200 small')
    })

    it(`${name}: TLS, padding, and a tiny window`, async () => {
      const port = await serve('--padding=100', '--window-bits=10', '--header-table-size=100')
      pool = open({ origin: `https://localhost:${port}`, ca: [ca.certPem] })
      const body = 'y'.repeat(10_000)
      const sent = Array.from({ length: 50 }, () => outcomeOf(pool!, requestOf('/small', body)))
      expect(new Set(await Promise.all(sent))).to.deep.equal(new Set(['200 small']))
    })
  }
})
