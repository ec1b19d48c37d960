import type { Finding } from './checks/types.ts'

/** The outcome of an examination: the counts that people read, and what decides the exit code. */
export interface Verdict {
  /** True without an error. Warnings alone are no failure. */
  ok: boolean
  errors: number
  warnings: number
}

/** Exit code of a command whose checks found an error: bad configuration (sysexits.h). */
const FOUND_ERRORS = 78

/** Sums up findings. Every door that says how things are says it by this: commands, their exit codes, the console. */
export function verdictOf(findings: readonly Pick<Finding, 'level'>[]): Verdict {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const errors = count('error')
  return { ok: errors === 0, errors, warnings: count('warning') }
}

/** The exit code of a command with this verdict. */
export function exitOf({ ok }: Verdict): 0 | 78 {
  return ok ? 0 : FOUND_ERRORS
}
