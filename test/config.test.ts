import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { defaultYaml, loadConfig, settingsForOthers, settingsPage, withSettingsOf } from '../src/config.ts'

const directory = join(import.meta.dirname, '../config')

describe('settings that another process reads', () => {
  const load = async (flags: Record<string, string>) => (await loadConfig({ environment: {}, flags })).config

  it('mean the same there: paths are whole, and secrets and the data directory stay its own', async () => {
    const server = await load({
      dataDir: './theirs',
      'gateways.caFile': 'ca.pem',
      'backup.to': 's3://bucket/x',
      'outbound.allowPrivate': 'https://a.example,https://b.example',
      'nats.url': 'nats://user:S3cret@127.0.0.1:1',
      'console.enabled': 'false',
      'http.maxConnections': '17',
    })
    const texts = settingsForOthers(server)
    expect(JSON.stringify(texts)).to.not.include('S3cret')
    expect(texts).to.include({ 'gateways.caFile': resolve('ca.pem'), 'backup.to': 's3://bucket/x', 'tls.certFile': '' })
    const own = await load({ dataDir: './ours', 'nats.url': 'nats://own@h', 'backup.to': '/own' })
    const both = withSettingsOf(own, texts)
    expect(both).to.include({ dataDir: './ours', 'backup.to': 's3://bucket/x', 'console.enabled': false })
    expect(both['nats.url'].reveal()).to.equal('nats://own@h')
    expect(both['http.maxConnections']).to.equal(17)
    expect(both['outbound.allowPrivate']).to.deep.equal(server['outbound.allowPrivate'])
  })

  it('of another version are taken where they are known and right', async () => {
    const own = await load({ port: '81' })
    const texts = { port: 'eighty', host: 7, 'of.tomorrow': 'x', timezone: 'Asia/Tokyo', __proto__: { baseUrl: 'x' } }
    expect(withSettingsOf(own, texts)).to.include({ port: 81, host: '127.0.0.1', timezone: 'Asia/Tokyo', baseUrl: '' })
  })
})

describe('the checked-in configuration', () => {
  it('default.yaml is what the list of settings says', () => {
    const remedy = 'run "node bin/run.js config show --defaults > config/default.yaml"'
    expect(readFileSync(join(directory, 'default.yaml'), 'utf8'), remedy).to.equal(defaultYaml())
  })

  it('docs/reference/settings.md is what the list of settings says', () => {
    const remedy = 'run "node bin/run.js config show --defaults --markdown > docs/reference/settings.md"'
    expect(readFileSync(join(directory, '../docs/reference/settings.md'), 'utf8'), remedy).to.equal(settingsPage())
  })

  it('default.yaml and production.example.yaml can be used as they are', async () => {
    for (const name of ['default.yaml', 'production.example.yaml']) {
      await loadConfig({ file: join(directory, name), environment: {} })
    }
  })
})
