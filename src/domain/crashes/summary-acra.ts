import { linesOf, momentOf, splitError, textAt } from './report-parts.ts'
import type { FoundInReport } from './types.ts'

/** A report of ACRA as JSON; its fields are those of the library's `ReportField`. */
export function summarizeAcra(report: Record<string, unknown>): FoundInReport {
  const lines = linesOf(textAt(report, 'STACK_TRACE') ?? '')
  const packageName = textAt(report, 'PACKAGE_NAME')
  const frames = lines.flatMap((line) => /^at (.+)$/.exec(line)?.[1] ?? [])
  return {
    platform: 'android',
    trace: lines,
    id: report.REPORT_ID,
    at: momentOf(report.USER_CRASH_DATE),
    ...(lines[0] === undefined ? { exception: null, message: textAt(report, 'text') } : splitError(lines[0])),
    appVersion: textAt(report, 'APP_VERSION_NAME') ?? textAt(report, 'APP_VERSION_CODE'),
    osVersion: textAt(report, 'ANDROID_VERSION'),
    device: [textAt(report, 'BRAND'), textAt(report, 'PHONE_MODEL')].filter((part) => part !== null).join(' ') || null,
    frame:
      (packageName === null ? undefined : frames.find((frame) => frame.startsWith(`${packageName}.`))) ??
      frames[0] ??
      null,
  }
}
