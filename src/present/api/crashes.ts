import type { CrashGroup, CrashReport, WholeCrashReport } from '../../domain/crashes/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'

/** A crash report without its body. */
export function presentCrash(crash: CrashReport) {
  return {
    id: crash.id,
    platform: crash.platform,
    exception: crash.exception,
    message: crash.message,
    frame: crash.frame,
    fingerprint: crash.fingerprint,
    appVersion: crash.appVersion,
    osVersion: crash.osVersion,
    device: crash.device,
    installId: crash.installId,
    source: crash.source,
    reportId: crash.reportId,
    happenedAt: isoOffset(crash.happenedAt),
    receivedAt: isoOffset(crash.receivedAt),
    size: crash.size,
  }
}

/** A crash report with all that it says. */
export function presentWholeCrash(crash: WholeCrashReport) {
  return { ...presentCrash(crash), report: crash.report }
}

/** Reports of one fault. */
export function presentCrashGroup(group: CrashGroup) {
  return { ...group, firstAt: isoOffset(group.firstAt), lastAt: isoOffset(group.lastAt) }
}
