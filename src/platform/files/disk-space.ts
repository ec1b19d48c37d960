import { type StatsFs, statfsSync } from 'node:fs'
import { AppError } from '../errors.ts'
import { sizeOf } from '../text/size.ts'

/** Free bytes of a file system, and the mark below which nothing new is accepted. */
export interface Space {
  free: number
  mark: number
}

/** The space that is left for the database. */
export interface DiskSpace {
  /**
   * The current space, at most a second old; undefined when it cannot be determined or the database is not on this
   * disk.
   */
  look(): Space | undefined
  /** Tells whether free space is below the mark. Once low, it stays low until a tenth more than the mark is free (hysteresis). */
  isLow(): boolean
  /** Throws `unavailable` while space is low, or would be after `bytes` more. Called before accepting new work. */
  takeIn(bytes?: number): void
}

export interface DiskSpaceOptions {
  dir: string
  /** Bytes; `auto` is the smaller of 512 MiB and 5 % of the file system. */
  lowWater: number | 'auto'
  /** Monotonic clock, ms. */
  now(): number
  statfs?: (dir: string) => Pick<StatsFs, 'bsize' | 'blocks' | 'bavail'>
}

const LOOK_MS = 1000
/** Bytes above the mark below which every call looks: a command stores more in a second. */
const NEAR = 64 * 1024 * 1024
const MAX_AUTO = 512 * 1024 * 1024
const SHARE_AUTO = 0.05
const ENOUGH = 1.1
/** The mark is never below this: with less, a database cannot record anything. */
const LEAST = 1024 * 1024

export function createDiskSpace({ dir, lowWater, now, statfs = statfsSync }: DiskSpaceOptions): DiskSpace {
  let seen: Space | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  let low = false
  /** Bytes that were taken in since the last look. */
  let taken = 0

  function look(): Space | undefined {
    if (now() - seenAt < LOOK_MS && !(seen && seen.free - taken < seen.mark + NEAR)) return seen
    seenAt = now()
    taken = 0
    try {
      const { bsize, blocks, bavail } = statfs(dir)
      seen = {
        free: bavail * bsize,
        mark: Math.max(
          LEAST,
          lowWater === 'auto' ? Math.min(MAX_AUTO, Math.floor(blocks * bsize * SHARE_AUTO)) : lowWater,
        ),
      }
      low = seen.free < seen.mark * (low ? ENOUGH : 1)
    } catch {
      // Code that uses the directory will report the reason.
      seen = undefined
    }
    return seen
  }

  return {
    look,
    isLow() {
      look()
      return low
    },
    takeIn(bytes = 0) {
      const space = look()
      if (low || (space && space.free - bytes < space.mark)) {
        throw new AppError('unavailable', `${lowSentence(space!)}; try again`, { headers: { 'Retry-After': '30' } })
      }
      taken += bytes
    },
  }
}

/** The `DiskSpace` of a database on another machine. */
export const noDisk: DiskSpace = { look: () => undefined, isLow: () => false, takeIn() {} }

/** The message for operators when space is low, with the remedy. */
export function lowRemedy(space: Space): string {
  return `${lowSentence(space)}; free some space, or lower disk.lowWater`
}

/** The message for callers when space is low. */
function lowSentence({ free, mark }: Space): string {
  return `the disk is nearly full (${sizeOf(free, Math.floor)} free, at least ${sizeOf(mark, Math.floor)} needed): nothing new is accepted`
}
