import { objectOf } from '../../platform/json/json.ts'
import { objectAt } from '../../platform/values/lenient.ts'
import { linesOf, listAt, MAX_FRAMES, momentOf, splitError, textAt } from './report-parts.ts'
import type { CrashPlatform, FoundInReport } from './types.ts'

/** `format` of the event -> kind of app. */
const PLATFORMS: Readonly<Record<string, CrashPlatform>> = {
  raven: 'react-native',
  'xamarin-csharp': 'xamarin',
  flutter: 'flutter',
}

/**
 * `report` of the event `k.crash.loggedException`: of Sentry's raven-js (React Native), or a message with a stack trace
 * (Xamarin and .NET, Flutter).
 */
export function summarizeEvent(report: Record<string, unknown>, format: string | null): FoundInReport {
  const platform = (format !== null && Object.hasOwn(PLATFORMS, format) ? PLATFORMS[format] : undefined) ?? 'other'
  const found = {
    platform,
    id: report.event_id,
    at: momentOf(report.timestamp),
    appVersion: textAt(report, 'release'),
    osVersion: null,
    device: null,
  }
  const raised = objectOf(listAt(objectAt(report, 'exception'), 'values').at(-1))
  if (platform === 'react-native' || Object.keys(raised).length > 0) {
    const frames = listAt(objectAt(raised, 'stacktrace'), 'frames').slice(-MAX_FRAMES)
    const own = frames.findLast((frame) => objectOf(frame).in_app === true) ?? frames.at(-1)
    return {
      ...found,
      exception: textAt(raised, 'type'),
      message: textAt(raised, 'value') ?? textAt(report, 'message'),
      frame: ravenFrame(own) ?? textAt(report, 'culprit'),
      // The list begins with the outermost frame.
      trace: frames.toReversed().map((frame) => ravenFrame(frame) ?? '???'),
    }
  }
  const message = textAt(report, 'message') ?? textAt(report, 'text')
  const stack = linesOf(textAt(report, 'stackTrace') ?? '')
  return {
    ...found,
    // Flutter has no separate type. Its message often begins with it.
    ...(textAt(report, 'type') === null && message !== null && /^[A-Z]\w*(?:Error|Exception):/.test(message)
      ? splitError(message)
      : { exception: textAt(report, 'type'), message }),
    // One blank and not several: with several, the regular expression would search the rest again for each.
    frame: stack.find((line) => /^#\d+ .*\(package:(?!flutter\/)/.test(line)) ?? stack[0] ?? null,
    trace: stack,
  }
}

function ravenFrame(frame: unknown): string | null {
  const name = textAt(frame, 'function')
  const file = textAt(frame, 'filename')
  const line = textAt(frame, 'lineno')
  if (file === null) return name
  return `${name === null || name === '?' ? '' : `${name} `}(${file}${line === null ? '' : `:${line}`})`
}
