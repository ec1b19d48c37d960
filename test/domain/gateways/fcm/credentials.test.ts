import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import {
  checkFcm,
  type FcmFacts,
  type FcmSecret,
  fromGoogleFile,
} from '../../../../src/domain/gateways/fcm/credentials.ts'

const pem = (key: ReturnType<typeof createPrivateKey>) => key.export({ format: 'pem', type: 'pkcs8' }).toString()
const PRIVATE_KEY = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const ACCOUNT = {
  projectId: 'my-project',
  privateKeyId: 'abc123',
  privateKey: PRIVATE_KEY,
  clientEmail: 'push@my-project.iam.gserviceaccount.com',
  clientId: '1234567890',
  authUri: 'https://accounts.google.com/o/oauth2/auth',
  tokenUri: 'https://oauth2.googleapis.com/token',
  authProviderX509CertUrl: 'https://www.googleapis.com/oauth2/v1/certs',
  clientX509CertUrl: 'https://www.googleapis.com/robot/v1/metadata/x509/push',
}

async function accepted(block: unknown) {
  const result = await checkFcm(block, 0)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  const { secret, facts, sendable } = result.credential
  return { secret: secret as FcmSecret, facts: facts as FcmFacts, sendable }
}

async function refused(block: unknown) {
  const result = await checkFcm(block, 0)
  return 'errors' in result ? result.errors : {}
}

describe('an android block', () => {
  it('with a whole service account is accepted and kept', async () => {
    const { secret, facts, sendable } = await accepted({ serviceAccount: { ...ACCOUNT, extra: 1 }, extra: 2 })
    expect(sendable).to.equal(true)
    expect(secret).to.deep.equal({ serviceAccount: ACCOUNT })
    expect(facts).to.deep.equal({
      kind: 'serviceAccount',
      projectId: 'my-project',
      clientEmail: 'push@my-project.iam.gserviceaccount.com',
      privateKeyId: 'abc123',
      warnings: [],
    })
  })

  it('needs project, key and email of the service account and no more', async () => {
    const { projectId, privateKey, clientEmail } = ACCOUNT
    expect((await accepted({ serviceAccount: { projectId, privateKey, clientEmail } })).sendable).to.equal(true)
    expect(await refused({ serviceAccount: {} })).to.have.all.keys(
      'serviceAccount.projectId',
      'serviceAccount.privateKey',
      'serviceAccount.clientEmail',
    )
  })

  it('may hold a key whose line ends were lost to JSON', async () => {
    const broken = PRIVATE_KEY.replaceAll('\n', '\\n')
    const { secret } = await accepted({ serviceAccount: { ...ACCOUNT, privateKey: broken } })
    expect(secret.serviceAccount!.privateKey).to.equal(PRIVATE_KEY)
  })

  it('with only a legacy server key is kept, with a warning, and cannot send', async () => {
    const { secret, facts, sendable } = await accepted({ serverKey: 'AAAA:legacy' })
    expect(secret).to.deep.equal({ serverKey: 'AAAA:legacy' })
    expect(sendable).to.equal(false)
    expect(facts.kind).to.equal('serverKey')
    expect(facts.warnings.join()).to.contain('shut down')
  })

  it('with both can send and still warns', async () => {
    const { facts, sendable } = await accepted({ serverKey: 'AAAA:legacy', serviceAccount: ACCOUNT })
    expect(sendable).to.equal(true)
    expect(facts.warnings).to.have.length(1)
  })

  it('with neither, or that is no object, is refused as a whole', async () => {
    for (const wrong of [{}, { other: 1 }, null, 5, 'x', []]) expect(await refused(wrong)).to.have.all.keys('')
  })

  const ecKey = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  const rows: [string, unknown][] = [
    ['clientEmail', undefined],
    ['clientEmail', 'nobody'],
    ['clientEmail', 5],
    ['clientEmail', null],
    ['projectId', undefined],
    ['projectId', 'a/b'],
    ['projectId', 7],
    ['privateKey', undefined],
    ['privateKey', 'hello'],
    ['privateKey', ecKey],
    ['privateKey', {}],
    ['privateKeyId', 5],
    ['clientId', 123],
    ['authUri', 'nowhere'],
    ['tokenUri', 12],
    ['tokenUri', 'no uri'],
    ['authProviderX509CertUrl', 'ftp://example.com'],
    ['clientX509CertUrl', 'x'],
  ]
  for (const [field, value] of rows) {
    it(`names serviceAccount.${field} when it is ${JSON.stringify(value)?.slice(0, 30)}`, async () => {
      const errors = await refused({ serviceAccount: { ...ACCOUNT, [field]: value } })
      expect(Object.keys(errors)).to.deep.equal([`serviceAccount.${field}`])
    })
  }

  for (const value of [5, null, 'x', []]) {
    it(`names serviceAccount when it is ${JSON.stringify(value)}`, async () => {
      expect(await refused({ serviceAccount: value })).to.have.property('serviceAccount')
    })
  }

  it('names serverKey when it is no text, empty, or has blanks in it', async () => {
    for (const serverKey of [5, null, '', ' ', 'AAAA: legacy', 'AAAA:legacy\n']) {
      expect(await refused({ serverKey })).to.have.all.keys('serverKey')
      expect(await refused({ serverKey, serviceAccount: ACCOUNT })).to.have.all.keys('serverKey')
    }
  })
})

describe('the file that Google gives out', () => {
  it('becomes a block that is accepted', async () => {
    const block = fromGoogleFile({
      type: 'service_account',
      project_id: ACCOUNT.projectId,
      private_key_id: ACCOUNT.privateKeyId,
      private_key: ACCOUNT.privateKey,
      client_email: ACCOUNT.clientEmail,
      client_id: ACCOUNT.clientId,
      auth_uri: ACCOUNT.authUri,
      token_uri: ACCOUNT.tokenUri,
      auth_provider_x509_cert_url: ACCOUNT.authProviderX509CertUrl,
      client_x509_cert_url: ACCOUNT.clientX509CertUrl,
      universe_domain: 'googleapis.com',
    })
    expect((await accepted(block)).secret).to.deep.equal({ serviceAccount: ACCOUNT })
  })

  it('may have the names of the contract already, and may be nonsense', async () => {
    expect((await accepted(fromGoogleFile(ACCOUNT))).sendable).to.equal(true)
    expect(await refused(fromGoogleFile('x'))).to.have.property('serviceAccount')
  })
})
