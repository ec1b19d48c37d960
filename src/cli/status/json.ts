import { presentNode } from '../../doctor/state/nodes.ts'
import { isoOffset, ZONE_RULES } from '../../platform/time/clock.ts'
import { stateOfWebhook } from '../../present/api/webhooks.ts'
import { presentCertificate } from '../output/certificate-words.ts'
import type { Status } from './look.ts'

/** The state as `--json` prints it. */
export function presentStatus(status: Status) {
  const { hold, disk, now } = status
  return {
    running: status.served,
    nodes: status.nodes.map(presentNode),
    disagreements: status.disagreements,
    database: status.database,
    dataDir: status.dataDir,
    apps: status.apps,
    unfinishedNotifications: status.unfinished,
    dueInAppMessages: status.inApp,
    unfinishedImports: status.imports.map(({ id, appId, source, place }) => ({ id, appId, source, rows: place })),
    held: hold ? { since: hold.since === null ? null : isoOffset(hold.since), reason: hold.reason } : null,
    faults: status.faults.map(({ kind, about, sentence, since }) => ({
      kind,
      ...(about !== '' && { about }),
      sentence,
      since: isoOffset(since),
    })),
    backup: presentBackup(status),
    disk: disk ? { freeBytes: disk.free, lowWaterBytes: disk.mark } : null,
    timeZones: ZONE_RULES,
    certificates: status.certificates.map((one) => presentCertificate(one, now)),
    waiting: status.waiting.map(({ firstAt, lastAt, ...one }) => ({
      ...one,
      firstAt: isoOffset(firstAt),
      lastAt: isoOffset(lastAt),
    })),
    lanes: status.lanes.map(presentLane),
    followers: status.followers.map(({ name, lagSeconds, missedAt }) => ({
      name,
      lagSeconds,
      ...(missedAt !== null && { missedAt: isoOffset(missedAt) }),
    })),
    webhooks: status.webhooks.map(({ webhook: { id, appId, url, offReason, ...webhook }, lagSeconds }) => ({
      id,
      appId,
      url,
      state: stateOfWebhook(webhook),
      ...(offReason !== null && { offReason }),
      lagSeconds,
    })),
  }
}

function presentBackup({ backupTo, backup: { good, failure }, now }: Status) {
  return {
    to: backupTo,
    last: good
      ? {
          at: isoOffset(good.at),
          ageSeconds: Math.round((now - good.at) / 1000),
          backup: good.address,
          bytes: good.bytes,
          seconds: good.seconds,
        }
      : null,
    ...(failure && { failure: { at: isoOffset(failure.at), error: failure.error } }),
  }
}

function presentLane(lane: Status['lanes'][number]) {
  const { appId, platform, isHeld, heldUntil, holdKind, holdReason, holds, validUntil } = lane
  return {
    appId,
    platform,
    held: isHeld,
    ...(isHeld && { until: isoOffset(heldUntil), kind: holdKind, reason: holdReason, holds }),
    ...(validUntil !== undefined && { validUntil: isoOffset(validUntil) }),
  }
}
