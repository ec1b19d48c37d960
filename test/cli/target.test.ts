import { expect } from 'chai'
import { addressOf } from '../../src/cli/state/address.ts'
import { targetWords } from '../../src/cli/state/target.ts'
import { loadConfig } from '../../src/config.ts'

describe('commands that the server prints', () => {
  const words = async (environment: Record<string, string>, named: Parameters<typeof targetWords>[1] = {}) => {
    const flags = { 'database.url': named['database-url'] }
    return targetWords({ ...(await loadConfig({ environment, flags })), file: '/etc/a b.yaml' }, named)
  }

  it('need nothing in the folder of the server', async () => {
    expect(await words({})).to.deep.equal({ words: '', variable: undefined })
  })

  it('name what differs, in quotes where a shell needs them', async () => {
    const named = { config: 'x', 'database-url': 'postgres://me@db/app?sslmode=require' }
    expect((await words({ APPSVC_DATA_DIR: '/var/lib/app svc' }, named)).words).to.equal(
      ` --config '/etc/a b.yaml' --data-dir '/var/lib/app svc' --database-url 'postgres://me@db/app?sslmode=require'`,
    )
  })

  it('never show an address of the environment, which may hold a password', async () => {
    const target = await words({ APPSVC_DATABASE_URL: 'postgres://me:hidden@db/app' })
    expect(target).to.deep.equal({ words: '', variable: 'APPSVC_DATABASE_URL' })
  })

  it('name an address that this machine reaches', () => {
    const rows: [string, string, string][] = [
      ['', '127.0.0.1', 'http://127.0.0.1:80'],
      ['', '0.0.0.0', 'http://127.0.0.1:80'],
      ['', '::', 'http://[::1]:80'],
      ['https://push.example.com', '::', 'https://push.example.com'],
    ]
    for (const [baseUrl, host, address] of rows) expect(addressOf({ baseUrl, host, port: 80 })).to.equal(address)
  })
})
