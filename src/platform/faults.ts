import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/**
 * What can be wrong with a running program, and whether it can still take requests: one that is not `ready` answers `/readyz`
 * with 503, the others are named there.
 */
export const FAULTS = {
  /** A worker thread does not start, or a loop does not turn. */
  worker: { ready: false },
  /** Less space is free than the low-water mark. */
  disk: { ready: false },
  /** The wall clock was set. */
  clock: { ready: false },
  /** The database does not answer. */
  database: { ready: false },
  /** Pages of the database are damaged. */
  corrupt: { ready: false },
  /** Sending is held until somebody releases it. */
  held: { ready: true },
  /** A gateway of an app does not answer, or does not take our credential. */
  gateway: { ready: true },
} as const

export type FaultKind = keyof typeof FAULTS
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[]

/** Something that is wrong now, found by whoever looked. */
export interface Finding {
  kind: FaultKind
  /** Of several of a kind, which: the name of a loop, an app and its gateway. Empty when there can be one only. */
  about: string
  /** What is wrong and what to do, as people read it. */
  sentence: string
}

/** Something that is wrong, and since when (ms). */
export interface Fault extends Finding {
  since: number
}

/** What is wrong with this process. `/readyz`, metrics, `status` and the log all read it. */
export interface Faults {
  list(): Fault[]
  /**
   * Takes what was found in one round for the truth: what is new is logged once as an error, what is gone once as over. A
   * kind that could not be looked at this time (`unseen`) stays as it was.
   */
  settle(found: readonly Finding[], unseen?: ReadonlySet<FaultKind>): void
}

export function createFaults(clock: Clock, log: Log): Faults {
  let known = new Map<string, Fault>()
  const keyOf = ({ kind, about }: Finding) => `${kind} ${about}`

  return {
    list: () => [...known.values()],

    settle(found, unseen = new Set()) {
      const next = new Map<string, Fault>()
      for (const [key, fault] of known) if (unseen.has(fault.kind)) next.set(key, fault)
      for (const finding of found) {
        const key = keyOf(finding)
        const before = known.get(key)
        next.set(key, { ...finding, since: before?.since ?? clock.now() })
        if (!before) log.error(fieldsOf(finding), finding.sentence)
      }
      for (const [key, fault] of known) {
        if (!next.has(key)) log.info(fieldsOf(fault), `over: ${fault.sentence}`)
      }
      known = next
    },
  }
}

const fieldsOf = ({ kind, about }: Finding) => ({ fault: kind, ...(about !== '' && { about }) })
