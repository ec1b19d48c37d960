import { objectOf } from '../../platform/json/json.ts'
import { objectAt } from '../../platform/values/lenient.ts'
import { listAt, MAX_FRAMES, momentOf, textAt } from './report-parts.ts'
import type { FoundInReport } from './types.ts'

/**
 * A report of KSCrash (its report format 3): what is known of the system, the error, and the threads with their frames.
 */
export function summarizeKscrash(report: Record<string, unknown>): FoundInReport {
  const system = objectAt(report, 'system')
  const crash = objectAt(report, 'crash')
  const error = objectAt(crash, 'error')
  const head = objectAt(report, 'report')
  const reported = objectAt(error, 'user_reported')
  const raised = objectAt(error, 'nsexception')
  const frames = framesOf(crash)
  const executable = textAt(system, 'CFBundleExecutable') ?? textAt(system, 'process_name')
  const own = frames.find((frame) => executable !== null && textAt(frame, 'object_name') === executable) ?? frames[0]
  const code = textAt(reported, 'line_of_code')
  const backtrace = listAt(reported, 'backtrace').filter((line) => typeof line === 'string')
  return {
    platform: /mac/i.test(textAt(system, 'system_name') ?? '') ? 'macos' : 'ios',
    id: head.id,
    at: momentOf(head.timestamp),
    exception:
      textAt(raised, 'name') ??
      textAt(objectAt(error, 'cpp_exception'), 'name') ??
      textAt(reported, 'name') ??
      textAt(objectAt(error, 'signal'), 'name') ??
      textAt(objectAt(error, 'mach'), 'exception_name') ??
      textAt(error, 'type'),
    message:
      textAt(error, 'reason') ??
      textAt(raised, 'reason') ??
      textAt(objectAt(error, 'mach'), 'code_name') ??
      textAt(report, 'text'),
    appVersion: textAt(system, 'CFBundleShortVersionString') ?? textAt(system, 'CFBundleVersion'),
    osVersion: textAt(system, 'system_version'),
    device: textAt(system, 'machine'),
    frame: code ?? backtrace[0] ?? (own === undefined ? null : frameText(own)),
    trace: backtrace.length > 0 ? backtrace : frames.map((frame) => frameText(frame) ?? '???'),
  }
}

/** Frames of the thread that crashed, innermost first. */
function framesOf(crash: Record<string, unknown>): unknown[] {
  const crashed = listAt(crash, 'threads').find((thread) => objectOf(thread).crashed === true)
  return listAt(objectAt(crashed, 'backtrace'), 'contents').slice(0, MAX_FRAMES)
}

function frameText(frame: unknown): string | null {
  const object = textAt(frame, 'object_name')
  const symbol = textAt(frame, 'symbol_name')
  // Apps have no symbols. The offset from the load address of the image is the same at every start.
  const { instruction_addr: at, object_addr: base } = objectOf(frame)
  const offset =
    typeof at === 'number' && typeof base === 'number' && at >= base ? `+0x${(at - base).toString(16)}` : null
  const known = symbol === null || symbol === '<redacted>' ? offset : symbol
  return known === null ? object : object === null ? known : `${object} ${known}`
}
