import { expect } from 'chai'
import { signIdentifier, signingKey } from '../../src/domain/crm/signed-ids/signed-ids.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Identity {
  app: number
  mode: string
  signingKey?: string
  keys: { hint: string; createdAt: string; expiresAt: string | null }[]
}

describe('appsvc apps identity and users sign', () => {
  const { dir, end } = temporaryDirectory()
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', dir], options)
  const identity = async (...flags: string[]) =>
    (await run(['apps', 'identity', '1', ...flags, '--json'])).json<Identity>()
  before(() => run(['apps', 'create', 'Bakery']))
  after(end)

  it('begin switched off, without a key', async () => {
    expect(await identity()).to.deep.equal({ app: 1, mode: 'off', keys: [] })
    const { code, stderr } = await run(['users', 'sign', '1', 'anna'])
    expect(code).to.equal(75)
    expect(stderr).to.include('appsvc apps identity 1 --optional')
  })

  it('switching on shows the key once, and tokens are made with it', async () => {
    const { signingKey: key, mode } = await identity('--optional')
    expect(mode).to.equal('optional')
    expect(await identity('--require'))
      .to.include({ mode: 'require' })
      .and.not.have.property('signingKey')
    const { stdout } = await run(['apps', 'identity', '1'])
    expect(stdout).to.include('tokens only').and.not.include(key)
    const signed = await run(['users', 'sign', '1', 'anna', '--json'])
    const token = signIdentifier(signingKey(key!), 'anna', null)
    expect(signed.json()).to.deep.equal({ userId: 'anna', token, expiresAt: null })
    const plain = await run(['users', 'sign', 'Bakery', 'anna', '--expires', '30d'])
    expect(plain.stdout).to.match(/^token {4}su1\.YW5uYQ\.\d{10}\.[\w-]{43}$/m)
  })

  it('a new key without grace asks first; with grace the old one has an end', async () => {
    expect((await run(['apps', 'identity', '1', '--rotate'])).code).to.equal(64)
    const graced = await identity('--rotate', '--grace', '30d')
    expect(graced.keys.map(({ expiresAt }) => expiresAt === null)).to.deep.equal([true, false])
    const rotated = await identity('--rotate', '--yes')
    expect(rotated.keys).to.have.length(1)
    expect(rotated.signingKey).to.match(/^uk_/).and.not.equal(graced.signingKey)
  })

  const refused: [string, string[], number][] = [
    ['two modes', ['apps', 'identity', '1', '--off', '--require'], 64],
    ['grace without a new key', ['apps', 'identity', '1', '--grace', '30d'], 64],
    ['an unknown app', ['apps', 'identity', '99', '--off'], 66],
    ['an odd time', ['users', 'sign', '1', 'anna', '--expires', 'soon'], 64],
    ['an identifier too long to be signed', ['users', 'sign', '1', 'x'.repeat(200)], 65],
    ['no identifier', ['users', 'sign', '--app', '1'], 64],
  ]
  for (const [what, argv, code] of refused) {
    it(`refuse ${what}`, async () => {
      expect((await run(argv)).code).to.equal(code)
    })
  }
})
