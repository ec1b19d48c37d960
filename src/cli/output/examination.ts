import type { Group } from '../../doctor/checks/types.ts'
import type { CheckFinding, Examination } from '../../doctor/examine.ts'
import type { Repair } from '../../doctor/repair.ts'
import { type Verdict, verdictOf } from '../../doctor/verdict.ts'
import { printFindings } from './findings.ts'
import { type Output, printable } from './output.ts'
import { countOf } from './plural.ts'

const TITLES: Record<Group, string> = {
  machine: 'Machine and settings',
  database: 'Database',
  sending: 'Sending',
  connections: 'Connections',
}

/** Prints what was repaired, what is well by group, and at the end what is not, the errors last. */
export function printExamination(out: Output, { findings, leftOut }: Examination, repairs: readonly Repair[]): void {
  for (const { did, failed } of repairs) {
    out.line(`${out.paint(failed ? 'red' : 'green', failed ? 'failed  ' : 'repaired')}  ${printable(did)}`)
  }
  if (repairs.length > 0) out.line()
  const label = {
    of: ({ check }: CheckFinding) => check,
    width: Math.max(...findings.map(({ check }) => check.length)),
  }
  for (const [group, title] of Object.entries(TITLES)) {
    const well = findings.filter((one) => one.group === group && (one.level === 'ok' || one.level === 'info'))
    if (well.length === 0) continue
    out.line(out.paint('bold', title))
    printFindings(out, well, label)
    out.line()
  }
  for (const [why, checks] of Map.groupBy(leftOut, ({ why }) => why)) {
    out.line(out.paint('dim', `Left out, because ${why}: ${checks.map(({ check }) => check).join(', ')}`))
  }
  if (leftOut.length > 0) out.line()
  const { errors, warnings } = verdictOf(findings)
  if (errors + warnings === 0) return out.line(out.paint('green', 'No warnings and no errors.'))
  out.line(out.paint('bold', summaryOf({ errors, warnings })))
  printFindings(out, [...ofLevel(findings, 'warning'), ...ofLevel(findings, 'error')], label)
}

const ofLevel = (findings: readonly CheckFinding[], level: CheckFinding['level']) =>
  findings.filter((finding) => finding.level === level)

function summaryOf({ errors, warnings }: Pick<Verdict, 'errors' | 'warnings'>): string {
  const parts = [errors > 0 ? countOf(errors, 'error') : '', warnings > 0 ? countOf(warnings, 'warning') : '']
  return parts.filter((part) => part !== '').join(', ')
}
