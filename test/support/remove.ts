import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Retries enough for a process that was killed a moment ago and still writes. */
const OPTIONS = { recursive: true, force: true, maxRetries: 10 } as const

/** Deletes a directory with all that is in it, also what a test closed to itself: only root is not stopped by that. */
export function removeTree(directory: string): void {
  try {
    rmSync(directory, OPTIONS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    openTree(directory)
    rmSync(directory, OPTIONS)
  }
}

function openTree(directory: string): void {
  chmodSync(directory, 0o700)
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) openTree(join(directory, entry.name))
}
