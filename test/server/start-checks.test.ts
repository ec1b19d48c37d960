import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { makeMasterKey } from '../../src/platform/crypto/vault.ts'
import type { AppError } from '../../src/platform/errors.ts'
import { refuseBadStart } from '../../src/server/start-checks.ts'
import { identityFor, makeAuthority } from '../support/acme/authority.ts'

describe('a start is refused before it makes anything', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  const at = (name: string) => join(dir, name)
  const dataDir = at('data')
  const authority = makeAuthority()
  const { cert, key } = identityFor(authority, ['push.example.com'])
  const other = identityFor(authority, ['push.example.com'])
  let holder: Server
  let taken = ''

  before(async () => {
    writeFileSync(at('cert.pem'), cert)
    writeFileSync(at('key.pem'), key)
    writeFileSync(at('other-key.pem'), other.key)
    writeFileSync(at('text'), 'a text')
    holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    taken = String((holder.address() as { port: number }).port)
  })
  after(() => {
    holder.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const refusal = async (flags: Record<string, string>, http = true): Promise<string> => {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir, port: '0', ...flags } })
    return refuseBadStart(config, { http }).then(
      () => 'starts',
      (error: AppError) => `${error.code}: ${error.message}`,
    )
  }
  const tls = { 'tls.host': '127.0.0.1', 'tls.port': '0', 'tls.httpPort': 'off' }
  const files = { ...tls, 'tls.certFile': at('cert.pem'), 'tls.keyFile': at('key.pem') }
  const acme = {
    ...tls,
    'tls.httpPort': '0',
    'acme.enabled': 'true',
    'acme.agree': 'true',
    baseUrl: 'https://push.example.com',
  }

  const CASES: [string, () => Record<string, string>, RegExp][] = [
    [
      'a key of another certificate',
      () => ({ ...files, 'tls.keyFile': at('other-key.pem') }),
      /^config: tls\.certFile and tls\.keyFile cannot be used/,
    ],
    [
      'a certificate that is none',
      () => ({ ...files, 'tls.certFile': at('text') }),
      /^config: tls\.certFile and tls\.keyFile/,
    ],
    [
      'a certificate that is not there',
      () => ({ ...files, 'tls.certFile': at('none') }),
      /^config: tls\.certFile and tls\.keyFile.*none/,
    ],
    [
      'authorities of the gateways that are none',
      () => ({ 'gateways.caFile': at('text') }),
      /^config: gateways\.caFile .*text cannot be used.*PEM/,
    ],
    [
      'an authority of ACME that is not there',
      () => ({ ...acme, 'acme.caFile': at('none') }),
      /^config: acme\.caFile .*none cannot be used/,
    ],
    ['a master key that is none', () => ({ masterKeyFile: at('text') }), /^config: the master key file .*32 bytes/],
    ['a port that somebody has', () => ({ port: taken }), /^unavailable: .*--port$/],
    ['a port of TLS that somebody has', () => ({ ...files, 'tls.port': taken }), /^unavailable: .*tls\.port;/],
    [
      'a port for HTTP that somebody has',
      () => ({ ...files, 'tls.httpPort': taken }),
      /^unavailable: .*tls\.httpPort;/,
    ],
    [
      'a port of metrics that somebody has',
      () => ({ 'metrics.listen': `127.0.0.1:${taken}` }),
      /^unavailable: .*metrics\.listen$/,
    ],
  ]
  for (const [what, flags, says] of CASES) {
    it(`for ${what}`, async () => {
      expect(await refusal(flags())).to.match(says)
      expect(existsSync(dataDir)).to.equal(false)
    })
  }

  it('and not for what it does not use, nor for a port of its predecessor', async () => {
    expect(await refusal(files)).to.equal('starts')
    expect(await refusal({ 'gateways.caFile': at('cert.pem') })).to.equal('starts')
    expect(await refusal({ ...files, 'tls.certFile': at('none'), port: taken }, false)).to.equal('starts')
    makeMasterKey(join(dataDir, 'master.key'))
    expect(await refusal({ port: taken })).to.equal('starts')
  })
})
