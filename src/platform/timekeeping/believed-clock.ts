import type { Clock } from '../time/clock.ts'
import { openClockCell, type Shared } from './cell.ts'
import { isBelieved, STEP_MS } from './judgement.ts'

/** In doubt the slower clock is read again after this time (ms): reading it costs as much as a small query. */
const REFRESH_MS = 100

/**
 * A clock of a thread. `now` is the wall clock while that is believed; otherwise the time goes on from where it was last believed. Each
 * reading is judged by itself, so that nobody gets a wrong time before somebody else has noticed.
 */
export function believedClock(raw: Clock, cell: SharedArrayBuffer): Clock {
  const shared = openClockCell(cell)
  let version = -1
  let belief: Shared = { base: 0, kind: 'known', isConfirmed: false }
  /** How far the clock that counts sleep is ahead of the one that does not, and when that was read. */
  let slept = raw.sinceBoot() - raw.monotonic()
  let refreshedAt = Number.NEGATIVE_INFINITY

  /** The wall clock and the believed time. */
  function read(): { wall: number; believed: number } {
    if (shared.version() !== version) {
      version = shared.version()
      belief = shared.read()
    }
    const wall = raw.now()
    const awake = raw.monotonic()
    if (Math.abs(wall - awake - slept - belief.base) <= STEP_MS) return { wall, believed: wall }
    if (awake - refreshedAt >= REFRESH_MS) {
      slept = raw.sinceBoot() - awake
      refreshedAt = awake
    }
    const at = awake + slept
    if (isBelieved(belief, wall - at)) return { wall, believed: wall }
    return { wall, believed: Math.round(belief.base + at) }
  }

  return {
    ...raw,
    now: () => read().believed,
    doubt() {
      const { wall, believed } = read()
      if (wall === believed) return undefined
      return { off: wall - believed, isConfirmed: belief.isConfirmed, isStart: belief.kind === 'least' }
    },
  }
}
