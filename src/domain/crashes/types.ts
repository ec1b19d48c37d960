import { integer, table, text, type Value } from '../../platform/db/table.ts'

/** The source of reports: ACRA of Android (X1), KSCrash of iOS (X2), or the event `k.crash.loggedException`. */
export const CRASH_SOURCES = ['acra', 'kscrash', 'event'] as const
export type CrashSource = (typeof CRASH_SOURCES)[number]

/** The kind of app that crashed, as far as the report says. */
export const CRASH_PLATFORMS = ['android', 'ios', 'macos', 'react-native', 'xamarin', 'flutter', 'other'] as const
export type CrashPlatform = (typeof CRASH_PLATFORMS)[number]

export const REPORTS = table('crash_reports', {
  id: integer('id'),
  appId: integer('app_id'),
  installId: text('install_id'),
  source: text('source').as<CrashSource>(),
  /** The report's own id, or a digest of its content. */
  reportId: text('report_id'),
  platform: text('platform').as<CrashPlatform>(),
  /** Equal for reports of the same fault. */
  fingerprint: text('fingerprint'),
  exception: text('exception').orNull,
  message: text('message').orNull,
  appVersion: text('app_version').orNull,
  osVersion: text('os_version').orNull,
  device: text('device').orNull,
  /** The innermost frame of the app's own code; of any code when no frame is known to be the app's. */
  frame: text('frame').orNull,
  happenedAt: integer('happened_at'),
  receivedAt: integer('received_at'),
  /** Size of the report in bytes. */
  size: integer('size'),
  /** JSON; may be megabytes. */
  text: text('report'),
})

/** A stored report. Times are milliseconds since the epoch. */
export type CrashReport = Omit<Value<typeof REPORTS>, 'text'>

/** The summary that people read first. Null where the report does not say. */
export type CrashSummary = Pick<
  CrashReport,
  'platform' | 'exception' | 'message' | 'appVersion' | 'osVersion' | 'device' | 'frame'
>

/** The raw values that the parser of a format finds in a report. */
export interface FoundInReport extends CrashSummary {
  /** The report's own id. */
  id: unknown
  /** The time of the crash (ms), or null. */
  at: number | null
  /** The stack of the crash as the report writes it, innermost first. It may contain other lines. */
  trace: string[]
}

/** A complete report. */
export interface WholeCrashReport extends CrashReport {
  report: unknown
}

/** The reports of one fault. */
export interface CrashGroup extends Pick<CrashReport, 'fingerprint' | 'platform' | 'exception' | 'message' | 'frame'> {
  reports: number
  installs: number
  firstAt: number
  lastAt: number
  /** The newest report, for `crashes show`. */
  lastId: number
}

/** Selects reports. */
export interface CrashFilter {
  platform?: CrashPlatform | undefined
  fingerprint?: string | undefined
  /** Received at this time or later (ms). */
  since?: number | undefined
}
