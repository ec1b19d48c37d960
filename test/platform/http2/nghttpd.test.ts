import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Http2Pool } from '../../../src/platform/http2/types.ts'
import { type CertificateAuthority, makeCa } from '../../support/certificates.ts'
import { many } from '../../support/depth.ts'
import { needs } from '../../support/needs.ts'
import { startNghttpd } from '../../support/nghttpd.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { BOTH, outcomeOf, requestOf } from './both.ts'

describe('against nghttpd', function () {
  this.timeout(PROGRAMS_MS)
  let directory: string
  let ca: CertificateAuthority
  let nghttpd: Awaited<ReturnType<typeof startNghttpd>> | undefined
  let pool: Http2Pool | undefined

  before(function () {
    needs(this, 'nghttpd')
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
    await nghttpd?.stop()
    nghttpd = pool = undefined
  })

  async function serve(...flags: string[]): Promise<number> {
    const tls = flags.includes('--no-tls') ? [] : [join(directory, 'key.pem'), join(directory, 'cert.pem')]
    nghttpd = await startNghttpd(['-d', directory, '--early-response', ...flags], tls)
    return nghttpd.port
  }

  for (const [name, open] of BOTH) {
    const COUNT = many(500, { whole: 3000 })
    it(`${name}: ${COUNT} requests in cleartext and a large reply`, async () => {
      pool = open({ origin: `http://127.0.0.1:${await serve('--no-tls')}`, maxSessions: 1 })
      const sent = Array.from({ length: COUNT }, (_, i) => outcomeOf(pool!, requestOf('/small', 'x'.repeat(i % 200))))
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
