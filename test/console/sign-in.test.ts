import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { type OpenConsole, openConsole } from './support/console.ts'

const PASSWORD = 'four or five good words'

describe('signing in to the console', function () {
  this.timeout(90_000)
  let console: OpenConsole

  before(async function () {
    // Passkeys need a name: an address with numbers has none.
    console = await openConsole(this, { roles: [] })
  })
  after(() => console?.close())
  afterEach(() => {
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  it('from the one-time address to an account, an app and its keys', async () => {
    await console.visit('/')
    await console.sees('Set this server up')
    const { token } = await console.server.app.inTransaction((tx) => tx.admins.setupLink())
    await console.visit(`/setup#token=${token}`)
    await console.type('Your name', 'Anna Visser')
    await console.type('E-mail', 'anna@example.com')
    await console.type('Password', 'too short')
    await console.press('Create the account')
    await console.sees('must have at least 15 characters')
    await console.type('Password', PASSWORD)
    await console.press('Create the account')
    await console.sees('This app')
    expect(await console.page.evaluate('location.pathname')).to.equal(`/console/apps/${console.appId}`)
  })
})

/** The code of an authenticator app (RFC 6238) for a secret in base 32. */
export function totp(secret: string, ms: number): string {
  const bits = [...secret]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(ms / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = digest.at(-1)! & 15
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0')
}
