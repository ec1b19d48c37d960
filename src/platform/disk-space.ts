import { type StatsFs, statfsSync } from 'node:fs'
import { AppError } from './errors.ts'

/** Bytes of a file system, and below which of them nothing new is taken in. */
export interface Space {
  free: number
  mark: number
}

/** How much space is left for the database. */
export interface DiskSpace {
  /** As it is now, at most a second old; undefined when it cannot be told, or nothing of ours is on this disk. */
  look(): Space | undefined
  /** Below the mark; again above it only when a tenth more than the mark is free, so that it does not go to and fro. */
  isLow(): boolean
  /** Throws `unavailable` while space is low. For whatever makes new work. */
  takeIn(): void
}

export interface DiskSpaceOptions {
  dir: string
  /** Bytes; `auto` is the smaller of 512 MiB and 5 % of the file system. */
  lowWater: number | 'auto'
  /** Milliseconds that never jump. */
  now(): number
  statfs?: (dir: string) => Pick<StatsFs, 'bsize' | 'blocks' | 'bavail'>
}

const LOOK_MS = 1000
const MOST_AUTO = 512 * 1024 * 1024
const SHARE_AUTO = 0.05
const ENOUGH = 1.1
/** With less than this a database cannot record anything, whatever the mark is. */
const LEAST = 1024 * 1024

export function createDiskSpace({ dir, lowWater, now, statfs = statfsSync }: DiskSpaceOptions): DiskSpace {
  let seen: Space | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  let low = false

  function look(): Space | undefined {
    if (now() - seenAt < LOOK_MS) return seen
    seenAt = now()
    try {
      const { bsize, blocks, bavail } = statfs(dir)
      seen = {
        free: bavail * bsize,
        mark: Math.max(
          LEAST,
          lowWater === 'auto' ? Math.min(MOST_AUTO, Math.floor(blocks * bsize * SHARE_AUTO)) : lowWater,
        ),
      }
      low = seen.free < seen.mark * (low ? ENOUGH : 1)
    } catch {
      // Whoever uses the directory will meet the reason.
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
    takeIn() {
      look()
      if (low)
        throw new AppError('unavailable', `${lowSentence(seen!)}; try again`, { headers: { 'Retry-After': '30' } })
    },
  }
}

/** For a database that is on another machine. */
export const noDisk: DiskSpace = { look: () => undefined, isLow: () => false, takeIn() {} }

/** What an operator is told and can do when space is low. */
export function lowRemedy(space: Space): string {
  return `${lowSentence(space)}; make room, or lower disk.lowWater`
}

/** What is the matter when space is low. */
function lowSentence({ free, mark }: Space): string {
  return `the disk is nearly full (${mebibytes(free)} free, at least ${mebibytes(mark)} must be): nothing new is accepted`
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MiB`
}
