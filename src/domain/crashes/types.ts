/** The source of reports: ACRA of Android (X1), KSCrash of iOS (X2), or the event `k.crash.loggedException`. */
export const CRASH_SOURCES = ['acra', 'kscrash', 'event'] as const
export type CrashSource = (typeof CRASH_SOURCES)[number]

/** The kind of app that crashed, as far as the report says. */
export const CRASH_PLATFORMS = ['android', 'ios', 'macos', 'react-native', 'xamarin', 'flutter', 'other'] as const
export type CrashPlatform = (typeof CRASH_PLATFORMS)[number]

/** The summary that people read first. Null where the report does not say. */
export interface CrashSummary {
  platform: CrashPlatform
  exception: string | null
  message: string | null
  appVersion: string | null
  osVersion: string | null
  device: string | null
  /** The innermost frame of the app's own code; of any code when no frame is known to be the app's. */
  frame: string | null
}

/** The raw values that the parser of a format finds in a report. */
export interface FoundInReport extends CrashSummary {
  /** The report's own id. */
  id: unknown
  /** The time of the crash (ms), or null. */
  at: number | null
  /** The stack of the crash as the report writes it, innermost first. It may contain other lines. */
  trace: string[]
}

/** A stored report. Times are milliseconds since the epoch. */
export interface CrashReport extends CrashSummary {
  id: number
  appId: number
  installId: string
  source: CrashSource
  /** The report's own id, or a digest of its content. */
  reportId: string
  /** Equal for reports of the same fault. */
  fingerprint: string
  happenedAt: number
  receivedAt: number
  /** Size of the report in bytes. */
  size: number
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
