import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { bury, RUN_PID, RUN_PREFIX } from '../undertaker.ts'

/** A directory without a pid this old was left by a run that died before it wrote any. */
const ABANDONED_AFTER_MS = 60_000
const IN_MEMORY = '/dev/shm'
/** Several times what a whole run needs. */
const ROOM_IN_MEMORY = 6 * 1024 ** 3

/** The place of a run's temporary files. */
export interface Place {
  directory: string
  /** Names a process that is the leader of a session: whatever it leaves is ended with the run. */
  belongs(child: ChildProcess): void
}

/**
 * A directory for the temporary files of this run, and the process that ends the leftovers of the run. Leftovers of
 * runs that are over are ended first.
 */
export async function openPlace(): Promise<Place> {
  const roots = [tmpdir(), ...(hasRoomInMemory() ? [IN_MEMORY] : [])]
  for (const directory of roots.flatMap((root) => readdirSync(root).map((name) => join(root, name)))) {
    if (basename(directory).startsWith(RUN_PREFIX) && isAbandoned(directory)) await bury(directory)
  }
  const directory = mkdtempSync(join(roots.at(-1)!, RUN_PREFIX))
  // PostgreSQL runs as somebody else when we are root.
  chmodSync(directory, 0o755)
  writeFileSync(join(directory, RUN_PID), String(process.pid))
  const undertaker = spawn(process.execPath, [join(import.meta.dirname, '../undertaker.ts'), directory], {
    // Whoever ends this run's group or session must not end the one who cleans up.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  undertaker.unref()
  // It may have been killed; the tests are not about it.
  undertaker.stdin.on('error', () => {})
  ;(undertaker.stdin as unknown as Socket).unref()
  return { directory, belongs: (child) => void undertaker.stdin.write(`${child.pid}\n`) }
}

/**
 * Tells whether temporary files may be in memory, where thousands of databases are made and deleted in a third of the
 * time. Not if `TMPDIR` names a place, if there is little room, or if no program may run there, as in containers.
 */
function hasRoomInMemory(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(IN_MEMORY)) return false
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  if (bavail * bsize < ROOM_IN_MEMORY) return false
  const probe = join(IN_MEMORY, `${RUN_PREFIX}probe-${process.pid}`)
  try {
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(probe).status === 0
  } catch {
    return false
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Tells whether the process that made the directory of a run has ended. A directory that cannot be read is somebody else's. */
function isAbandoned(directory: string): boolean {
  try {
    const file = join(directory, RUN_PID)
    if (!existsSync(file)) return Date.now() - statSync(directory).mtimeMs > ABANDONED_AFTER_MS
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
