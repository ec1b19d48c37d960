import { createECDH, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { authority, makeWebsiteP12 } from '../domain/gateways/safari/website.ts'
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

  it('keeps the entitlement for critical alerts over new credentials, until it is taken back', async () => {
    const key = ['--p8', file(`AuthKey_${keyId}.p8`), '--key-id', keyId, '--team-id', teamId]
    const set = (...more: string[]) =>
      run(['gateways', 'set', '1', 'ios', ...key, '--topic', 'com.example.app', ...more])
    const facts = async () => {
      const { gateways } = (await run(['gateways', 'show', '1', 'ios', '--json'])).json<{
        gateways: { facts: { critical?: boolean } }[]
      }>()
      return gateways[0]!.facts.critical
    }
    expect(await facts()).to.equal(undefined)
    expect((await set('--critical')).code).to.equal(0)
    expect((await set()).code).to.equal(0)
    expect(await facts()).to.equal(true)
    expect((await run(['gateways', 'show', '1', 'ios'])).stdout).to.match(/critical alerts +true/)
    expect((await set('--no-critical')).code).to.equal(0)
    expect(await facts()).to.equal(false)
    const foreign = await run(['gateways', 'set', '1', 'web', '--no-critical'])
    expect([foreign.code, foreign.stderr]).to.deep.equal([64, 'appsvc: --critical cannot be used with web\n'])
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

  it('takes Huawei’s app id and secret', async () => {
    const { appId } = sandbox.credentials.hcm
    const argv = [
      'gateways',
      'set',
      '1',
      'hcm',
      '--app-id',
      String(appId),
      '--app-id-password-file',
      file('hcm.secret'),
    ]
    expect((await run(argv)).code).to.equal(0)
    const { stdout } = await run(['gateways', 'show', '1', 'hcm'])
    expect(stdout).to.include(String(appId)).and.not.include(sandbox.credentials.hcm.appIdPassword)
  })

  interface WebFacts {
    publicKey: string
    iconUrl?: string
    subject: string
    keys: { id: string }[]
  }
  const webFacts = async () =>
    (await run(['gateways', 'show', '1', 'web', '--json'])).json<{ gateways: { facts: WebFacts }[] }>().gateways[0]!
      .facts

  it('makes VAPID keys for the web, shows what pages subscribe with, and keeps icon and keys when others come', async () => {
    const icon = ['--icon-url', 'https://example.com/icon.png']
    expect((await run(['gateways', 'set', '1', 'web', ...icon])).code).to.equal(0)
    const made = await webFacts()
    expect(Buffer.from(made.publicKey, 'base64url')).to.have.length(65)
    const rotate = ['--rotate', '--subject', 'mailto:push@example.org']
    expect((await run(['gateways', 'set', '1', 'web', ...rotate])).code).to.equal(0)
    const rotated = await webFacts()
    expect(rotated.publicKey).to.not.equal(made.publicKey)
    expect(rotated).to.include({ iconUrl: 'https://example.com/icon.png', subject: 'mailto:push@example.org' })
    expect(rotated.keys).to.have.length(2)
    const { stdout } = await run(['gateways', 'show', '1', 'web'])
    expect(stdout).to.match(new RegExp(`VAPID public key +${rotated.publicKey}`))
    expect(stdout).to.include(rotated.keys[1]!.id)
  })

  it('takes VAPID keys of other tools, as JSON, as text and as PEM', async () => {
    const pair = createECDH('prime256v1')
    pair.generateKeys()
    const publicKey = pair.getPublicKey('base64url')
    const privateKey = pair.getPrivateKey('base64url')
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
    for (const text of [JSON.stringify({ publicKey, privateKey }), `${privateKey}\n`]) {
      expect((await run(['gateways', 'set', '1', 'web', '--vapid-file', '-'], { stdin: text })).code).to.equal(0)
      expect((await webFacts()).publicKey).to.equal(publicKey)
    }
    expect((await run(['gateways', 'set', '1', 'web', '--vapid-file', '-'], { stdin: pem })).code).to.equal(0)
    expect((await webFacts()).publicKey).to.not.equal(publicKey)
  })

  it('takes a website push certificate with its site, and says until when it is valid', async () => {
    writeFileSync(file('website.p12'), Buffer.from(makeWebsiteP12(), 'base64'))
    writeFileSync(file('website.p12.password'), 'secret\n')
    writeFileSync(file('authority.pem'), authority.pem)
    const certificate = ['--p12', file('website.p12'), '--password-file', file('website.p12.password')]
    // The check below looks for the icon: nobody is there.
    const site = ['--site-url', 'https://example.com', '--icon-url', 'https://127.0.0.1:1/icon.png']
    const more = ['--website-name', 'Shop', '--intermediate', file('authority.pem')]
    const ran = await run(['gateways', 'set', '1', 'safari', ...certificate, ...site, ...more])
    expect(ran.code, ran.stderr).to.equal(0)
    const { stdout } = await run(['gateways', 'show', '1', 'safari'])
    expect(stdout).to.match(/website push id +web\.com\.example\.shop/)
    expect(stdout).to.match(/valid until +\d{4}-\d\d-\d\d/)
    expect((await run(['status'])).stdout).to.match(/1 +safari +\d{4}-\d\d-\d\d .*open/)
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
    // No icon can be fetched here, and Safari wants an https address of ours.
    const errors = findings.filter(({ level, platform }) => level === 'error' && platform !== 'safari')
    expect(errors).to.deep.equal([])
    expect(findings.find(({ platform }) => platform === 'hcm')!.what).to.match(
      /accepts the credential of app 101234567/,
    )
    expect(new Set(findings.map(({ platform }) => platform))).to.include.keys('ios', 'android', 'hcm', 'web', 'safari')
    expect((await run(['gateways', 'check', '1', 'hcm'], { environment })).code).to.equal(0)
  })

  it('check ends with 78 and a remedy when the gateway cannot be reached', async () => {
    const environment = { APPSVC_GATEWAYS_APNS_URL: 'https://127.0.0.1:1' }
    const { code, stdout } = await run(['gateways', 'check', '1', 'ios'], { environment })
    expect(code).to.equal(78)
    expect(stdout).to.match(/^error +ios +APNs/m)
  })

  it('check says what to do when Huawei refuses the secret', async () => {
    const wrong = ['--app-id', '101234567', '--app-id-password-file', '-']
    await run(['gateways', 'set', '1', 'hcm', ...wrong], { stdin: 'another' })
    const environment = { ...sandbox.environment, APPSVC_GATEWAYS_CA_FILE: file('ca.pem') }
    const { code, stdout } = await run(['gateways', 'check', '1', 'hcm'], { environment })
    expect(code).to.equal(78)
    expect(stdout).to.match(/^error +hcm +Push Kit refuses: .*client secret/m)
    expect(stdout).to.match(/compare App ID and client secret/)
  })

  it('check ends with 78 when nothing is configured', async () => {
    await run(['apps', 'create', 'Second'])
    const ran = await run(['gateways', 'check', '2', 'web', '--json'])
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
    [
      'a name that no file can have',
      ['1', 'ios', '--p12', 'A'.repeat(300), '--mode', 'sandbox'],
      65,
      /--p12: a file cannot have a name this long$/m,
    ],
    ['a directory', ['1', 'ios', '--p12', dir, '--mode', 'sandbox'], 65, /is a directory/],
    ['a file of something else', ['1', 'ios', '--p12', file('ca.pem'), '--mode', 'sandbox'], 65, /ios\.p12/],
    [
      'flags of the other platform',
      ['1', 'ios', '--service-account', 'x'],
      64,
      /--service-account cannot be used with ios/,
    ],
    ['Huawei without a secret', ['1', 'hcm', '--app-id', '5'], 64, /hcm needs --app-id ID --app-id-password-file FILE/],
    [
      'an app id that is none',
      ['1', 'hcm', '--app-id', 'x', '--app-id-password-file', file('hcm.secret')],
      65,
      /hcm\.appId must be an integer/,
    ],
    [
      'a website without its address',
      ['1', 'safari', ...p12, '--icon-url', 'https://e.x/i.png'],
      64,
      /safari needs --p12/,
    ],
    [
      'a new pair and one from a file',
      ['1', 'web', '--rotate', '--vapid-file', 'x'],
      64,
      /--rotate makes a new key pair/,
    ],
    ['a key file of something else', ['1', 'web', '--vapid-file', file('ca.pem')], 65, /web\.vapid\.privateKey/],
    ['a subject for a phone', ['1', 'ios', '--subject', 'mailto:a@b.c'], 64, /--subject cannot be used with ios/],
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
    expect((await run(['status'])).stdout)
      .to.include('safari')
      .and.not.include('android')
  })
})
