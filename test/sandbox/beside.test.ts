import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { settingsBeside } from '../../src/sandbox/beside.ts'
import type { Sandbox } from '../../src/sandbox/types.ts'

const SANDBOX = {
  settings: {
    'gateways.fcmUrl': 'http://127.0.0.1:1',
    'outbound.allowPrivate': 'https://127.0.0.1:2,https://localhost:2',
    'sandbox.url': 'http://127.0.0.1:3',
  } as Sandbox['settings'],
}

describe('serve --sandbox beside the settings of an operator', () => {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-beside-'))
  const own = join(dir, 'own.pem')
  before(() => {
    writeFileSync(join(dir, 'ca.pem'), 'SANDBOX\n')
    writeFileSync(own, 'OWN')
  })

  const rows: [string, string][] = [
    ['false', 'https://127.0.0.1:2,https://localhost:2'],
    ['true', 'true'],
    [
      'https://hooks.intranet:8443, https://localhost:9',
      'https://hooks.intranet:8443,https://localhost:9,https://127.0.0.1:2,https://localhost:2',
    ],
  ]
  for (const [allowed, all] of rows) {
    it(`allows what ${allowed} allows, and its own stand-ins`, async () => {
      const { config } = await loadConfig({ environment: {}, flags: { 'outbound.allowPrivate': allowed } })
      const settings = settingsBeside(config, SANDBOX, dir)
      expect(settings['outbound.allowPrivate']).to.equal(all)
      expect(settings['gateways.caFile']).to.equal(join(dir, 'ca.pem'))
      await loadConfig({ environment: {}, flags: settings })
    })
  }

  it('trusts the authorities of the operator, and its own', async () => {
    const { config } = await loadConfig({ environment: {}, flags: { 'gateways.caFile': own } })
    const { 'gateways.caFile': file } = settingsBeside(config, SANDBOX, dir)
    expect(readFileSync(file, 'utf8')).to.equal('OWN\nSANDBOX\n')
    expect(readFileSync(own, 'utf8'), 'the file of the operator stays').to.equal('OWN')
  })
})
