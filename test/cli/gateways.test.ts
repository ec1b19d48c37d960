import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('appsvc gateways', () => {
  const { dir, end } = temporaryDirectory()
  const file = (name: string) => join(dir, 'sandbox', name)
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', join(dir, 'data')], options)
  let sandbox: Sandbox
  let keyId: string
  let teamId: string

  before(async () => {
    sandbox = await startSandbox({ dir: join(dir, 'sandbox') })
    ;({ keyId, teamId } = sandbox.credentials.p8)
    await run(['apps', 'create', 'First'])
  })
  after(async () => {
    await sandbox.close()
    end()
  })

  it('takes a push certificate with its password from a file', async () => {
    const ran = await run([
      'gateways',
      'set',
      '1',
      'ios',
      '--p12',
      file('push.p12'),
      '--password-file',
      file('push.p12.password'),
      '--mode',
      'production',
      '--json',
    ])
    expect(ran.stderr).to.include('not issued by Apple')
    expect(
      ran.json<{ platformConfigs: { platformType: number }[] }>().platformConfigs.map((one) => one.platformType),
    ).to.deep.equal([1])
  })

  it('takes a signing key from standard input', async () => {
    const ran = await run(
      [
        'gateways',
        'set',
        'First',
        'ios',
        '--p8',
        '-',
        '--key-id',
        keyId,
        '--team-id',
        teamId,
        '--topic',
        'com.example.app',
      ],
      { stdin: readFileSync(file(`AuthKey_${keyId}.p8`)) },
    )
    expect(ran.code).to.equal(0)
  })

  it('takes the service account file as the Google console writes it', async () => {
    const ran = await run([
      'gateways',
      'set',
      '1',
      'android',
      '--service-account',
      file('service-account.json'),
      '--json',
    ])
    expect(ran.code).to.equal(0)
    expect(ran.json()).to.have.property('platformConfigs').with.length(2)
  })

  it('show tells everything but the secrets', async () => {
    for (const argv of [
      ['gateways', 'show', '1'],
      ['gateways', 'show', '1', '--json'],
      ['gateways', 'show', '1', 'android'],
    ]) {
      const { code, stdout } = await run(argv)
      expect(code).to.equal(0)
      expect(stdout).to.include(sandbox.credentials.serviceAccount.clientEmail)
      expect(stdout).to.not.match(/BEGIN|PRIVATE/)
    }
  })

  it('check connects to what is configured and finds it right', async () => {
    const environment = { ...sandbox.environment, APPSVC_GATEWAYS_CA_FILE: file('ca.pem') }
    const ran = await run(['gateways', 'check', '1', '--json'], { environment })
    const { findings } = ran.json<{ findings: { platform: string; level: string; what: string }[] }>()
    expect(findings.filter(({ level }) => level === 'error')).to.deep.equal([])
    expect(new Set(findings.map(({ platform }) => platform))).to.deep.equal(new Set(['ios', 'android']))
    expect(ran.code).to.equal(0)
  })

  it('check ends with 78 and a remedy when the gateway cannot be reached', async () => {
    const environment = { APPSVC_GATEWAYS_APNS_URL: 'https://127.0.0.1:1' }
    const { code, stdout } = await run(['gateways', 'check', '1', 'ios'], { environment })
    expect(code).to.equal(78)
    expect(stdout).to.match(/^error +ios +APNs/m)
  })

  it('check ends with 78 when nothing is configured', async () => {
    const ran = await run(['gateways', 'check', '1', 'web', '--json'])
    expect(ran.code).to.equal(78)
    expect(ran.json<{ findings: unknown[] }>().findings).to.have.length(1)
  })

  const p12 = ['--p12', file('push.p12')]
  const refused: [string, string[], number, RegExp][] = [
    ['no credential', ['1', 'ios'], 64, /ios needs either --p12/],
    ['two credentials', ['1', 'ios', ...p12, '--p8', 'x'], 64, /ios needs either --p12/],
    ['a certificate without a mode', ['1', 'ios', ...p12], 64, /--p12 needs --mode/],
    ['a strange mode', ['1', 'ios', ...p12, '--mode', 'test'], 65, /ios\.mode must be one of sandbox, production/],
    ['the wrong password', ['1', 'ios', ...p12, '--mode', 'production'], 65, /ios\.password|ios\.p12/],
    [
      'a key id with a certificate',
      ['1', 'ios', ...p12, '--mode', 'production', '--key-id', 'A'],
      64,
      /--key-id cannot be used with --p12/,
    ],
    [
      'a password with a signing key',
      ['1', 'ios', '--p8', 'x', '--password-file', 'y'],
      64,
      /--password-file cannot be used with --p8/,
    ],
    ['a file that is not there', ['1', 'ios', '--p12', file('none.p12'), '--mode', 'sandbox'], 66, /there is no file/],
    ['a directory', ['1', 'ios', '--p12', dir, '--mode', 'sandbox'], 65, /is a directory/],
    ['a file of something else', ['1', 'ios', '--p12', file('ca.pem'), '--mode', 'sandbox'], 65, /ios\.p12/],
    [
      'flags of the other platform',
      ['1', 'ios', '--service-account', 'x'],
      64,
      /--service-account cannot be used with ios/,
    ],
    ['no Google credential', ['1', 'android'], 64, /android needs --service-account/],
    ['an account file that is no JSON', ['1', 'android', '--service-account', file('ca.pem')], 65, /not a JSON file/],
    ['an unknown platform', ['1', 'windows'], 64, /windows/],
    ['an unknown app', ['9', 'android', '--service-account', file('service-account.json')], 66, /there is no app 9/],
    [
      'standard input twice',
      ['1', 'ios', '--p12', '-', '--password-file', '-', '--mode', 'sandbox'],
      64,
      /only one of/,
    ],
  ]
  for (const [what, argv, exit, sentence] of refused) {
    it(`set refuses ${what} with ${exit}`, async () => {
      const { code, stderr } = await run(['gateways', 'set', ...argv])
      expect(stderr).to.match(sentence)
      expect(code).to.equal(exit)
    })
  }

  it('set refuses an account of another type', async () => {
    writeFileSync(file('user.json'), '{"type":"authorized_user"}')
    const { code, stderr } = await run(['gateways', 'set', '1', 'android', '--service-account', file('user.json')])
    expect(code).to.equal(65)
    expect(stderr).to.include('authorized_user')
  })

  it('remove asks first, and then the gateway is gone', async () => {
    expect((await run(['gateways', 'remove', '1', 'android'])).code).to.equal(64)
    expect((await run(['gateways', 'remove', '1', 'android', '--yes'])).code).to.equal(0)
    expect((await run(['gateways', 'remove', '1', 'android', '--yes'])).code).to.equal(66)
  })
})
