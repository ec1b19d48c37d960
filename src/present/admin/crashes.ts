import { traceOf } from '../../domain/crashes/summary.ts'
import { CRASH_PLATFORMS, CRASH_SOURCES, type CrashGroup, type WholeCrashReport } from '../../domain/crashes/types.ts'
import { presentCrash, presentCrashGroup } from '../api/crashes.ts'
import {
  answerOf,
  count,
  integer,
  list,
  nullable,
  object,
  oneOf,
  pageOf,
  string,
  time,
  told,
  type Words,
} from '../schema.ts'
import { APP_VERSION, ID, OF_INSTALL, OS_VERSION } from '../words.ts'

const CRASH_REPORT_PLATFORM: Words = ['What the app runs on, or is made with.', 'android']
const EXCEPTION: Words = [
  'The type of the exception; null if the report does not say.',
  'java.lang.NullPointerException',
]
const CRASH_REPORT_MESSAGE: Words = [
  'The message of the exception; null if it has none.',
  'Attempt to invoke a method on a null object',
]
const FRAME: Words = ['Where in the code it crashed. Null: nobody knows.', 'CartView.swift:42']
const FINGERPRINT: Words = ['Equal for reports of the same fault.', '1f0c5a7e93b2d864']

/** Lines of a stack that are shown. */
const MAX_LINES = 500

/** Shows a crash report with its stack. */
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
  id: told(integer, ID),
  platform: told(oneOf(CRASH_PLATFORMS), CRASH_REPORT_PLATFORM),
  exception: told(nullable(string), EXCEPTION),
  message: told(nullable(string), CRASH_REPORT_MESSAGE),
  frame: told(nullable(string), FRAME),
  fingerprint: told(string, FINGERPRINT),
  appVersion: told(nullable(string), APP_VERSION),
  osVersion: told(nullable(string), OS_VERSION),
  device: told(nullable(string), 'The device, as the report names it.', 'Pixel 8'),
  installId: told(string, OF_INSTALL),
  source: told(oneOf(CRASH_SOURCES), 'Who reported it.', 'acra'),
  reportId: told(string, "The report's own id, or a digest of it.", '7f3c'),
  happenedAt: told(time, 'When the app crashed.', '2026-03-01T09:00:00+0000'),
  receivedAt: told(time, 'When the report arrived.', '2026-03-01T09:00:00+0000'),
  size: told(count, 'Size of the report in bytes.', 2048),
}
export const crashPage = pageOf(
  'items',
  'A page of crash reports.',
  'Reports of this page.',
  answerOf<typeof presentCrash>('CrashReport', 'A crash report without its text.', summary),
)

export const shownCrash = answerOf<typeof presentShownCrash>('ShownCrash', 'A crash report with its stack.', {
  ...summary,
  stack: told(list(string), 'The first lines of the stack, innermost first.', ['at Basket.total(Basket.kt:12)']),
  moreLines: told(count, 'How many lines of the stack are left out.', 0),
  // Whatever the library of the app wrote.
  report: told({}, 'The report as the app sent it.', null),
})

export const crashGroups = object('CrashGroups', 'Faults.', {
  items: told(
    list(
      answerOf<typeof presentCrashGroup>('CrashGroup', 'The reports of one fault.', {
        fingerprint: told(string, FINGERPRINT),
        platform: told(oneOf(CRASH_PLATFORMS), CRASH_REPORT_PLATFORM),
        exception: told(nullable(string), EXCEPTION),
        message: told(nullable(string), CRASH_REPORT_MESSAGE),
        frame: told(nullable(string), FRAME),
        reports: told(count, 'How many reports there are.', 7),
        installs: told(count, 'How many installs sent them.', 3),
        firstAt: told(time, 'The first crash of the group.', '2026-03-01T09:00:00+0000'),
        lastAt: told(time, 'The newest crash of the group.', '2026-03-01T09:00:00+0000'),
        lastId: told(integer, 'The newest of them.', 12),
      }),
    ),
    'The most recently reported first.',
  ),
})
