import type { LastBackup } from '../../domain/backups/last-backup.ts'
import type { CertificateReport } from '../../domain/certificates/report.ts'
import type { WaitCause } from '../../domain/notifications/report/vitals.repository.ts'
import { isMoved } from '../../platform/instance/custody.ts'
import { nameOf } from '../../platform/instance/nodes.ts'
import { sizeOf } from '../../platform/text/size.ts'
import { ZONE_RULES } from '../../platform/time/clock.ts'
import { stateOfWebhook } from '../../present/api/webhooks.ts'
import { CERTIFICATE_STATES } from '../output/certificate-words.ts'
import type { Output } from '../output/output.ts'
import { countOf } from '../output/plural.ts'
import { shortTime } from '../output/present.ts'
import { MAX_COUNTED, type Status } from './look.ts'

/** Prints the state for people. */
export function printStatus(out: Output, status: Status): void {
  printSummary(out, status)
  printComplaints(out, status)
  out.line()
  printLanes(out, status)
  out.line()
  printWaiting(out, status)
  printFollowers(out, status)
  printWebhooks(out, status)
}

function printSummary(out: Output, status: Status): void {
  const { database, unfinished, inApp, imports, disk, certificates } = status
  out.fields({
    server: serverLine(status),
    database: database === 'sqlite' ? 'SQLite' : 'PostgreSQL',
    'data directory': status.dataDir,
    apps: status.apps,
    'in progress':
      unfinished > MAX_COUNTED ? `more than ${MAX_COUNTED} notifications` : countOf(unfinished, 'notification'),
    'time zone rules': ZONE_RULES,
    ...(disk && { 'free space': sizeOf(disk.free, Math.floor) }),
    ...(database === 'sqlite' && { 'last backup': backupLine(status.backup, status.now) }),
    ...(certificates.length > 0 && { certificates: certificateLine(certificates) }),
    ...(imports.length > 0 && {
      'unfinished imports': imports
        .map(({ id, appId, source, place }) => `${id} (${source} into app ${appId}, after ${place} rows)`)
        .join(', '),
    }),
    ...(inApp > 0 && { 'in-app messages due': inApp > MAX_COUNTED ? `more than ${MAX_COUNTED}` : inApp }),
  })
}

function serverLine({ served, nodes }: Status): string {
  if (!served) return 'not running (start it with appsvc serve)'
  if (nodes.length <= 1) return 'running'
  return `running: ${nodes.map((node) => `${node.roles.join(' and ')} on ${nameOf(node)}`).join(', ')}`
}

/** The newest backup that was verified, its age, and whether one has failed since. */
function backupLine({ good, failure }: LastBackup, now: number): string {
  const failed = failure ? `; the last attempt failed: ${failure.error}` : ''
  if (!good) return `none that the server, or appsvc backup to a directory, has made${failed}`
  const hours = Math.max(0, now - good.at) / 3_600_000
  const age =
    hours < 1 ? `${Math.round(hours * 60)} min` : hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} d`
  return `${age} ago, ${good.address}${failed}`
}

/** Counts certificates by state: `3 valid, 1 renewal fails`. */
function certificateLine(reports: readonly CertificateReport[]): string {
  const states = Map.groupBy(reports, ({ state }) => state)
  return [...states].map(([state, { length }]) => `${length} ${CERTIFICATE_STATES[state]}`).join(', ')
}

/** The sentences that want an operator. */
function printComplaints(out: Output, { disagreements, certificates, faults }: Status): void {
  const complain = (sentence: string) => out.line(out.paint('red', `! ${sentence}`))
  for (const sentence of disagreements) complain(sentence)
  for (const { names, lastError } of certificates) {
    if (lastError !== null) complain(`certificate of ${names.join(', ')}: ${lastError}`)
  }
  for (const { sentence } of faults) complain(sentence)
}

function printLanes(out: Output, { lanes }: Status): void {
  out.table(
    ['APP', 'GATEWAY', 'VALID UNTIL', 'STATE', 'UNTIL', 'WHY'],
    lanes.map(({ appId, platform, validUntil, isHeld, heldUntil, holdKind, holdReason }) => {
      const known = [appId, platform, validUntil === undefined ? null : shortTime(validUntil)]
      return isHeld ? [...known, holdKind, shortTime(heldUntil), holdReason] : [...known, 'open', null, null]
    }),
    'No gateway is configured yet.',
  )
}

const CAUSES: Record<WaitCause, string> = {
  under_way: 'being sent, or held by a worker that ended and reclaimed within 35 s',
  after_crash: 'resent after a crash, at the rate the gateway accepts',
  no_answer: 'resent because the gateway did not answer: at most 100 a minute plus a tenth of the first attempts',
  retry: 'retried because the gateway asked for it or failed: at most 100 a minute plus a tenth of the first attempts',
  rate: 'rate limit of the notification',
  due: 'next in the queue',
}

function printWaiting(out: Output, status: Status): void {
  out.table(
    ['APP', 'GATEWAY', 'RECIPIENTS', 'NOT BEFORE', 'LAST', 'WHY THEY WAIT'],
    status.waiting.map(({ appId, platform, recipients, cause, firstAt, lastAt }) => [
      appId,
      platform,
      recipients,
      shortTime(firstAt),
      shortTime(lastAt),
      CAUSES[cause],
    ]),
    emptyReason(status),
  )
}

/**
 * Printed instead of an empty table. Recipients are known only once the fan-out of their notification has reached them.
 */
function emptyReason({ hold, unfinished }: Status): string {
  if (hold) {
    return isMoved(hold.reason)
      ? 'Nothing is sent from here: the copy of this database sends.'
      : 'Nothing is sent until appsvc release, which lists what is waiting and asks.'
  }
  if (unfinished > 0) return 'The recipients of the open notifications are not known yet.'
  return 'No recipients are waiting.'
}

/** Distance of a follower from the end of the log; whole seconds are enough. */
const behind = (seconds: number) => `${Math.round(seconds)} s`

function printFollowers(out: Output, { followers }: Status): void {
  if (followers.length === 0) return
  out.line()
  out.table(
    ['FOLLOWER OF THE EVENT LOG', 'BEHIND', 'MISSED EVENTS'],
    followers.map(({ name, lagSeconds, missedAt }) => [
      name,
      behind(lagSeconds),
      missedAt === null ? null : shortTime(missedAt),
    ]),
    '',
  )
}

function printWebhooks(out: Output, { webhooks }: Status): void {
  if (webhooks.length === 0) return
  out.line()
  out.table(
    ['APP', 'WEBHOOK', 'URL', 'STATE', 'BEHIND', 'WHY'],
    webhooks.map(({ webhook, lagSeconds }) => [
      webhook.appId,
      webhook.id,
      webhook.url,
      stateOfWebhook(webhook),
      behind(lagSeconds),
      webhook.offReason ?? `appsvc webhooks attempts --app ${webhook.appId} ${webhook.id}`,
    ]),
    '',
  )
}
