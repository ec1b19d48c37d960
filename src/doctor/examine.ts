import { atATime } from '../platform/concurrency/at-a-time.ts'
import { messageOf } from '../platform/errors.ts'

import {
  type Check,
  error,
  type Finding,
  type Group,
  type Subject,
  type WithDatabase,
  type WithProgram,
  warning,
} from './checks/types.ts'

/** The time (ms) after which a silent check counts as hanging. */
const DEADLINE_MS = 20_000
/** The time (ms) for all checks together; those that have not begun by then are named. */
const ALL_MS = 120_000
/** Checks that run at a time: they wait for disk, database and network. */
const AT_A_TIME = 4

/** A finding with the check that made it. */
export interface CheckFinding extends Finding {
  check: string
  group: Group
}

/** The findings of an examination. */
export interface Examination {
  /** Findings in the order of the checks. */
  findings: CheckFinding[]
  /** Checks that were left out, and why. */
  leftOut: { check: string; why: string }[]
}

export interface ExamineOptions {
  /** Leaves out the checks that connect to other machines. */
  offline?: boolean
  /** Set by tests. */
  deadlineMs?: number
  allMs?: number
}

/**
 * Runs the checks on a subject, a few at a time. Never throws: a check that fails or hangs becomes a finding. Ends within
 * two minutes, as long as no check holds the event loop.
 */
export async function examine(
  subject: Subject,
  checks: readonly Check[],
  { offline = false, deadlineMs = DEADLINE_MS, allMs = ALL_MS }: ExamineOptions = {},
): Promise<Examination> {
  const over = AbortSignal.timeout(allMs)
  const leftOut: Examination['leftOut'] = []
  const due = checks.filter((check) => {
    const why = whyLeftOut(check, subject, offline)
    if (why !== undefined) leftOut.push({ check: check.name, why })
    return why === undefined
  })
  const found = await atATime(due, AT_A_TIME, async (check) => {
    if (over.aborted) {
      leftOut.push({ check: check.name, why: `the checks before it took ${allMs / 1000} s` })
      return []
    }
    const findings = await runOne(check, subject, over, check.deadlineMs ?? deadlineMs)
    return findings.map((finding): CheckFinding => ({ check: check.name, group: check.group, ...finding }))
  })
  return { findings: found.flat(), leftOut }
}

/** The reason why a check cannot say anything about this subject; undefined when it can. */
export function whyLeftOut({ needs, live }: Check, { storage }: Subject, offline: boolean): string | undefined {
  if (live && offline) return 'it connects to other machines (--offline)'
  if (needs === 'settings') return undefined
  if (storage.state === 'absent') return 'there is no database yet'
  if (storage.state === 'unusable') return 'the database cannot be used'
  if (needs === 'database') return undefined
  if (!storage.program) return 'the schema of the database is not that of this version'
  if (needs === 'secrets' && storage.key !== 'right' && storage.key !== 'unbound') return 'the master key is not there'
  return undefined
}

async function runOne(check: Check, subject: Subject, over: AbortSignal, deadlineMs: number): Promise<Finding[]> {
  const ends = new AbortController()
  const late = Promise.withResolvers<Finding[]>()
  const timer = setTimeout(() => {
    ends.abort()
    late.resolve([
      warning(
        `the check hangs: no result within ${deadlineMs / 1000} s`,
        'see the load of this machine and of its disk, database and network, then run appsvc doctor again',
      ),
    ])
  }, deadlineMs)
  try {
    // `whyLeftOut` has made sure that the subject has what the check needs.
    const running = check.run(subject as WithProgram & WithDatabase, AbortSignal.any([ends.signal, over]))
    return await Promise.race([running, late.promise])
  } catch (failure) {
    return [
      error(
        `the check failed: ${messageOf(failure)}`,
        'APPSVC_LOG_LEVEL=debug appsvc doctor shows the statements before it',
      ),
    ]
  } finally {
    clearTimeout(timer)
    ends.abort()
  }
}
