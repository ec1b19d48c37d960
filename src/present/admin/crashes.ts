import { traceOf } from '../../domain/crashes/summary.ts'
import { CRASH_PLATFORMS, CRASH_SOURCES, type CrashGroup, type WholeCrashReport } from '../../domain/crashes/types.ts'
import { presentCrash, presentCrashGroup } from '../api/crashes.ts'
import { answerOf, count, integer, list, nullable, object, oneOf, pageOf, string, time } from '../schema.ts'

/** Lines of a stack that are shown. */
const MAX_LINES = 500

/** One crash with its stack. */
export function presentShownCrash(crash: WholeCrashReport) {
  const lines = traceOf(crash.source, crash.report)
  return {
    ...presentCrash(crash),
    stack: lines.slice(0, MAX_LINES),
    moreLines: Math.max(0, lines.length - MAX_LINES),
    report: crash.report,
  }
}

export function presentGroups(groups: readonly CrashGroup[]) {
  return { items: groups.map(presentCrashGroup) }
}

const summary = {
  id: integer,
  platform: oneOf(CRASH_PLATFORMS),
  exception: nullable(string),
  message: nullable(string),
  frame: nullable(string),
  fingerprint: string,
  appVersion: nullable(string),
  osVersion: nullable(string),
  device: nullable(string),
  installId: string,
  source: oneOf(CRASH_SOURCES),
  reportId: string,
  happenedAt: time,
  receivedAt: time,
  size: count,
}
export const crashPage = pageOf('items', answerOf<typeof presentCrash>('CrashReport', summary))

export const shownCrash = answerOf<typeof presentShownCrash>('ShownCrash', {
  ...summary,
  stack: list(string),
  moreLines: count,
  // Whatever the library of the app wrote.
  report: {},
})

export const crashGroups = object(
  {
    items: list(
      answerOf<typeof presentCrashGroup>('CrashGroup', {
        fingerprint: string,
        platform: oneOf(CRASH_PLATFORMS),
        exception: nullable(string),
        message: nullable(string),
        frame: nullable(string),
        reports: count,
        installs: count,
        firstAt: time,
        lastAt: time,
        lastId: integer,
      }),
    ),
  },
  'CrashGroups',
)
