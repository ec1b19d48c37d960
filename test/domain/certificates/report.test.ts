import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../../src/config.ts'
import { reportCertificates } from '../../../src/domain/certificates/report.ts'
import type { SettingName } from '../../../src/platform/config/settings.ts'
import { makeSelfSigned } from '../../support/certificates.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 2, 1)

describe('the report on certificates', () => {
  let dir: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'certificates-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const nobody = { list: () => Promise.reject(new Error('was asked for')) }
  async function report(
    settings: Partial<Record<SettingName, string>>,
    certificates: Parameters<typeof reportCertificates>[0]['certificates'] = nobody,
  ) {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: dir, ...settings } })
    return reportCertificates({ certificates, config }, NOW)
  }

  it('is empty where the server does not speak TLS', async () => {
    expect(await report({})).to.deep.equal([])
  })

  it('tells of the certificate of a file all that it says, and of nothing that only an authority does', async () => {
    const [notBefore, notAfter] = [NOW - DAY_MS, NOW + 60 * DAY_MS]
    const { certPem, keyPem } = makeSelfSigned({
      cn: 'push.example.com',
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
    })
    const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    writeFileSync(certFile, certPem)
    writeFileSync(keyFile, keyPem)
    const [one, ...more] = await report({ 'tls.certFile': certFile, 'tls.keyFile': keyFile })
    expect(more).to.deep.equal([])
    const { issuer, ...rest } = one!
    expect(issuer).to.include('push.example.com')
    expect(rest).to.deep.equal({
      names: ['push.example.com'],
      from: 'file',
      state: 'valid',
      notBefore,
      notAfter,
      nextAt: null,
      attempts: 0,
      lastError: null,
      failedAt: null,
    })
  })

  it('says of a file that cannot be read why', async () => {
    const gone = join(dir, 'gone.pem')
    const [one] = await report({ 'tls.certFile': gone, 'tls.keyFile': gone })
    const { lastError, ...rest } = one!
    expect(lastError).to.match(/^tls\.certFile cannot be read: ENOENT/)
    expect(rest).to.deep.equal({
      names: [],
      from: 'file',
      state: 'failing',
      issuer: null,
      notBefore: null,
      notAfter: null,
      nextAt: null,
      attempts: 0,
      failedAt: null,
    })
  })
})
