import { availableParallelism } from 'node:os'
import { MINUTE_MS } from '../domain/load/repository.ts'
import type { LoadCounts, LoadSizes, RequestTotals } from '../domain/load/types.ts'
import { messageOf } from '../platform/errors.ts'
import { isTimeUncertain } from '../platform/time/clock.ts'
import type { Program } from '../program.ts'

export interface LoadReports {
  close(): Promise<void>
}

export interface LoadOptions {
  /** Requests that this process has answered since its start; absent in a process that answers none. */
  requests?: (() => Promise<RequestTotals>) | undefined
  /** Processor time of this process since its start (ms). */
  cpuMs?: () => number
}

const NONE: RequestTotals = { serverCalls: 0, deviceCalls: 0, errors: 0 }

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Reports the load of this process to the database at the end of every minute of the clock (domain/load). A report that cannot
 * be stored is part of the next one.
 */
export function startLoadReports(program: Program, options: LoadOptions = {}): LoadReports {
  const { clock, log } = program.kernel
  const stop = new AbortController()
  const { signal } = stop
  const reporter = createLoadReporter(program, options)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const now = clock.now()
      await clock.sleep(MINUTE_MS - (now % MINUTE_MS), signal)
      if (signal.aborted) return
      try {
        await reporter.report()
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'the load cannot be stored; it is part of the next report')
      }
    }
  }

  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}

/** Makes reports of what has happened since the last one that was stored. */
export function createLoadReporter(program: Program, { requests, cpuMs = usedMs }: LoadOptions = {}) {
  const { clock, db, disk, outcomes } = program.kernel
  const processor = () => ({
    cpuMs: Math.round(cpuMs()),
    cpuRoomMs: Math.round(clock.monotonic() * availableParallelism()),
  })
  const totals = async (): Promise<LoadCounts> => ({
    ...(await (requests?.() ?? NONE)),
    accepted: outcomes.get('accepted') ?? 0,
    failed: outcomes.get('failed') ?? 0,
    ...processor(),
  })
  let before: LoadCounts = { ...NONE, accepted: 0, failed: 0, ...processor() }

  async function sizes(): Promise<LoadSizes> {
    const now = clock.now()
    const dueAt = await program.vitals.oldestDueAt(now)
    return {
      queueMs: dueAt === undefined ? 0 : Math.max(0, now - dueAt),
      memoryBytes: process.memoryUsage.rss(),
      databaseBytes: await program.vitals.databaseBytes(),
      diskFreeBytes: disk.look()?.free ?? null,
    }
  }

  return {
    /** Stores a report. Does nothing while the clock is in doubt, or the database is damaged. */
    async report(): Promise<void> {
      if (isTimeUncertain(clock) || db.soundness.damaged) return
      const now = await totals()
      const counts = Object.fromEntries(
        (Object.keys(now) as (keyof LoadCounts)[]).map((name) => [name, Math.max(0, now[name] - before[name])]),
      ) as unknown as LoadCounts
      const report = { ...counts, ...(await sizes()) }
      await program.inTransaction((tx) => tx.load.report(report))
      before = now
    },
  }
}
