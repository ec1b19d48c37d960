import type { Log } from '../log/log.ts'
import type { Clock } from '../time/clock.ts'

/**
 * The kinds of faults of a running server. While there is one that is not `ready`, `/readyz` answers 503; the others
 * are only listed there.
 */
export const FAULTS = {
  /** A worker thread does not start, or one of its loops is stuck. */
  worker: { ready: false },
  /** Free disk space is below the low-water mark. */
  disk: { ready: false },
  /** The wall clock has jumped. */
  clock: { ready: false },
  /** The database does not answer. */
  database: { ready: false },
  /** Pages of the database are damaged. */
  corrupt: { ready: false },
  /** Sending is held until an operator releases it. */
  held: { ready: true },
  /** A gateway of an app does not answer, or rejects our credential. */
  gateway: { ready: true },
  /** The backups that the settings want are not made. */
  backup: { ready: true },
} as const

export type FaultKind = keyof typeof FAULTS
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[]

/** A fault found by one check. */
export interface Finding {
  kind: FaultKind
  /** Tells faults of a kind apart, for example by app and gateway. Empty when there can be only one. */
  about: string
  /** What is wrong and what to do, as a sentence for people. */
  sentence: string
}

/** A current fault; `since` is when it was first found (ms). */
export interface Fault extends Finding {
  since: number
}

/** The current faults of this process, as shown by `/readyz`, metrics and `status`. */
export interface Faults {
  list(): Fault[]
  /**
   * Replaces the current faults with those found in one round of checks. Logs each new fault once as an error and each
   * that is gone once as over. Faults of kinds that could not be checked (`unseen`) stay.
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
