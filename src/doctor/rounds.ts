import type { Program } from '../program.ts'
import type { Check, Finding, Subject } from './checks/types.ts'
import { CHECKS } from './checks.ts'
import { type CheckFinding, type Examination, examine, whyLeftOut } from './examine.ts'
import { subjectOf } from './subject.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/** The state of the newest examination of the process that serves. */
export interface Round extends Examination, Verdict {
  /** The time (ms) at which it began. */
  at: number
  /** Checks that have not answered yet; with these the counts may grow. */
  underWay: string[]
}

interface Running {
  at: number
  subject: Subject
  /** The findings of the checks that have answered, by check. */
  soFar: Map<string, Finding[]>
  ended: Promise<Examination>
  examination?: Examination
  /** The time on the monotonic clock until which it is kept, once it has ended. */
  until?: number
}

/** The time (ms) for which an answer waits for the checks: those that connect to nobody need less. */
const WAIT_MS = 2500
/** The time (ms) for which an examination is kept: people look again when they have put something right. */
const KEPT_MS = 3000

/**
 * Examines this process with every check, as `appsvc doctor` does beside it, so that both find the same. Callers at the same time share an
 * examination. One that takes long is answered with what it has found so far; the next call has the rest. `checks` is set by tests.
 */
export function createRounds(
  program: Program,
  { checks = CHECKS, waitMs = WAIT_MS }: { checks?: readonly Check[]; waitMs?: number } = {},
): () => Promise<Round> {
  const { clock } = program.kernel
  let newest: Promise<Running> | undefined
  const begin = async (): Promise<Running> => {
    const at = clock.now()
    const subject = await subjectOf(program)
    const soFar: Running['soFar'] = new Map()
    const running: Running = { at, subject, soFar, ended: examine(subject, watched(checks, soFar)) }
    void running.ended.then((examination) => {
      running.examination = examination
      running.until = clock.monotonic() + KEPT_MS
    })
    return running
  }
  const renew = (): Promise<Running> => {
    const begun = begin()
    newest = begun
    begun.catch(() => newest === begun && (newest = undefined))
    return begun
  }
  return async () => {
    let running = await (newest ?? renew())
    if (running.until !== undefined && running.until <= clock.monotonic()) running = await renew()
    if (running.examination === undefined) await inTime(running.ended, waitMs)
    return roundOf(running, checks)
  }
}

/** The checks, each of which also leaves its findings in `soFar`. */
function watched(checks: readonly Check[], soFar: Running['soFar']): Check[] {
  return checks.map((check) => ({
    ...check,
    async run(subject: never, signal: AbortSignal) {
      const findings = await check.run(subject, signal)
      soFar.set(check.name, findings)
      return findings
    },
  }))
}

async function inTime(ended: Promise<unknown>, waitMs: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, waitMs)
  await Promise.race([ended, late.promise])
  clearTimeout(timer)
}

function roundOf({ at, subject, soFar, examination }: Running, checks: readonly Check[]): Round {
  if (examination) return { at, ...examination, ...verdictOf(examination.findings), underWay: [] }
  const findings = checks.flatMap(({ name, group }) =>
    (soFar.get(name) ?? []).map((finding): CheckFinding => ({ check: name, group, ...finding })),
  )
  const leftOut = checks.flatMap((check) => {
    const why = whyLeftOut(check, subject, false)
    return why === undefined ? [] : [{ check: check.name, why }]
  })
  const isOut = new Set(leftOut.map(({ check }) => check))
  const underWay = checks.map(({ name }) => name).filter((name) => !soFar.has(name) && !isOut.has(name))
  return { at, findings, leftOut, ...verdictOf(findings), underWay }
}
