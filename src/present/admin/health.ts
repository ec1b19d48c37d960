import type { CheckFinding } from '../../doctor/examine.ts'
import type { LastBackup } from '../../domain/backups/last-backup.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import type { DiskSpace } from '../../platform/files/disk-space.ts'
import type { JudgedNode } from '../../platform/instance/nodes.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, boolean, count, integer, list, nullable, number, object, oneOf, string, time } from '../schema.ts'

/** What the page on the health of the server is made of. */
interface Health {
  /** ms */
  now: number
  database: string
  findings: readonly CheckFinding[]
  nodes: readonly JudgedNode[]
  disagreements: readonly string[]
  loops: readonly { name: string; secondsAgo: number }[]
  lanes: readonly (Lane & { appName: string })[]
  backup: LastBackup & { to: string; every: string }
  space: ReturnType<DiskSpace['look']>
  /** Notifications that are under way. */
  unfinished: number
}

export function presentHealth(of: Health) {
  const { now, database, findings, nodes, disagreements, loops, lanes, backup, space, unfinished } = of
  return {
    asOf: isoOffset(now),
    database,
    findings: findings.map(({ check, group, level, what, remedy }) => ({
      check,
      group,
      level,
      sentence: what,
      remedy: remedy ?? null,
    })),
    nodes: nodes.map(({ id, host, pid, state, roles, version, schemaStep, keyPrint, startedAt, seenAt }) => ({
      id,
      host,
      process: pid,
      state,
      roles,
      version,
      schema: schemaStep,
      key: keyPrint,
      started: isoOffset(startedAt),
      seen: isoOffset(seenAt),
    })),
    disagreements,
    loops: loops.map(({ name, secondsAgo }) => ({ name, secondsAgo })),
    lanes: lanes.map(({ appId, appName, platform, heldUntil, holdReason }) => ({
      appId,
      appName,
      platform,
      heldUntil: isoOffsetOrNull(heldUntil > now ? heldUntil : null),
      reason: heldUntil > now ? holdReason : null,
    })),
    backup: {
      to: backup.to,
      every: backup.every,
      last: backup.good
        ? {
            at: isoOffset(backup.good.at),
            address: backup.good.address,
            bytes: backup.good.bytes,
            seconds: backup.good.seconds,
          }
        : null,
      failure: backup.failure ? { at: isoOffset(backup.failure.at), error: backup.failure.error } : null,
      wanted: isoOffsetOrNull(backup.wanted ?? null),
    },
    disk: space ? { freeBytes: space.free, lowWaterBytes: space.mark } : null,
    unfinishedNotifications: unfinished,
  }
}

export const health = answerOf<typeof presentHealth>('ServerHealth', {
  asOf: time,
  database: oneOf(['sqlite', 'postgres']),
  findings: list(
    object(
      {
        check: string,
        group: oneOf(['machine', 'database', 'sending', 'connections']),
        level: oneOf(['ok', 'info', 'warning', 'error']),
        sentence: string,
        remedy: nullable(string),
      },
      'Finding',
    ),
  ),
  nodes: list(
    object(
      {
        id: string,
        host: string,
        process: integer,
        state: oneOf(['alive', 'stopped', 'gone']),
        roles: list(string),
        version: string,
        schema: string,
        key: string,
        started: time,
        seen: time,
      },
      'ServerNode',
    ),
  ),
  disagreements: list(string),
  loops: list(object({ name: string, secondsAgo: number }, 'WorkerLoop')),
  lanes: list(
    object(
      { appId: integer, appName: string, platform: string, heldUntil: nullable(time), reason: nullable(string) },
      'ServerLane',
    ),
  ),
  backup: object(
    {
      to: string,
      every: string,
      last: nullable(object({ at: time, address: string, bytes: count, seconds: number }, 'MadeBackup')),
      failure: nullable(object({ at: time, error: string }, 'FailedBackup')),
      wanted: nullable(time),
    },
    'BackupState',
  ),
  disk: nullable(object({ freeBytes: count, lowWaterBytes: count }, 'DiskState')),
  unfinishedNotifications: count,
})

export function presentSetting({
  name,
  value,
  isDefault,
  source,
  why,
}: {
  name: string
  value: string | number | boolean
  isDefault: boolean
  source: string | null
  why: string
}) {
  return { name, value, isDefault, source, why }
}

const setting = answerOf<typeof presentSetting>('ServerSetting', {
  name: string,
  value: { type: ['string', 'number', 'boolean'] },
  isDefault: boolean,
  source: nullable(oneOf(['flag', 'environment', 'file', 'default'])),
  why: string,
})
export const serverSettings = object({ items: list(setting) }, 'ServerSettings')

/** A line of the log: `line` is the JSON of an entry. */
export function presentLogLine(line: string) {
  const { level, time: at, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  return { level: String(level), at: String(at), message: typeof msg === 'string' ? msg : '', fields }
}

const logLine = answerOf<typeof presentLogLine>('LogLine', {
  level: string,
  at: string,
  message: string,
  fields: { type: 'object', additionalProperties: true, title: 'LogFields' },
})
export const logLines = object({ items: list(logLine) }, 'LogLines')
export const askedBackup = object({ to: string }, 'AskedBackup')
