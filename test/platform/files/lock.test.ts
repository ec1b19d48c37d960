import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lockDirectory } from '../../../src/platform/files/lock.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const LOCK = join(import.meta.dirname, '../../../src/platform/files/lock.ts')

/** Another process that takes the lock, says so, and keeps it. */
async function holder(dir: string) {
  const script = `import { lockDirectory } from ${JSON.stringify(LOCK)}
    await lockDirectory(${JSON.stringify(dir)}, { waitMs: 0 }); console.log('held'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

describe('the directory lock', function () {
  this.timeout(PROGRAMS_MS)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-lock-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('has one holder; the others are told which directory it is', async () => {
    const lock = await lockDirectory(dir, { waitMs: 0 })
    const error = await lockDirectory(dir, { waitMs: 0 }).catch((e: unknown) => e)
    expect(error).to.include({ code: 'unavailable' })
    expect((error as Error).message).to.include(dir)
    lock.release()
    ;(await lockDirectory(dir, { waitMs: 0 })).release()
  })

  it('a refused attempt in the same process does not loosen it', async () => {
    const lock = await lockDirectory(dir, { waitMs: 0 })
    await lockDirectory(dir, { waitMs: 0 }).catch(() => {})
    const script = `import { lockDirectory } from ${JSON.stringify(LOCK)}
      lockDirectory(${JSON.stringify(dir)}, { waitMs: 0 }).then(() => process.exit(0), () => process.exit(9))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    const [code] = await once(child, 'exit')
    lock.release()
    expect(code).to.equal(9)
  })

  it('waits for a holder that is about to end', async () => {
    const lock = await lockDirectory(dir, { waitMs: 0 })
    const waiting = lockDirectory(dir, { waitMs: 60_000 })
    setTimeout(() => lock.release(), 20)
    ;(await waiting).release()
  })

  it('leaves nothing when the work is undone, and who waited for it holds a file that exists', async () => {
    const lock = await lockDirectory(dir, { waitMs: 0 })
    const waiting = lockDirectory(dir, { waitMs: 60_000 })
    lock.undo()
    const next = await waiting
    expect(readdirSync(dir)).to.deep.equal(['server.lock'])
    const refused = await lockDirectory(dir, { waitMs: 0 }).catch((e: unknown) => e)
    expect(refused).to.include({ code: 'unavailable' })
    next.release()
    const last = await lockDirectory(dir, { waitMs: 0 })
    last.undo()
    // The one before made it.
    expect(readdirSync(dir)).to.deep.equal(['server.lock'])
  })

  it('is free again after kill -9 of its holder, and leaves nothing but its file', async () => {
    const child = await holder(dir)
    const refused = await lockDirectory(dir, { waitMs: 0 }).catch((e: unknown) => e)
    expect(refused).to.include({ code: 'unavailable' })
    child.kill('SIGKILL')
    const lock = await lockDirectory(dir, { waitMs: 60_000 })
    expect(readdirSync(dir)).to.deep.equal(['server.lock'])
    expect(statSync(join(dir, 'server.lock')).mode & 0o777).to.equal(0o600)
    lock.release()
  })

  it('a directory that is not there is a configuration error', async () => {
    const error = await lockDirectory(join(dir, 'none'), { waitMs: 0 }).catch((e: unknown) => e)
    expect(error).to.include({ code: 'config' })
  })
})
