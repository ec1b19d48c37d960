import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs, {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createVault, loadMasterKey, readKeyFile, sameDigest } from '../../../src/platform/crypto/vault.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const CONTEXT = 'app 1, ios, p12'

describe('the vault', () => {
  const master = Buffer.alloc(32, 1)
  const vault = createVault(master)

  it('opens what it sealed', () => {
    for (const plain of ['', 'secret', 'Ünïcode 🦊', 'x'.repeat(100_000)]) {
      expect(vault.open(vault.seal(plain, CONTEXT), CONTEXT)).to.equal(plain)
      expect(createVault(Buffer.from(master)).open(vault.seal(plain, CONTEXT), CONTEXT)).to.equal(plain)
    }
  })

  it('seals the same secret differently each time, without showing it', () => {
    const [one, two] = [vault.seal('canary', CONTEXT), vault.seal('canary', CONTEXT)]
    expect(one).not.to.equal(two)
    expect(Buffer.from(one.split('.')[2]!, 'base64url').toString('latin1')).not.to.include('canary')
  })

  const refused = (sealed: string, context = CONTEXT, by = vault) =>
    expect(() => by.open(sealed, context))
      .to.throw(`the stored secret of ${context} cannot be opened`)
      .with.property('code', 'config')

  it('does not open what was altered, in any byte', () => {
    const [version, wrapped, body] = vault.seal('secret', CONTEXT).split('.') as [string, string, string]
    const flipped = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64url')
      bytes[at]! ^= 1
      return bytes.toString('base64url')
    }
    const lengthOf = (text: string) => Buffer.from(text, 'base64url').length
    for (let i = 0; i < lengthOf(wrapped); i++) refused(`${version}.${flipped(wrapped, i)}.${body}`)
    for (let i = 0; i < lengthOf(body); i++) refused(`${version}.${wrapped}.${flipped(body, i)}`)
  })

  it('does not open what was cut, joined from two, or never sealed', () => {
    const [version, wrapped, body] = vault.seal('secret', CONTEXT).split('.') as [string, string, string]
    const other = vault.seal('secret', CONTEXT).split('.')
    for (const sealed of ['', 'v1', 'v1..', 'plain text', `v2.${wrapped}.${body}`, `${version}.${wrapped}.`])
      refused(sealed)
    refused(`${version}.${wrapped}.${body.slice(0, -4)}`)
    refused(`${version}.${wrapped.slice(0, 8)}.${body}`)
    refused(`${version}.${wrapped}.${other[2]}`)
  })

  it('does not open a secret that was moved to another app or field', () => {
    refused(vault.seal('secret', CONTEXT), 'app 2, ios, p12')
  })

  it('does not open what another master key sealed', () => {
    refused(vault.seal('secret', CONTEXT), CONTEXT, createVault(Buffer.alloc(32, 2)))
  })

  it('says nothing of the secret when it refuses', () => {
    const sealed = vault.seal('canary', CONTEXT)
    try {
      vault.open(sealed, 'elsewhere')
      expect.fail('it opened')
    } catch (error) {
      expect(JSON.stringify(error) + String(error))
        .not.to.include('canary')
        .and.not.include(sealed)
    }
  })

  it('digests the same value to the same 64 hex digits, under this master key only', () => {
    expect(vault.digest('key'))
      .to.match(/^[0-9a-f]{64}$/)
      .and.equal(vault.digest('key'))
    expect(vault.digest('key')).not.to.equal(vault.digest('kez'))
    expect(vault.digest('key')).not.to.equal(createVault(Buffer.alloc(32, 2)).digest('key'))
  })

  it('digests are compared whole', () => {
    const digest = vault.digest('key')
    expect(sameDigest(digest, vault.digest('key'))).to.equal(true)
    for (const other of [vault.digest('kez'), digest.slice(2), `${digest}00`, '']) {
      expect(sameDigest(digest, other), other).to.equal(false)
    }
  })
})

