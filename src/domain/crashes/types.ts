/** By which door reports come: ACRA of Android (X1), KSCrash of iOS (X2), or the event `k.crash.loggedException`. */
export const CRASH_SOURCES = ['acra', 'kscrash', 'event'] as const
export type CrashSource = (typeof CRASH_SOURCES)[number]

/** What kind of app crashed, as far as the report tells. */
export const CRASH_PLATFORMS = ['android', 'ios', 'macos', 'react-native', 'xamarin', 'flutter', 'other'] as const
export type CrashPlatform = (typeof CRASH_PLATFORMS)[number]

/** What people look for first in a report. Null where it does not tell. */
export interface CrashSummary {
  platform: CrashPlatform
  exception: string | null
  message: string | null
  appVersion: string | null
  osVersion: string | null
  device: string | null
  /** The innermost frame of the app's own code, or of any code when none is known to be the app's. */
  frame: string | null
}

/** What the reader of one format finds in a report, not yet fit for a database. */
export interface FoundInReport extends CrashSummary {
  /** The report's own id. */
  id: unknown
  /** When it happened (ms); null when it does not tell. */
  at: number | null
  /** The stack where it happened, innermost first, with what else stands between; as the report writes it. */
  trace: string[]
}

/** One report as it is kept. Times are milliseconds since the epoch. */
export interface CrashReport extends CrashSummary {
  id: number
  appId: number
  installId: string
  source: CrashSource
  /** The report's own id, or a digest of the whole. */
  reportId: string
  /** The same for reports of what looks like one fault. */
  fingerprint: string
  happenedAt: number
  receivedAt: number
  /** Bytes of the report. */
  size: number
}

/** A report with all that it says. */
export interface WholeCrashReport extends CrashReport {
  report: unknown
}

/** Reports of what looks like one fault. */
export interface CrashGroup extends Pick<CrashReport, 'fingerprint' | 'platform' | 'exception' | 'message' | 'frame'> {
  reports: number
  installs: number
  firstAt: number
  lastAt: number
  /** The newest of them, for `crashes show`. */
  lastId: number
}

/** Which reports are meant. */
export interface CrashFilter {
  platform?: CrashPlatform | undefined
  fingerprint?: string | undefined
  /** Received at this time or later (ms). */
  since?: number | undefined
}
