import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type LastBackup, readLastBackup } from '../../domain/backups/last-backup.ts'
import type { Config } from '../../platform/config/settings.ts'
import { durationMs } from '../../platform/time/duration.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The age (ms) at which backups that the server does not make count as late: their interval is unknown. */
const LATE_BY_HAND_MS = 7 * DAY_MS

/**
 * Checks whether there are backups of the SQLite database, how old the last one is, and where they are. PostgreSQL has tools of its own.
 */
export const backupsCheck: Check = {
  name: 'backups',
  group: 'database',
  needs: 'settings',
  async run({ config, clock, storage }) {
    if (config['database.url'].reveal() !== '' || storage.state === 'absent') return []
    const to = config['backup.to']
    const plan = { to, everyMs: durationMs(config['backup.every'])! }
    const findings = judgeBackups(readLastBackup(config.dataDir), plan, clock.now())
    return to !== '' && isOnSameDisk(config, to)
      ? [
          ...findings,
          info(
            `backup.to is on the disk of the data directory: whoever loses ${resolve(config.dataDir)} may lose the backups with it; name another disk, or s3://bucket/prefix`,
          ),
        ]
      : findings
  },
}

/** Judges what is known of the last backups. `to` is empty when the server makes none; times in ms. */
export function judgeBackups(
  { good, failure }: LastBackup,
  { to, everyMs }: { to: string; everyMs: number },
  now: number,
): Finding[] {
  const isByServer = to !== ''
  const age = good === undefined ? undefined : now - good.at
  const last = age === undefined ? 'there is none yet' : `the last good one is ${spanOf(age)} old`
  if (failure) {
    const what = `the last attempt to back up failed ${spanOf(now - failure.at)} ago, and ${last}: ${failure.error}`
    const remedy = isByServer ? 'correct what it names; appsvc backup tries it at once' : 'correct what it names'
    const isLate = age === undefined || age > 3 * (isByServer ? everyMs : DAY_MS)
    return [isLate ? error(what, remedy) : warning(what, remedy)]
  }
  if (age === undefined) {
    return isByServer
      ? [info(`there is no backup yet: a running server makes the first one to ${to} soon`)]
      : [info('this database is not backed up: set backup.to, or run appsvc backup DIR regularly')]
  }
  // A backup may take a while, and the server may have been restarted.
  const isLate = age > (isByServer ? 2 * everyMs + HOUR_MS : LATE_BY_HAND_MS)
  if (!isLate) return [ok(`the last backup is ${spanOf(age)} old: ${good!.address}`)]
  const due = isByServer ? `, and backup.every is ${spanOf(everyMs)}` : ''
  const remedy = isByServer
    ? 'start the server, which makes one, or see its log'
    : 'appsvc backup DIR, or set backup.to so that the server makes backups'
  return [warning(`the last backup is ${spanOf(age)} old${due}: ${good!.address}`, remedy)]
}

function isOnSameDisk({ dataDir }: Config, to: string): boolean {
  if (to.startsWith('s3:')) return false
  const there = statSync(to, { throwIfNoEntry: false })
  const here = statSync(dataDir, { throwIfNoEntry: false })
  return there !== undefined && here !== undefined && there.dev === here.dev
}

/** `3 days`, `5 hours`, `1 minute`; rounded down. */
function spanOf(ms: number): string {
  const [unit, size] = ms >= 2 * DAY_MS ? ['day', DAY_MS] : ms >= HOUR_MS ? ['hour', HOUR_MS] : ['minute', 60_000]
  const count = Math.max(0, Math.floor(ms / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
