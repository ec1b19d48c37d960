import type { StepParts, Stepped } from '../../domain/audience/walk/step.ts'
import { countInto, countingSettled } from '../../domain/notifications/deliver/delivery-parts.ts'
import { chunks } from '../../platform/concurrency/chunks.ts'
import { isDatabaseFault } from '../../platform/db/unavailable.ts'
import { isAppError, messageOf } from '../../platform/errors.ts'
import { type Failpoint, failpoint } from '../../platform/process/failpoints.ts'
import { isTimeUncertain } from '../../platform/time/clock.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { Areas } from '../../program.ts'
import { complain, isShortage, type JobContext } from './job.ts'

/** Work that goes through an audience step by step: runs of notifications, in-app messages. */
export interface Stepping {
  /** The field of the log with the id, and the name for people. */
  field: string
  name: string
  /** Ids of due work (`now` in ms), at most `limit`. While `held`, without scheduled work that has not begun. */
  due(now: number, limit: number, held: boolean): Promise<number[]>
  /** The time (ms) at which the next one is due. */
  nextAt(): Promise<number | undefined>
  step(parts: StepParts<Areas>, id: number): Promise<Stepped>
  /** Ends work that cannot be processed, with a reason for people. */
  giveUp(parts: StepParts<Areas>, id: number, reason: string): Promise<void>
  /** Reached when a step is committed. */
  stored: Failpoint
}

/** The number that is processed side by side. They take steps in turn, so that a large one does not hold up a small one. */
const SIDE_BY_SIDE = 32
/** The number of steps that are taken at the same time. On PostgreSQL each needs a connection of the thread. */
const AT_ONCE = { sqlite: 16, postgres: 2 }
/** Interval of looking without being woken: another node or the command line may have stored work without a signal. */
const LOOK_MS = 500
/**
 * The pause after a failed step, which doubles up to a minute: it keeps no other send waiting and does not fill the log. After
 * this many failures, a quarter of an hour, the send is ended: it would fail for ever.
 */
const FAILED_MS = 500
const FAILED_MOST_MS = 60_000
const MAX_FAILURES = 20
/** Pause when other processes are taking all the due steps. */
const LOST_MS = 100

/**
 * Processes due work, step by step, until the signal aborts. Scheduled work does not begin while the clock is in doubt, unless
 * the database knows the time.
 */
export async function takeSteps(context: JobContext, stepping: Stepping): Promise<void> {
  const { program, signal, wake, tick } = context
  const { clock, log, outcomes, disk, db } = program.kernel
  const { field, name, stored } = stepping
  const parts = { read: program, inTransaction: countingSettled(program.inTransaction, countInto(outcomes)) }
  /** Sends whose last steps failed. */
  const resting = new Map<number, { failures: number; until: number }>()

  /** Lets a send whose step failed rest, or ends it. */
  async function afterFailure(id: number, error: unknown): Promise<void> {
    if (isPassing(error)) {
      complain(log, error, { [field]: id }, `a step of a due ${name} failed; trying again`)
      await clock.sleep(LOOK_MS, signal)
      return
    }
    const failures = (resting.get(id)?.failures ?? 0) + 1
    if (isFinal(error) || failures >= MAX_FAILURES) {
      await stepping.giveUp(parts, id, `it could not be sent: ${messageOf(error)}`)
      resting.delete(id)
      log.error({ [field]: id, err: error }, `a due ${name} was ended, because it cannot be processed`)
      return
    }
    const pause = Math.min(FAILED_MS * 2 ** (failures - 1), FAILED_MOST_MS)
    resting.set(id, { failures, until: clock.monotonic() + pause })
    // The others of its failures are the same.
    if (failures === 1) complain(log, error, { [field]: id }, `a step of a due ${name} failed; trying again`)
  }

  /** Takes a step, unless another process is taking it; returns whether it did. */
  async function takeStep(id: number): Promise<boolean> {
    if (signal.aborted) return false
    tick()
    try {
      const did = await stepping.step(parts, id)
      resting.delete(id)
      if (did === 'lost') return false
      failpoint(stored)
      // The step may have created pages.
      program.kernel.wake()
      return true
    } catch (error) {
      await afterFailure(id, error)
      return false
    }
  }

  /** Takes one step of each. False when nothing is due. */
  async function stepDue(): Promise<boolean> {
    const all = await stepping.due(clock.now(), SIDE_BY_SIDE + resting.size, isTimeUncertain(clock))
    const ids = all.filter((id) => (resting.get(id)?.until ?? 0) <= clock.monotonic()).slice(0, SIDE_BY_SIDE)
    let isAny = false
    // Steps that are taken together share a commit on SQLite, which costs as much as a small step.
    for (const some of chunks(ids, AT_ONCE[db.kind])) {
      const stepped = await Promise.all(some.map(takeStep))
      isAny ||= stepped.includes(true)
    }
    if (ids.length > 0 && !isAny) await clock.sleep(LOST_MS, signal)
    return ids.length > 0
  }

  /** Tells whether steps must wait: while the database is held or damaged, or disk space is low. */
  async function isStopped(): Promise<boolean> {
    return db.soundness.damaged || disk.isLow() || (await program.instance.hold()) !== undefined
  }

  while (!signal.aborted) {
    tick()
    try {
      if (await isStopped()) {
        await wake.wait(LOOK_MS, signal)
        continue
      }
      const lookedAt = clock.now()
      if (await stepDue()) continue
      const next = await stepping.nextAt()
      // What was due already may not be stepped yet: it rests after a failure, or the clock is in doubt. Looking at once finds the same.
      const isAhead = next !== undefined && next > lookedAt
      await wake.wait(isAhead ? Math.min(LOOK_MS, Math.max(1, next - clock.now())) : LOOK_MS, signal)
    } catch (error) {
      complain(log, error, {}, `due ${name}s cannot be read; trying again`)
      await clock.sleep(LOOK_MS, signal)
    }
  }
}

/** Tells whether an error says nothing about the send: the database or the machine cannot be used now. */
function isPassing(error: unknown): boolean {
  return isDatabaseFault(error) || isShortage(error) || (isAppError(error) && error.code === 'unavailable')
}

/** Tells whether trying again cannot help: what is stored cannot be read, or names a segment that is gone. */
function isFinal(error: unknown): boolean {
  return error instanceof Unreadable || (isAppError(error) && error.code === 'not_found')
}
