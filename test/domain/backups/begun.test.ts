import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { clearInterrupted, noteBegun } from '../../../src/domain/backups/begun.ts'
import type { BackupStore } from '../../../src/domain/backups/stores/store.ts'

const NAME = 'appsvc-20260301T120000Z.sqlite'

describe('what a backup that was begun leaves', () => {
  let dir: string
  let draft: string
  /** Names of what was removed from the store. */
  let removed: string[]
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-begun-'))
    draft = join(dir, 'draft')
    writeFileSync(draft, 'half of it')
    removed = []
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const store = (address = 'here/') =>
    ({
      addressOf: (name: string) => address + name,
      abandon: async () => {},
      getText: async () => undefined,
      remove: async (name: string) => void removed.push(name),
    }) as unknown as BackupStore

  /** A backup that was begun, by another process when its entries say so. */
  function begin(others: object = {}) {
    const begun = noteBegun(dir, { id: 'a'.repeat(12), store: store(), name: NAME, draft })
    begun.giveUp()
    const file = join(dir, readdirSync(dir).find((name) => name.endsWith('.begun'))!)
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...others }))
    return file
  }
  const isLeft = (file: string) => [existsSync(file), existsSync(draft), removed.length === 0]
  const LEFT = [true, true, true]
  const GONE = [false, false, false]

  it('is cleared away once its process has ended', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(child, 'exit')
    const file = begin({ pid: child.pid })
    await clearInterrupted(dir, store())
    expect(isLeft(file)).to.deep.equal(GONE)
  })

  it('stays while its process runs, which may be another one of this machine', async () => {
    const file = begin({ pid: process.ppid })
    await clearInterrupted(dir, store())
    expect(isLeft(file)).to.deep.equal(LEFT)
  })

  it('is cleared away when the machine was started since, whoever has that number now', async () => {
    for (const boot of ['another', null, 7]) {
      const file = begin({ pid: process.ppid, boot })
      await clearInterrupted(dir, store())
      expect(isLeft(file), String(boot)).to.deep.equal(GONE)
      writeFileSync(draft, 'half of it')
      removed = []
    }
  })

  it('stays when it was begun in another store', async () => {
    const file = begin()
    await clearInterrupted(dir, store('elsewhere/'))
    expect(isLeft(file)).to.deep.equal(LEFT)
  })

  it('is not ours in a directory that was copied: only the note of it goes', async () => {
    const file = begin({ ino: 1 })
    await clearInterrupted(dir, store())
    expect(isLeft(file)).to.deep.equal([false, true, true])
  })
})
