import { AppError } from '../../platform/errors.ts'
import { createDiskSpace } from '../../platform/files/disk-space.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { MAX_FILES_SIZE } from './command-request.ts'

/** Bytes of files that the commands of one person may keep here at once. */
const MOST_OF_ONE = MAX_FILES_SIZE

/** Room for the files of one command, which counts until `leave`. */
export interface TakenRoom {
  /** Reports the number of bytes that are on the disk now. */
  written(bytes: number): void
  leave(): void
}

const roomsOf = onePerProgram((program) => ({
  /** Counts by the id of the person. */
  people: new Map<number, number>(),
  /** Bytes that were promised and are not on the disk yet, of everybody. */
  expected: 0,
  // The files are on this machine, wherever the database is.
  disk:
    program.kernel.db.kind === 'sqlite'
      ? program.kernel.disk
      : createDiskSpace({
          dir: program.kernel.config.dataDir,
          lowWater: program.kernel.config['disk.lowWater'],
          now: () => program.kernel.clock.monotonic(),
        }),
}))

/**
 * Takes room for files before a byte of them is read. Throws `unavailable` when the disk would be too full with them, and
 * `too_many` when the person keeps too much here already.
 */
export function takeRoom(program: Program, person: number, bytes: number): TakenRoom {
  const rooms = roomsOf(program)
  const { people, disk } = rooms
  // What brings no bytes is for full disks, too.
  if (bytes > 0) disk.takeIn()
  const space = bytes > 0 ? disk.look() : undefined
  if (space && space.free - rooms.expected - bytes < space.mark) {
    throw new AppError('unavailable', 'the disk of the server has no room for these files: try again later', {
      headers: { 'Retry-After': '30' },
    })
  }
  const kept = people.get(person) ?? 0
  if (kept + bytes > MOST_OF_ONE) {
    throw new AppError(
      'too_many',
      `the files of your commands may have ${MOST_OF_ONE} bytes together: wait until one ends`,
      { headers: { 'Retry-After': '1' } },
    )
  }
  people.set(person, kept + bytes)
  rooms.expected += bytes
  let expected = bytes
  let isTaken = true
  const arrived = (some: number) => {
    rooms.expected -= Math.min(some, expected)
    expected -= Math.min(some, expected)
  }
  return {
    written: arrived,
    leave() {
      if (!isTaken) return
      isTaken = false
      arrived(expected)
      const left = people.get(person)! - bytes
      if (left > 0) people.set(person, left)
      else people.delete(person)
    },
  }
}
