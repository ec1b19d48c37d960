/** A clock that is off by more than this was set, not just adjusted. */
export const STEP_MS = 60_000
/** A machine that was off for longer than this, as far as its clock says, has to show for a while that it means it. */
export const FAR_MS = 4 * 86_400_000
/** The time (ms) for which a step has to stand before it is believed; the second is for steps of more than a day. */
const STAND_MS = 15 * 60_000
const LONG_STAND_MS = 3_600_000
const DAY_MS = 86_400_000
/** A clock that is adjusted may run faster or slower by this share, which is more than any time service does. */
const ADJUSTING = 0.1
/** No right clock shows a time before this program was written. */
const WRITTEN_AT = Date.UTC(2026, 0, 1)

/**
 * The believed time. All times here count from the start of the machine, by the clock that never jumps: a wall clock is its
 * `reading`, the wall time when that clock stood at 0 (ms). A wall clock that goes right has the same reading for ever.
 */
export interface Belief {
  /** The reading that is believed. */
  base: number
  /**
   * - `known`: the clock showed it, and there was no reason to doubt.
   * - `least`: the clock showed what cannot be when the process began. This is the latest time that was written before: it is at least so late.
   */
  kind: 'known' | 'least'
  /** The time (ms) by which the clock is off the belief, and since when (on the clock that never jumps); undefined when it is believed. */
  doubt: { off: number; since: number } | undefined
  /** The database says that the belief is right and the clock is wrong. */
  isConfirmed: boolean
  /** The time (ms) by which the database was off the belief when it was last heard; undefined when it has not been heard. */
  databaseOff: number | undefined
  /** The readings that are possible, while the clock is believed as it was found and no database has been heard. */
  found: { least: number; most: number } | undefined
}

/** Facts that a process leaves behind for the next one. */
export interface Memory extends Pick<Belief, 'base' | 'kind' | 'doubt' | 'databaseOff'> {
  /** The id that the system gave to this run of the machine; null where it has none. */
  boot: string | null
  /** The time when this was written: by the clock that never jumps, sleep included and not included. */
  at: number
  awake: number
}

/** The clocks at one moment (ms). */
export interface Clocks {
  wall: number
  /** The time (ms) since the start of the machine, sleep included. */
  at: number
  /** The same without sleep. */
  awake: number
  boot: string | null
}

/** Tells whether the machine has run on. A container started anew may count from its own start: then less of the time is sleep. */
function isSameRun(memory: Memory, { boot, at, awake }: Clocks): boolean {
  return boot !== null && memory.boot === boot && at >= memory.at && at - awake >= memory.at - memory.awake - 1000
}

/** The belief of a process that begins. */
export function beginBelief(memory: Memory | undefined, clocks: Clocks): Belief {
  const fresh = { doubt: undefined, isConfirmed: false, databaseOff: undefined }
  if (memory && isSameRun(memory, clocks)) {
    const { base, kind, doubt, databaseOff } = memory
    return { base, kind, doubt, databaseOff, isConfirmed: false, found: undefined }
  }
  const { wall, at } = clocks
  const latest = memory && memory.base + memory.at
  const least = Math.max(latest ?? WRITTEN_AT, WRITTEN_AT)
  const found = { least: least - at - STEP_MS, most: latest === undefined ? Infinity : least - at + FAR_MS }
  return isWithin(found, wall - at)
    ? { ...fresh, base: wall - at, kind: 'known', found }
    : { ...fresh, base: least - at, kind: 'least', found: undefined }
}

/** Tells whether a clock with this reading is believed. */
export function isBelieved({ base, kind }: Pick<Belief, 'base' | 'kind'>, reading: number): boolean {
  const off = reading - base
  if (Math.abs(off) <= STEP_MS) return true
  return kind === 'least' && off > 0 && off <= FAR_MS
}

/** The readings at one moment: of the wall clock, and of the database if it was asked. */
export interface Seen {
  reading: number
  at: number
  database?: { reading: number; isNear: boolean } | undefined
}

/** The time (ms) for which a clock that is `off` has to stand before it is believed. */
export function standMs({ kind }: Pick<Belief, 'kind'>, off: number): number {
  return kind === 'known' && Math.abs(off) > DAY_MS ? LONG_STAND_MS : STAND_MS
}

/**
 * The belief after another look, `elapsed` ms after the one before. A database on the same machine (`isNear`) has the same clock,
 * so that its consent proves nothing; neither does that of one which jumped at the same time. Its contradiction always counts.
 */
export function judge(belief: Belief, seen: Seen, elapsed: number): Belief {
  const { reading, at, database } = seen
  const said = database?.reading
  if (isBelieved(belief, reading)) {
    const { found } = belief
    const isOther = found !== undefined && said !== undefined && !isNear(said, reading) && isWithin(found, said)
    if (isOther) return { ...knownAs(said, { reading, at }), isConfirmed: true, databaseOff: 0 }
    const step = belief.kind === 'least' ? Infinity : Math.max(0, elapsed) * ADJUSTING
    const base = belief.base + Math.max(-step, Math.min(step, reading - belief.base))
    return {
      base,
      kind: 'known',
      doubt: undefined,
      isConfirmed: false,
      databaseOff: said === undefined ? belief.databaseOff : said - base,
      found: said === undefined ? found : undefined,
    }
  }
  const off = reading - belief.base
  const since = belief.doubt && isNear(belief.doubt.off, off) ? belief.doubt.since : at
  const doubted: Belief = { ...belief, doubt: { off, since }, found: undefined }
  if (database) {
    const { reading: says } = database
    if (isNear(says, reading)) {
      const jumpedToo = belief.databaseOff !== undefined && !isNear(says - belief.base, belief.databaseOff)
      const isWitness = belief.databaseOff === undefined ? !database.isNear : !jumpedToo
      if (isWitness) return knownAs(reading, { reading, at }, says)
      doubted.isConfirmed = false
    } else if (isNear(says, belief.base)) {
      return { ...doubted, isConfirmed: true, databaseOff: says - belief.base }
    } else if (belief.kind === 'least' && isBelieved(belief, says)) {
      return { ...knownAs(says, { reading, at }), isConfirmed: true, databaseOff: 0 }
    }
  }
  if (!doubted.isConfirmed && at - since >= standMs(belief, off)) return knownAs(reading, { reading, at }, said)
  return doubted
}

const isWithin = ({ least, most }: { least: number; most: number }, reading: number) =>
  reading >= least && reading <= most

const isNear = (a: number, b: number) => Math.abs(a - b) <= STEP_MS

/** The belief that `base` is right, and the doubt about the clock that follows from it. */
function knownAs(base: number, { reading, at }: Pick<Seen, 'reading' | 'at'>, said?: number): Belief {
  const off = reading - base
  return {
    base,
    kind: 'known',
    doubt: Math.abs(off) <= STEP_MS ? undefined : { off, since: at },
    isConfirmed: false,
    databaseOff: said === undefined ? undefined : said - base,
    found: undefined,
  }
}
