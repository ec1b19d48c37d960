import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { CHECKS } from '../../src/doctor/checks.ts'
import { examine } from '../../src/doctor/examine.ts'
import { openSubject } from '../../src/doctor/subject.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { run as runAnywhere, temporaryDirectory } from '../cli/cli.ts'

describe('the doctor, connecting', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[]) => runAnywhere([...argv, '--data-dir', data])
  let sandbox: Sandbox

  before(async () => {
    sandbox = await startSandbox({ dir: join(dir, 'sandbox') })
    expect((await run(['apps', 'create', 'Bakery'])).code).to.equal(0)
  })
  after(async () => {
    await sandbox.close()
    end()
  })

  async function look(name: string, settings: Record<string, string> = {}): Promise<string[]> {
    const caFile = join(dir, 'sandbox', 'ca.pem')
    const flags = { dataDir: data, ...sandbox.settings, 'gateways.caFile': caFile, ...settings }
    const { config } = await loadConfig({ environment: {}, flags })
    const subject = await openSubject({ config })
    const { findings } = await examine(
      subject,
      CHECKS.filter((check) => check.name === name),
    )
    await subject.close()
    return findings.map(({ level, what }) => `${level}: ${what}`)
  }

  it('compares the clock with servers that say the time', async () => {
    const [found] = await look('clock')
    expect(found).to.match(/^(ok: the clock agrees with|info: no gateway told the time)/)
  })

  it('reaches the servers of configured gateways, and of all while there are none', async () => {
    const all = await look('reach')
    expect(all.length).to.be.greaterThan(3)
    expect(all.filter((line) => !line.startsWith('ok: '))).to.deep.equal([])
    // Nobody sends through them yet.
    const nowhere = Object.fromEntries(Object.keys(sandbox.settings).map((name) => [name, 'http://127.0.0.1:1']))
    const addresses = Object.fromEntries(Object.entries(nowhere).filter(([name]) => name.endsWith('Url')))
    expect((await look('reach', addresses)).every((line) => line.startsWith('warning: 127.0.0.1:1'))).to.equal(true)

    const file = join(dir, 'sandbox', 'service-account.json')
    expect((await run(['gateways', 'set', '1', 'android', '--service-account', file])).code).to.equal(0)
    const used = await look('reach', addresses)
    expect(used.every((line) => line.startsWith('error: 127.0.0.1:1'))).to.equal(true)
    expect(used.length).to.be.lessThan(all.length)
  })

  it('checks the credentials of gateways as gateways check does', async () => {
    const found = await look('gateways')
    expect(found.length).to.be.greaterThan(0)
    expect(found.every((line) => line.startsWith('ok: app 1 android: '))).to.equal(true)
    const { code, stdout } = await run(['gateways', 'check', '1', 'web'])
    expect([code, stdout]).to.deep.equal([78, stdout])
    expect(stdout).to.include('has no web gateway')
  })

  it('checks the link domains of apps', async () => {
    expect(await look('links')).to.deep.equal([])
    const set = await run([
      'links',
      'settings',
      '1',
      '--domain',
      'go.bakery.invalid',
      '--ios-team',
      'ABCDE12345',
      '--ios-bundle',
      'com.bakery',
    ])
    expect(set.code, set.stderr).to.equal(0)
    const found = await look('links')
    expect(found.join()).to.include('error: go.bakery.invalid: ')
  })

  it('does not open secrets without their key', async () => {
    const elsewhere = join(dir, 'other.key')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(elsewhere, `${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 })
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data, masterKeyFile: elsewhere } })
    const subject = await openSubject({ config })
    const { findings, leftOut } = await examine(
      subject,
      CHECKS.filter(({ name }) => ['gateways', 'lanes', 'master-key'].includes(name)),
    )
    await subject.close()
    expect(leftOut).to.deep.equal([{ check: 'gateways', why: 'the master key is not there' }])
    expect(findings.map(({ check, level }) => `${check} ${level}`)).to.deep.equal(['master-key error', 'lanes ok'])
  })
})
