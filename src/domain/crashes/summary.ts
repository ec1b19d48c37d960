import { createHash } from 'node:crypto'
import { objectOf } from '../../platform/json.ts'
import { shortText } from '../../platform/lenient.ts'
import { summarizeAcra } from './summary-acra.ts'
import { summarizeEvent } from './summary-event.ts'
import { summarizeKscrash } from './summary-kscrash.ts'
import type { CrashSource, CrashSummary, FoundInReport } from './types.ts'

/** Longest message that is kept beside the report, which has the whole. */
const LONGEST_MESSAGE = 1000
const LONGEST_FRAME = 500

/** What is kept beside a report. */
export interface SummarizedReport extends CrashSummary {
  reportId: string | null
  at: number | null
  fingerprint: string
}

const READERS: Record<CrashSource, (report: Record<string, unknown>, format: string | null) => FoundInReport> = {
  acra: summarizeAcra,
  kscrash: summarizeKscrash,
  event: summarizeEvent,
}

/** A report of any shape -> what is shown of it. Never throws; texts are cut and cleaned so that both databases take them. */
export function summarize(source: CrashSource, report: unknown, format: string | null = null): SummarizedReport {
  const found = READERS[source](objectOf(report), format)
  const { platform } = found
  const exception = shortText(found.exception)
  const message = shortText(found.message, LONGEST_MESSAGE)
  const frame = shortText(found.frame, LONGEST_FRAME)
  return {
    platform,
    exception,
    message,
    appVersion: shortText(found.appVersion),
    osVersion: shortText(found.osVersion),
    device: shortText(found.device),
    frame,
    reportId: shortText(found.id),
    at: found.at,
    fingerprint: fingerprintOf([platform, exception, frame === null ? message : withoutLine(frame)]),
  }
}

/** The stack of a report where it crashed, a line for each frame. Untrusted text of any length. */
export function traceOf(source: CrashSource, report: unknown): string[] {
  return READERS[source](objectOf(report), null).trace
}

/** Lines move with every build; the function does not. */
function withoutLine(frame: string): string {
  return frame.replace(/:\d+(?::\d+)?(\)?)$/, '$1')
}

function fingerprintOf(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
