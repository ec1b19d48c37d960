import { isDatabaseFault } from '../../platform/db/unavailable.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log/log.ts'
import { createSparing } from '../../platform/log/sparing.ts'
import type { Program } from '../../program.ts'
import type { SendOrder } from '../sending-threads.ts'

/** The parts that a loop gets from its thread. */
export interface JobContext {
  program: Program
  /** The owner of claimed pages; unique to this start of this thread. */
  owner: string
  /** Aborted when the program stops. The job then finishes its current work and returns. */
  signal: AbortSignal
  wake: Wake
  /** Tells whether this thread sends now; absent when it always does. */
  shift?: Shift
  /** Reports that pages are being sent. */
  busy?(): void
  /** Reports that no more pages are begun, and the lanes that are not finished. */
  lettingGo?(lanes: readonly number[]): void
  /** Reports that the loop is running. `/readyz` reports a loop that has not called this for 45 seconds. */
  tick(): void
}

/**
 * Logs an error of a loop that will try again. An unusable database or a shortage is a fault of the whole process,
 * which watch.ts reports: here it is a warning, at most once a minute. Anything else is logged as an error.
 */
export function complain(log: Log, error: unknown, fields: object, what: string): void {
  if (!isDatabaseFault(error) && !isShortage(error)) return log.error({ ...fields, err: error }, what)
  const message = messageOf(error)
  if (isNew(`${what} ${message}`, performance.now())) log.warn({ ...fields, error: message }, what)
}

/** Each loop tries twice a second, so the same message is logged at most once a minute. */
const isNew = createSparing()

/** Tells whether the system is short of files, memory or disk space. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(EMFILE|ENFILE|ENOMEM|ENOSPC|EDQUOT)$/.test(String(error.code))
}

export type Job = (context: JobContext) => Promise<void>

/** The present order of a thread that may send. */
export interface Shift {
  /** Aborted when the thread shall send no more; undefined while it does not send. */
  readonly signal: AbortSignal | undefined
  /** Lanes that another thread still finishes. */
  readonly except: ReadonlySet<number>
  set(order: SendOrder): void
  /** Resolves when `set` was called, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** A signal that there is new work. A ring while nothing is waiting is remembered. */
export interface Wake {
  ring(): void
  /** Resolves at the next ring, after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createWake(): Wake {
  let rung = false
  let answer: (() => void) | undefined
  return {
    ring() {
      rung = true
      answer?.()
    },
    wait(ms, signal) {
      return new Promise((resolve) => {
        const done = () => {
          rung = false
          answer = undefined
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, Math.max(0, Math.min(ms, 2 ** 31 - 1)))
        if (rung || signal.aborted) return done()
        answer = done
        signal.addEventListener('abort', done, { once: true })
      })
    },
  }
}
