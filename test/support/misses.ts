import { newSharingCells, openSharing } from '../../src/platform/threads/sharing.ts'
import type { TestProgram } from './program.ts'

/**
 * Lets a caller on this machine have used so much of a limit (ms, of its rate) as if it had asked as often. To be called before the first
 * request: the limits of the server are then in a table, as with several threads.
 */
export function haveUsed({ program, clock }: TestProgram, limit: string, ms: number): void {
  const sharing = openSharing(newSharingCells({ threads: 1, maxConnections: 100 }))
  sharing.callers.locked((rows) => rows.set(rows.make(`${limit} 127.0.0.1`), 0, clock.monotonic() + ms))
  Object.assign(program.kernel, { sharing })
}
