import type { App } from '../app.ts'
import { isDatabaseFault } from '../platform/db/unavailable.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { createSparing } from '../platform/sparing.ts'
import type { ClockWatch } from './clock-watch.ts'

/** What a long-lived loop gets from its thread. */
export interface JobContext {
  app: App
  /** Unique to this start of this thread: who claims pages. */
  owner: string
  /** Aborts when the program stops. The job finishes what is under way and returns. */
  signal: AbortSignal
  wake: Wake
  /** Of the program, not of the thread: one that is started again must not trust a clock that was set wrong meanwhile. */
  clockWatch: ClockWatch
  /** Says that the loop turns; a loop that stays silent for most of a minute is reported by `/readyz`. */
  tick(): void
}

/**
 * A loop met an error and will try again. A database that cannot be used is one fault of the whole process, which whoever watches
 * it tells (watch.ts): here it is a warning once a minute. Anything else is for the operator here.
 */
export function complain(log: Log, error: unknown, fields: object, what: string): void {
  if (!isDatabaseFault(error) && !isShortage(error)) return log.error({ ...fields, err: error }, what)
  const message = messageOf(error)
  if (isNew(`${what} ${message}`, performance.now())) log.warn({ ...fields, error: message }, what)
}

/** Loops try twice a second, each in its thread. */
const isNew = createSparing()

/** The system is short of files, memory or space, which is a fault of the whole process, too. */
function isShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(EMFILE|ENFILE|ENOMEM|ENOSPC|EDQUOT)$/.test(String(error.code))
}

export type Job = (context: JobContext) => Promise<void>

/** A bell: rung by whoever makes work, waited for by whoever does it. A ring while nobody waits is not lost. */
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
