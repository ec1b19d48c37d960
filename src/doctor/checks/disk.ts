import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf } from '../../platform/errors.ts'
import { fileSystemOf, networkFileSystemOf } from '../../platform/files/data-directory.ts'
import { createDiskSpace, lowRemedy } from '../../platform/files/disk-space.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { type Check, error, type Finding, ok, warning } from './types.ts'

/** A commit waits for one flush; above this, a disk allows fewer than twenty a second. */
const SLOW_FLUSH_MS = 50
const FLUSHES = 5

/** Space, kind and speed of the disk that has the data directory. On PostgreSQL it has only the master key. */
export const diskCheck: Check = {
  name: 'disk',
  group: 'machine',
  needs: 'settings',
  async run({ config, inside }) {
    const dir = config.dataDir
    if (!existsSync(dir)) return []
    const isSqlite = config['database.url'].reveal() === ''
    const findings = isSqlite ? [...space(dir, config['disk.lowWater']), ...kind(dir)] : kind(dir)
    // In the server every request measures the disk already.
    if (isSqlite && inside === 'command') findings.push(await speed(dir))
    return findings
  },
}

function space(dir: string, lowWater: number | 'auto'): Finding[] {
  const seen = createDiskSpace({ dir, lowWater, now: () => performance.now() }).look()
  if (!seen) return []
  const free = `${sizeOf(seen.free, Math.floor)} are free on the disk of ${resolve(dir)}`
  if (seen.free < seen.mark) return [error(lowRemedy(seen).split(';')[0]!, 'free some space, or lower disk.lowWater')]
  if (seen.free < 2 * seen.mark) {
    return [
      warning(
        `${free}: below ${sizeOf(seen.mark, Math.floor)} nothing new is accepted`,
        'free some space, or shorten what is kept: events.retentionDays, notifications.retentionDays',
      ),
    ]
  }
  return [ok(free)]
}

function kind(dir: string): Finding[] {
  const remote = networkFileSystemOf(dir)
  const name = fileSystemOf(dir)
  const remedy = 'dataDir: a directory on a local disk'
  if (remote !== undefined) {
    return [error(`${resolve(dir)} is on a network file system (${remote}), where locks are not reliable`, remedy)]
  }
  if (name === 'tmpfs' || name === 'ramfs') {
    return [warning(`${resolve(dir)} is in memory (${name}): it is gone after the next start of this machine`, remedy)]
  }
  if (name === 'overlayfs') {
    return [
      warning(
        `${resolve(dir)} is inside a container (overlayfs): it is gone with the container`,
        'mount a volume there: docker run -v appsvc:/data',
      ),
    ]
  }
  if (name === 'FUSE' || name === '9P' || name === 'Ceph') {
    return [
      warning(
        `${resolve(dir)} is on ${name}, which may be a disk of another machine, with locks that do not hold`,
        remedy,
      ),
    ]
  }
  return [ok(`its file system is ${name}`)]
}

/** Measures the time that the disk takes to keep something for good, the median of a few. */
async function speed(dir: string): Promise<Finding> {
  const file = join(dir, `doctor.${process.pid}.tmp`)
  try {
    const handle = await open(file, 'wx', 0o600)
    const times: number[] = []
    try {
      for (let i = 0; i < FLUSHES; i++) {
        const begun = performance.now()
        await handle.write(Buffer.alloc(4096, i))
        await handle.sync()
        times.push(performance.now() - begun)
      }
    } finally {
      await handle.close()
    }
    return judgeFlush(times.sort((a, b) => a - b)[FLUSHES >> 1]!)
  } catch (failure) {
    return error(
      `nothing can be written to ${resolve(dir)}: ${messageOf(failure)}`,
      `see the owner and modes of ${resolve(dir)}`,
    )
  } finally {
    await rm(file, { force: true })
  }
}

/** Judges the time of a flush (ms). */
export function judgeFlush(ms: number): Finding {
  const took = `the disk takes ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms to flush`
  if (ms <= SLOW_FLUSH_MS) return ok(took)
  return warning(
    `${took}, and every commit waits for that: at most ${Math.max(1, Math.floor(1000 / ms))} a second`,
    'see what else uses the disk, or move dataDir to a faster one',
  )
}