describe('the master key file', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('is made at the first start, for its owner only, in a directory for its owner only', () => {
    const file = join(dir, 'new', 'data', 'master.key')
    const key = loadMasterKey(file)
    expect(key).to.have.length(32)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(statSync(join(dir, 'new', 'data')).mode & 0o777).to.equal(0o700)
    expect(loadMasterKey(file)).to.deep.equal(key)
    expect(readdirSync(join(dir, 'new', 'data'))).to.deep.equal(['master.key'])
  })

  it('is on the disk with its name before anything is sealed with it', () => {
    const folder = join(dir, 'keys')
    const { fsyncSync } = fs
    const synced: string[] = []
    fs.fsyncSync = (fd) => {
      synced.push(readlinkSync(`/proc/self/fd/${fd}`), ...readdirSync(folder))
      fsyncSync(fd)
    }
    syncBuiltinESMExports()
    try {
      loadMasterKey(join(folder, 'master.key'))
    } finally {
      fs.fsyncSync = fsyncSync
      syncBuiltinESMExports()
    }
    const [draft, inFolder, ...last] = synced
    expect(draft).to.equal(join(folder, inFolder!))
    expect(last[0]).to.equal(folder)
    expect(last).to.include('master.key')
  })

  it('of an operator is read as openssl writes it', () => {
    const file = join(dir, 'master.key')
    const key = randomBytes(32)
    writeFileSync(file, `${key.toString('base64')}\n`)
    expect(loadMasterKey(file)).to.deep.equal(key)
  })

  it('below something that is no directory is none: the directory is what is wrong', () => {
    const file = join(dir, 'no-directory')
    writeFileSync(file, '')
    expect(readKeyFile(join(file, 'master.key'))).to.equal(undefined)
  })

  it('with anything but 32 bytes is refused and left alone', () => {
    const file = join(dir, 'master.key')
    for (const text of ['', 'short', randomBytes(31).toString('base64'), randomBytes(64).toString('base64')]) {
      writeFileSync(file, text)
      expect(() => loadMasterKey(file))
        .to.throw('must contain 32 bytes in base64 (openssl rand -base64 32)')
        .with.property('code', 'config')
      expect(readFileSync(file, 'utf8')).to.equal(text)
    }
  })

  it('with characters that are not base64 is refused, not read differently', () => {
    const file = join(dir, 'master.key')
    const text = randomBytes(32).toString('base64')
    writeFileSync(file, `${text.slice(0, 10)}!${text.slice(10)}`)
    expect(() => loadMasterKey(file)).to.throw('must contain 32 bytes in base64')
  })

  it('that cannot be read is named', () => {
    expect(() => loadMasterKey(dir))
      .to.throw(`the master key file ${dir} cannot be read`)
      .with.property('code', 'config')
  })

  it('that cannot be made is named', () => {
    chmodSync(dir, 0o500)
    // Root may write everywhere, but make no file among the processes.
    const file = join(process.getuid?.() === 0 ? '/proc' : dir, 'master.key')
    expect(() => loadMasterKey(file))
      .to.throw(`the master key file ${file} cannot be created`)
      .with.property('code', 'config')
  })

  it('is the same for all that start together', async () => {
    const file = join(dir, 'data', 'master.key')
    const script = `
      const { loadMasterKey } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/platform/crypto/vault.ts'))})
      process.stdout.write('ready')
      await new Promise((resolve) => process.stdin.once('data', resolve))
      process.stdout.write(loadMasterKey(${JSON.stringify(file)}).toString('base64'))
      process.exit()`
    const starts = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]),
    )
    await Promise.all(starts.map(({ child }) => new Promise((resolve) => child.stdout!.once('data', resolve))))
    for (const { child } of starts) child.stdin!.write('go')
    const keys = (await Promise.all(starts)).map(({ stdout }) => stdout)
    expect(new Set(keys).size).to.equal(1)
    expect(keys[0]).to.equal(`ready${readFileSync(file, 'utf8').trim()}`)
    expect(readdirSync(join(dir, 'data'))).to.deep.equal(['master.key'])
  })
})
