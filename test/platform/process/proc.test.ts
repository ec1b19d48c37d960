import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockDirectory } from '../../../src/platform/files/lock.ts'
import { lockHoldersOf, machineMemory, openFilesOf, residentMemoryOf } from '../../../src/platform/process/proc.ts'
import { skip } from '../../support/skip.ts'

describe('what the system tells of processes', () => {
  it('is memory of the machine everywhere', () => {
    const { limit, free } = machineMemory()
    expect(limit).to.be.greaterThan(100 * 2 ** 20)
    expect(free).to.be.within(1, limit)
  })

  it('is open files and memory of a process, and nothing of one that does not exist', function () {
    if (!existsSync('/proc/self/limits')) skip(this, 'there is no /proc')
    const { open, limit } = openFilesOf(process.pid)!
    expect(open).to.be.within(3, limit)
    expect(residentMemoryOf(process.pid)).to.be.greaterThan(20 * 2 ** 20)
    // Above the greatest number that Linux gives to a process.
    expect(openFilesOf(2 ** 23)).to.equal(undefined)
    expect(residentMemoryOf(2 ** 23)).to.equal(undefined)
  })

  it('is who holds the lock of a data directory', async function () {
    if (!existsSync('/proc/locks')) skip(this, 'there is no /proc/locks')
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-proc-'))
    const file = join(dir, 'server.lock')
    expect(lockHoldersOf(file)).to.deep.equal([])
    const lock = await lockDirectory(dir, { waitMs: 0 })
    // Some file systems in containers show another number of the file there.
    const isShown = readFileSync('/proc/locks', 'latin1').includes(`:${statSync(file).ino} `)
    const holders = new Set(lockHoldersOf(file).map(({ pid }) => pid))
    expect([...holders]).to.deep.equal(isShown ? [process.pid] : [])
    lock.release()
    expect(lockHoldersOf(file)).to.deep.equal([])
    rmSync(dir, { recursive: true })
  })
})
