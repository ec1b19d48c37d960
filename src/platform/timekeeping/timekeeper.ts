import type { Clock } from '../time/clock.ts'
import { openClockCell } from './cell.ts'
import { type Belief, beginBelief, type Clocks, judge, standMs } from './judgement.ts'
import { bootId, readMemory, writeMemory } from './memory-file.ts'

/** Interval of storing what time it is. */
const SAVE_MS = 60_000
/** A command stores it when what stands there is older than this: most of them run beside a server, which does it. */
const STALE_MS = 3_600_000
/** An answer of the database that took longer says nothing of the time. */
const SLOW_MS = 5_000

/** Keeps the believed time of a process, in its main thread. */
export interface Timekeeper {
  /** Looks at the clocks and, if it is given, at the one of the database; `ask` returns its time (ms). */
  look(ask?: () => Promise<number>): Promise<void>
  /** How long the clock has to stand to be believed (ms); undefined when it is believed, or the database contradicts it. */
  standsFor(): number | undefined
  /** Stores what time it is for the next process. Returns why it could not. */
  save(): string | undefined
}

export interface TimekeeperParts {
  /** The clocks of the machine. */
  raw: Clock
  cell: SharedArrayBuffer
  /** Where the time is kept for the next process (memory-file.ts). */
  file: string
  /** The database is on this machine, or there is none that has a clock. */
  isNear: boolean
  /** How often the time is stored: by a server once a minute, by a command when nobody else seems to do it. */
  keeps: 'minutely' | 'seldom' | 'never'
}

/** Begins with what an earlier process left behind, and fills the cell. */
export function createTimekeeper({ raw, cell, file, isNear, keeps }: TimekeeperParts): Timekeeper {
  const shared = openClockCell(cell)
  const boot = bootId()
  const clocks = (): Clocks => ({ wall: raw.now(), at: raw.sinceBoot(), awake: raw.monotonic(), boot })
  const memory = readMemory(file)
  const start = clocks()
  let belief: Belief = beginBelief(memory, start)
  let lookedAt = start.at
  let savedAt = memory?.boot === boot ? memory.at : Number.NEGATIVE_INFINITY
  shared.write(belief)
  take(start)

  function take(now: Clocks, database?: number): void {
    const before = belief
    const said = database === undefined ? undefined : { reading: database, isNear }
    belief = judge(belief, { reading: now.wall - now.at, at: now.at, database: said }, now.at - lookedAt)
    lookedAt = now.at
    const isOther =
      before.base !== belief.base || before.kind !== belief.kind || before.isConfirmed !== belief.isConfirmed
    if (isOther) shared.write(belief)
    const isNews = before.doubt?.since !== belief.doubt?.since || before.kind !== belief.kind
    if (isNews || now.at - savedAt >= (keeps === 'seldom' ? STALE_MS : SAVE_MS)) save()
  }

  function save(): string | undefined {
    if (keeps === 'never') return undefined
    const { at, awake } = clocks()
    savedAt = at
    const { base, kind, doubt, databaseOff } = belief
    return writeMemory(file, { base, kind, doubt, databaseOff, boot, at, awake })
  }

  return {
    async look(ask) {
      if (ask === undefined) return take(clocks())
      const begun = raw.sinceBoot()
      const theirs = await ask()
      const now = clocks()
      take(now, now.at - begun > SLOW_MS ? undefined : theirs - (begun + now.at) / 2)
    },

    standsFor: () => {
      const { doubt, isConfirmed } = belief
      if (doubt === undefined || isConfirmed) return undefined
      return standMs(belief, doubt.off)
    },

    save,
  }
}
