import { createHash } from 'node:crypto'
import { objectOf } from '../../platform/json/json.ts'
import { shortText } from '../../platform/values/lenient.ts'
import { summarizeAcra } from './summary-acra.ts'
import { summarizeEvent } from './summary-event.ts'
import { summarizeKscrash } from './summary-kscrash.ts'
import type { CrashSource, CrashSummary, FoundInReport } from './types.ts'

/** Maximum length of the message in a summary. The report has the complete one. */
const MAX_MESSAGE_LENGTH = 1000
const MAX_FRAME_LENGTH = 500

/** The summary of a report. */
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

/**
 * Summarizes a report of any shape. Never throws. Texts are shortened and cleaned so that both databases can store
 * them.
 */
export function summarize(source: CrashSource, report: unknown, format: string | null = null): SummarizedReport {
  const found = READERS[source](objectOf(report), format)
  const { platform } = found
  const exception = shortText(found.exception)
  const message = shortText(found.message, MAX_MESSAGE_LENGTH)
  const frame = shortText(found.frame, MAX_FRAME_LENGTH)
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

/** The stack of the crash, one line for each frame. Untrusted text of any length. */
export function traceOf(source: CrashSource, report: unknown): string[] {
  return READERS[source](objectOf(report), null).trace
}

/** Removes line numbers, which change with every build, unlike the function. */
function withoutLine(frame: string): string {
  return frame.replace(/:\d+(?::\d+)?(\)?)$/, '$1')
}

function fingerprintOf(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
