import { closeSync, fstatSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject } from '../../platform/json/json.ts'
import { bootId } from '../../platform/timekeeping/memory-file.ts'
import { isOwnName, keyName, manifestName } from './manifest.ts'
import type { BackupStore } from './stores/store.ts'

/**
 * A backup that was begun, kept in a file of the data directory until it is complete or nothing of it is left. What stands there is ours for
 * certain: names in a store, which others may use too, prove nothing.
 */
interface Begun {
  /** The address of the store. */
  store: string
  name: string
  /** The copy in `staging`. */
  draft: string
  pid: number
  boot: string | null
  /** The inode of this file: a data directory that was copied does not own the backups of the original. */
  ino: number
}

const FILE = /^\.backup-[0-9a-f]{12}\.begun$/
const fileOf = (dataDir: string, id: string) => join(dataDir, `.backup-${id}.begun`)

/** Backups of this thread that are under way. */
const underWay = new Set<string>()

/** Notes that a backup begins; call the result when it is complete, or nothing of it is left. `giveUp` leaves the rest to the next backup. */
export function noteBegun(
  dataDir: string,
  { id, store, name, draft }: { id: string; store: BackupStore; name: string; draft: string },
): { end(): void; giveUp(): void } {
  const file = fileOf(dataDir, id)
  const fd = openSync(file, 'wx', 0o600)
  try {
    const begun: Begun = {
      store: store.addressOf(''),
      name,
      draft,
      pid: process.pid,
      boot: bootId(),
      ino: fstatSync(fd).ino,
    }
    writeSync(fd, `${JSON.stringify(begun)}\n`)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
  underWay.add(file)
  return {
    end() {
      underWay.delete(file)
      rmSync(file, { force: true })
    },
    giveUp: () => void underWay.delete(file),
  }
}

/**
 * Removes from `store` what backups of this data directory have left that were killed or could not be cleared away: copies, files without a
 * manifest, uploads under way. What cannot be removed now is left to the next backup.
 */
export async function clearInterrupted(dataDir: string, store: BackupStore): Promise<void> {
  for (const entry of readdirSync(dataDir)) {
    const file = join(dataDir, entry)
    if (!FILE.test(entry) || underWay.has(file)) continue
    const begun = readBegun(file)
    if (begun === undefined) {
      rmSync(file, { force: true })
      continue
    }
    if (begun.store !== store.addressOf('') || isRunning(begun)) continue
    for (const path of [begun.draft, ...SIDES.map((side) => begun.draft + side)]) rmSync(path, { force: true })
    if (await isCleared(store, begun.name)) rmSync(file, { force: true })
  }
}

const SIDES = ['-journal', '-wal', '-shm']

async function isCleared(store: BackupStore, name: string): Promise<boolean> {
  try {
    await store.abandon(name)
    // An operator may have put something else where he had chosen the name.
    if (isOwnName(name) && (await store.getText(manifestName(name))) === undefined) await discard(store, name)
    return true
  } catch {
    return false
  }
}

/** Removes a file that was stored and has no manifest, with its key. */
export async function discard(store: BackupStore, name: string): Promise<void> {
  await store.remove(keyName(name))
  await store.remove(name)
}

/** Undefined for a file that is not whole, or came here with a copied directory. */
function readBegun(file: string): Begun | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isPlainObject(value)) return undefined
    const { store, name, draft, pid, boot, ino } = value
    if (typeof store !== 'string' || typeof name !== 'string' || typeof draft !== 'string') return undefined
    if (typeof pid !== 'number' || typeof ino !== 'number' || ino !== statSync(file).ino) return undefined
    return { store, name, draft, pid, boot: typeof boot === 'string' ? boot : null, ino }
  } catch {
    return undefined
  }
}

/** Whether the process that began it still runs. Our own number belonged to an earlier process: what we do is in `underWay`. */
function isRunning({ pid, boot }: Begun): boolean {
  if (boot !== bootId() || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
