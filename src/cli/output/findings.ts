import type { Output } from './output.ts'
import { printable } from './output.ts'

/** A finding of a check. */
interface Finding {
  level: 'ok' | 'info' | 'warning' | 'error'
  what: string
  remedy?: string | undefined
}

const STYLES = { ok: 'green', info: 'cyan', warning: 'yellow', error: 'red' } as const
const LEVEL_WIDTH = 7

/** One line per finding and one for its remedy. `label` names the subject of the finding, in a column of its own. */
export function printFindings<F extends Finding>(
  out: Output,
  findings: readonly F[],
  label?: { of(finding: F): string; width: number },
): void {
  const indent = ' '.repeat(LEVEL_WIDTH + 2 + (label ? label.width + 2 : 0))
  for (const finding of findings) {
    const { level, what, remedy } = finding
    const about = label ? `${label.of(finding).padEnd(label.width)}  ` : ''
    out.line(`${out.paint(STYLES[level], level.padEnd(LEVEL_WIDTH))}  ${about}${printable(what)}`)
    if (remedy) out.line(`${indent}${out.paint('dim', printable(remedy))}`)
  }
}
