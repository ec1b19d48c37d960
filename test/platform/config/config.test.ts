import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { defaultYaml, loadConfig, SETTINGS } from '../../../src/config.ts'
import { settingsAsText } from '../../../src/platform/config/config.ts'
import type { Secret } from '../../../src/platform/config/secret.ts'
import { environmentName, type SettingName } from '../../../src/platform/config/settings.ts'
import { messageOf } from '../../../src/platform/errors.ts'

describe('the configuration', () => {
  let dir: string
  let file: string
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
    file = join(dir, 'appsvc.yaml')
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  const load = (
    yaml: string,
    environment: Record<string, string> = {},
    flags: Partial<Record<SettingName, string>> = {},
  ) => {
    writeFileSync(file, yaml)
    return loadConfig({ file, environment, flags })
  }
  const problem = (yaml: string, environment: Record<string, string> = {}, flags = {}) =>
    load(yaml, environment, flags).then(
      () => 'no problem',
      (error) => {
        expect(error).to.have.property('code', 'config')
        return messageOf(error)
      },
    )

  it('works without a file, with every default passing its own check', async () => {
    const { config, sources } = await loadConfig({ environment: { PATH: '/bin' } })
    expect(config).to.include({ host: '127.0.0.1', port: 8080, 'outbound.allowPrivate': false, timezone: 'UTC' })
    expect(new Set(Object.values(sources))).to.deep.equal(new Set(['default']))
    expect(Object.isFrozen(config)).to.equal(true)
  })

  it('a flag beats the environment, that beats the file, that beats the default', async () => {
    const yaml = 'host: 10.0.0.1\nport: 1001\nlog:\n  level: debug\n'
    const environment = { APPSVC_PORT: '1002', APPSVC_LOG_LEVEL: 'warn' }
    const { config, sources } = await load(yaml, environment, { 'log.level': 'error' })
    expect(config).to.include({ host: '10.0.0.1', port: 1002, 'log.level': 'error', dataDir: './data' })
    expect(sources).to.include({ host: 'file', port: 'environment', 'log.level': 'flag', dataDir: 'default' })
  })

  it('takes names with dots or in sections, and sections that are empty', async () => {
    const { config } = await load('log.level: warn\nhosts:\n  # crm: a.example\ndelivery:\n  ttl: 60\nlinks: {}\n')
    expect(config).to.include({ 'log.level': 'warn', 'delivery.ttl': 60, 'hosts.crm': '' })
    expect((await load('')).config.port).to.equal(8080)
    expect((await load('trustedProxies: [10.0.0.1, 10.0.0.2]')).config.trustedProxies).to.equal('10.0.0.1,10.0.0.2')
  })

  it('every setting has an environment name of its own', async () => {
    const names = Object.keys(SETTINGS).map(environmentName)
    expect(new Set(names).size).to.equal(names.length)
    expect(names).to.include.members(['APPSVC_DATA_DIR', 'APPSVC_GATEWAYS_APNS_SANDBOX_URL', 'APPSVC_MASTER_KEY_FILE'])
    for (const name of names) expect(name).to.match(/^APPSVC_[A-Z]+(_[A-Z]+)*$/)
  })

  it('names every wrong value at once, where it comes from and what it should be', async () => {
    const yaml = 'port: 99999\ngateways:\n  fcmUrl: ftp://x\ntimezone: Mars\nlog:\n  level: loud\n'
    const sentence = await problem(yaml, { APPSVC_WORKERS_DELIVER: 'many' }, { 'outbound.allowPrivate': 'maybe' })
    for (const part of [
      `port in ${file} must be an integer from 0 to 65535`,
      `gateways.fcmUrl in ${file} must be an address that begins with https:// or http://`,
      `timezone in ${file} must be an IANA time zone such as Europe/Berlin`,
      `log.level in ${file} must be one of debug, info, warn, error, silent`,
      'APPSVC_WORKERS_DELIVER must be an integer from 0 to 64',
      'outbound.allowPrivate must be true, false or origins',
    ]) {
      expect(sentence).to.include(part)
    }
  })

  it('names what is not a setting, and the one that was probably meant', async () => {
    const yaml = 'prot: 1\ngateways:\n  apnsURL: https://x\n__proto__:\n  port: 1\nnonsense: true\n'
    const sentence = await problem(yaml, { APPSVC_DATADIR: '/x', APPSVC_LOG_LEVLE: 'info', OTHER: 'x' })
    for (const part of [
      `prot in ${file} is not a setting; did you mean port?`,
      `gateways.apnsURL in ${file} is not a setting; did you mean gateways.apnsUrl?`,
      `nonsense in ${file} is not a setting;`,
      'APPSVC_DATADIR is not a setting; did you mean APPSVC_DATA_DIR?',
      'APPSVC_LOG_LEVLE is not a setting; did you mean APPSVC_LOG_LEVEL?',
      `__proto__.port in ${file} is not a setting`,
    ]) {
      expect(sentence).to.include(part)
    }
    expect(sentence).not.to.include('OTHER')
  })

  it('the name of the file itself and of failpoints are not mistaken for settings', async () => {
    await load('', { APPSVC_CONFIG: file, APPSVC_FAILPOINTS: 'x:1' })
  })

  const values: [SettingName, string, unknown][] = [
    ['port', '0', 0],
    ['outbound.allowPrivate', '1', true],
    ['outbound.allowPrivate', 'false', false],
    [
      'outbound.allowPrivate',
      'https://localhost:8443, https://[::1]:1/',
      ['https://localhost:8443', 'https://[::1]:1'],
    ],
    ['webPush.extraHosts', 'Push.example, a.b', ['push.example', 'a.b']],
    ['webPush.extraHosts', '', []],
    ['metrics.listen', '[::1]:9464', '[::1]:9464'],
    ['metrics.allow', '10.0.0.0/8, ::1', '10.0.0.0/8, ::1'],
    ['metrics.allow', '', ''],
    ['baseUrl', '', ''],
    ['timezone', 'Asia/Kathmandu', 'Asia/Kathmandu'],
    ['hosts.data', 'Data.my_app.example:8443', 'Data.my_app.example:8443'],
    ['hosts.data', '[::1]:1', '[::1]:1'],
    ['hosts.data', '', ''],
    ['baseUrl', 'https://A.example:443/', 'https://a.example'],
    ['baseUrl', 'http://[::1]:8080', 'http://[::1]:8080'],
    ['host', '', ''],
    ['host', '[::1]', '::1'],
    ['host', 'push-1.internal', 'push-1.internal'],
    ['tls.host', '::', '::'],
    ['metrics.listen', '[::1]:9464', '[::1]:9464'],
    [
      'trustedProxies',
      '127.0.0.1, ::ffff:10.0.0.7, [::1], 10.0.0.0/8',
      '127.0.0.1, ::ffff:10.0.0.7, [::1], 10.0.0.0/8',
    ],
    ['delivery.refusalLimit', '100', 100],
  ]
  for (const [name, text, value] of values) {
    it(`${name} takes ${JSON.stringify(text)}`, async () => {
      expect((await loadConfig({ environment: {}, flags: { [name]: text } })).config[name]).to.deep.equal(value)
    })
  }

  const refused: [SettingName, string][] = [
    ['port', ''],
    ['port', '80a'],
    ['port', '-1'],
    ['port', '1.5'],
    ['delivery.chunk', '0'],
    ['outbound.allowPrivate', 'yes'],
    ['outbound.allowPrivate', 'http://localhost:1'],
    ['outbound.allowPrivate', 'https://localhost:1/path'],
    ['webPush.extraHosts', 'https://push.example'],
    ['metrics.listen', '9464'],
    ['metrics.listen', '127.0.0.1:99999'],
    ['metrics.allow', '10.0.0.0/33'],
    ['metrics.allow', 'localhost'],
    ['baseUrl', 'a.example'],
    ['baseUrl', 'ftp://a.example'],
    ['baseUrl', 'https://a.example/push'],
    ['baseUrl', 'https://a.example//'],
    ['baseUrl', 'https://a.example/?a=b'],
    ['baseUrl', 'https://a.example/?'],
    ['baseUrl', 'https://a.example/#top'],
    ['baseUrl', 'https://me:secret@a.example'],
    ['baseUrl', 'https://me@a.example/'],
    ['baseUrl', 'https://a b.example'],
    ['sandbox.url', 'http://me@127.0.0.1:1'],
    ['gateways.fcmUrl', 'https://fcm.example?key=1'],
    ['trustedProxies', '300.1.1.1'],
    ['trustedProxies', '127.0.0.1, proxy.example'],
    ['trustedProxies', '10.0.0.0/33'],
    ['host', 'not a host'],
    ['host', '300.1.1.1'],
    ['host', '127.0.0.1:80'],
    ['host', 'http://127.0.0.1'],
    ['host', '::1::'],
    ['tls.host', 'not a host'],
    ['metrics.listen', '300.1.1.1:80'],
    ['console.listen', '[::1'],
    ['hosts.data', '300.1.1.1'],
    ['hosts.data', '[::zz]'],
    ['database.url', 'mysql://a.example/x'],
    ['dataDir', ''],
    ['hosts.data', 'https://data.example'],
    ['hosts.data', 'data.example/v1'],
    ['hosts.data', 'a.example, b.example'],
    ['hosts.data', 'data.example:99999'],
    ['log.level', 'INFO'],
  ]
  for (const [name, text] of refused) {
    it(`${name} refuses ${JSON.stringify(text)}`, async () => {
      const sentence = await loadConfig({ environment: {}, flags: { [name]: text } }).then(() => 'taken', messageOf)
      expect(sentence).to.match(new RegExp(`^bad configuration: ${name} must be `))
    })
  }

  it('shows no secret, neither when it is printed nor when it is wrong', async () => {
    const { config } = await loadConfig({ environment: {}, flags: { 'database.url': 'postgres://u:canary@h/d' } })
    const secret: Secret = config['database.url']
    expect(secret.reveal()).to.equal('postgres://u:canary@h/d')
    expect(`${JSON.stringify(config)} ${inspect(config)} ${Object.values(config).join()}`)
      .to.include('***')
      .and.not.include('canary')
    expect(await problem('', { APPSVC_DATABASE_URL: 'mysql://u:canary@h/d' })).not.to.include('canary')
  })

  it('that cannot be read is named: absent, not YAML, not settings', async () => {
    const absent = join(dir, 'absent.yaml')
    const sentence = await loadConfig({ file: absent, environment: {} }).then(() => '', messageOf)
    expect(sentence).to.match(/^cannot read the configuration file .*absent\.yaml: ENOENT/)
    expect(await problem('port: [\n')).to.match(
      /^cannot read the configuration file .*appsvc\.yaml: .* at line 2, column 1$/,
    )
    expect(await problem('port: 1\nport: 2')).to.include('cannot read')
    expect(await problem('just text')).to.match(/must contain lines of "name: value"$/)
    expect(await problem('- port')).to.match(/must contain lines of "name: value"$/)
  })

  it('as text is the same configuration again', async () => {
    const flags = { 'database.url': 'postgres://u:p@h/d', port: '81', baseUrl: 'https://a.example/' }
    const { config } = await loadConfig({ environment: {}, flags })
    const again = await loadConfig({ environment: {}, flags: settingsAsText(config) })
    expect(settingsAsText(again.config)).to.deep.equal(settingsAsText(config))
    expect(again.config['database.url'].reveal()).to.equal('postgres://u:p@h/d')
  })

  it('of the written defaults is the default configuration', async () => {
    const { config, sources } = await load(defaultYaml())
    expect(settingsAsText(config)).to.deep.equal(settingsAsText((await loadConfig({ environment: {} })).config))
    expect(new Set(Object.values(sources))).to.deep.equal(new Set(['file']))
  })
})
