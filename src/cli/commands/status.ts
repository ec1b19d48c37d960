import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import { isServed } from '../../doctor/state/served.ts'
import type { LastBackup } from '../../domain/backups/last-backup.ts'
import type { CertificateReport } from '../../domain/certificates/report.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import type { WaitCause } from '../../domain/notifications/report/vitals.repository.ts'
import { isMoved } from '../../platform/instance/custody.ts'
import { BaseCommand } from '../kinds/base.ts'
import { countOf } from '../output/plural.ts'

/** Unfinished imports that are named. */
const MAX_IMPORTS = 20
/** Open notifications are counted up to this number. */
const MAX_COUNTED = 10_000

export class Status extends BaseCommand {
  static override summary =
    'Show the state of the server, its faults, its lanes, its open notifications and who reads the event log'
  static override examples = ['appsvc status', 'appsvc status --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(Status)
    const app = await this.open(flags)
    const { isoOffset, ZONE_RULES } = await import('../../platform/time/clock.ts')
    const { shortTime } = await import('../output/present.ts')
    const { faultsOf } = await import('../../doctor/state/faults.ts')
    const { holdOf } = await import('../../doctor/state/hold.ts')
    const { logReadersOf } = await import('../../doctor/state/log-readers.ts')
    const { readLastBackup } = await import('../../domain/backups/last-backup.ts')
    const { stateOfWebhook } = await import('../../present/api/webhooks.ts')
    const now = app.kernel.clock.now()
    const { disagreements, nameOf } = await import('../../platform/instance/nodes.ts')
    const { nodesOf, presentNode } = await import('../../doctor/state/nodes.ts')
    const nodes = (await nodesOf(app)).nodes.filter(({ state }) => state === 'alive')
    const disagreed = disagreements(nodes)
    // On PostgreSQL the nodes tell, which may run on any machine.
    const served = (await isServed(app)) ?? nodes.length > 0
    const faults = await faultsOf(app, served)
    const hold = await holdOf(app)
    const space = app.kernel.disk.look()
    const apps = await app.apps.list()
    const lanes = await configuredLanes(app)
    const expiries = new Map(
      (await app.gateways.expiries()).map((one) => [`${one.appId} ${one.platform}`, one.notAfter]),
    )
    const endOf = ({ appId, platform }: { appId: number; platform: string }) => expiries.get(`${appId} ${platform}`)
    const unfinished = (await app.ledger.unfinished(0, MAX_COUNTED + 1)).length
    const imports = await app.imports.unfinished(MAX_IMPORTS)
    const inApp = (await app.inAppWalks.due(now, MAX_COUNTED + 1)).length
    const waiting = await waitingOf(app, now)
    const { presentCertificate, CERTIFICATE_STATES } = await import('../output/certificate-words.ts')
    const { reportCertificates } = await import('../../domain/certificates/report.ts')
    const { certificates } = app
    const reports = await reportCertificates({ certificates, config: app.kernel.config }, now)
    const { followers, webhooks } = await logReadersOf(app, now)
    const held = (until: number) => until > now
    const { db, config } = app.kernel
    const dataDir = resolve(config.dataDir)
    const backup = db.kind === 'sqlite' ? readLastBackup(config.dataDir) : {}
    this.out.value({
      running: served,
      nodes: nodes.map(presentNode),
      disagreements: disagreed,
      database: db.kind,
      dataDir,
      apps: apps.length,
      unfinishedNotifications: unfinished,
      dueInAppMessages: inApp,
      unfinishedImports: imports.map(({ id, appId, source, place }) => ({ id, appId, source, rows: place })),
      held: hold ? { since: hold.since === null ? null : isoOffset(hold.since), reason: hold.reason } : null,
      faults: faults.map(({ kind, about, sentence, since }) => ({
        kind,
        ...(about !== '' && { about }),
        sentence,
        since: isoOffset(since),
      })),
      backup: {
        to: config['backup.to'] || null,
        last: backup.good
          ? {
              at: isoOffset(backup.good.at),
              ageSeconds: Math.round((now - backup.good.at) / 1000),
              backup: backup.good.address,
              bytes: backup.good.bytes,
              seconds: backup.good.seconds,
            }
          : null,
        ...(backup.failure && { failure: { at: isoOffset(backup.failure.at), error: backup.failure.error } }),
      },
      disk: space ? { freeBytes: space.free, lowWaterBytes: space.mark } : null,
      timeZones: ZONE_RULES,
      certificates: reports.map((one) => presentCertificate(one, now)),
      waiting: waiting.map(({ firstAt, lastAt, ...one }) => ({
        ...one,
        firstAt: isoOffset(firstAt),
        lastAt: isoOffset(lastAt),
      })),
      lanes: lanes.map((lane) => {
        const { appId, platform, heldUntil, holdKind, holdReason, holds } = lane
        const end = endOf(lane)
        return {
          appId,
          platform,
          held: held(heldUntil),
          ...(held(heldUntil) && { until: isoOffset(heldUntil), kind: holdKind, reason: holdReason, holds }),
          ...(end !== undefined && { validUntil: isoOffset(end) }),
        }
      }),
      followers: followers.map(({ name, lagSeconds, missedAt }) => ({
        name,
        lagSeconds,
        ...(missedAt !== null && { missedAt: isoOffset(missedAt) }),
      })),
      webhooks: webhooks.map(({ webhook: { id, appId, url, offReason, ...webhook }, lagSeconds }) => ({
        id,
        appId,
        url,
        state: stateOfWebhook(webhook),
        ...(offReason !== null && { offReason }),
        lagSeconds,
      })),
    })
    this.out.fields({
      server: !served
        ? 'not running (start it with appsvc serve)'
        : nodes.length > 1
          ? `running: ${nodes.map((node) => `${node.roles.join(' and ')} on ${nameOf(node)}`).join(', ')}`
          : 'running',
      database: db.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL',
      'data directory': dataDir,
      apps: apps.length,
      'in progress':
        unfinished > MAX_COUNTED ? `more than ${MAX_COUNTED} notifications` : countOf(unfinished, 'notification'),
      'time zone rules': ZONE_RULES,
      ...(space && { 'free space': `${Math.floor(space.free / 2 ** 20)} MiB` }),
      ...(db.kind === 'sqlite' && { 'last backup': lastBackup(backup, now) }),
      ...(reports.length > 0 && { certificates: certificateLine(reports, CERTIFICATE_STATES) }),
      ...(imports.length > 0 && {
        'unfinished imports': imports
          .map(({ id, appId, source, place }) => `${id} (${source} into app ${appId}, after ${place} rows)`)
          .join(', '),
      }),
      ...(inApp > 0 && { 'in-app messages due': inApp > MAX_COUNTED ? `more than ${MAX_COUNTED}` : inApp }),
    })
    for (const sentence of disagreed) this.out.line(this.out.paint('red', `! ${sentence}`))
    for (const { names, lastError } of reports) {
      if (lastError !== null) this.out.line(this.out.paint('red', `! certificate of ${names.join(', ')}: ${lastError}`))
    }
    for (const { sentence } of faults) this.out.line(this.out.paint('red', `! ${sentence}`))
    this.out.line()
    this.out.table(
      ['APP', 'GATEWAY', 'VALID UNTIL', 'STATE', 'UNTIL', 'WHY'],
      lanes.map((lane) => {
        const end = endOf(lane)
        const known = [lane.appId, lane.platform, end === undefined ? null : shortTime(end)]
        return held(lane.heldUntil)
          ? [...known, lane.holdKind, shortTime(lane.heldUntil), lane.holdReason]
          : [...known, 'open', null, null]
      }),
      'No gateway is configured yet.',
    )
    this.out.line()
    this.out.table(
      ['APP', 'GATEWAY', 'RECIPIENTS', 'NOT BEFORE', 'LAST', 'WHY THEY WAIT'],
      waiting.map(({ appId, platform, recipients, cause, firstAt, lastAt }) => [
        appId,
        platform,
        recipients,
        shortTime(firstAt),
        shortTime(lastAt),
        CAUSES[cause],
      ]),
      emptyReason({ hold, unfinished }),
    )
    if (followers.length > 0) {
      this.out.line()
      this.out.table(
        ['FOLLOWER OF THE EVENT LOG', 'BEHIND', 'MISSED EVENTS'],
        followers.map(({ name, lagSeconds, missedAt }) => [
          name,
          behind(lagSeconds),
          missedAt === null ? null : shortTime(missedAt),
        ]),
        '',
      )
    }
    if (webhooks.length > 0) {
      this.out.line()
      this.out.table(
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
  }
}

/** The newest backup that was verified, its age, and whether one has failed since. */
function lastBackup({ good, failure }: LastBackup, now: number): string {
  const failed = failure ? `; the last attempt failed: ${failure.error}` : ''
  if (!good) return `none that the server, or appsvc backup to a directory, has made${failed}`
  const hours = Math.max(0, now - good.at) / 3_600_000
  const age =
    hours < 1 ? `${Math.round(hours * 60)} min` : hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} d`
  return `${age} ago, ${good.address}${failed}`
}

/** How many certificates are in each state: `3 valid, 1 renewal fails`. */
function certificateLine(
  reports: readonly CertificateReport[],
  words: Record<CertificateReport['state'], string>,
): string {
  const states = Map.groupBy(reports, ({ state }) => state)
  return [...states].map(([state, { length }]) => `${length} ${words[state]}`).join(', ')
}

/** How far somebody is behind the end of the log; whole seconds are enough. */
const behind = (seconds: number) => `${Math.round(seconds)} s`

/**
 * Printed instead of an empty table. Recipients are known only once the fan-out of their notification has reached them.
 */
function emptyReason({ hold, unfinished }: { hold: { reason: string } | undefined; unfinished: number }): string {
  if (hold) {
    return isMoved(hold.reason)
      ? 'Nothing is sent from here: the copy of this database sends.'
      : 'Nothing is sent until appsvc release, which lists what is waiting and asks.'
  }
  if (unfinished > 0) return 'The recipients of the open notifications are not known yet.'
  return 'No recipients are waiting.'
}

const CAUSES: Record<WaitCause, string> = {
  under_way: 'being sent, or held by a worker that ended and reclaimed within 35 s',
  after_crash: 'resent after a crash, at the rate the gateway accepts',
  no_answer: 'resent because the gateway did not answer: at most 100 a minute plus a tenth of the first attempts',
  retry: 'retried because the gateway asked for it or failed: at most 100 a minute plus a tenth of the first attempts',
  rate: 'rate limit of the notification',
  due: 'next in the queue',
}

/** Waiting recipients by lane and cause. */
async function waitingOf(app: App, now: number) {
  const lanes = new Map((await app.gateways.lanes.list()).map((lane) => [lane.id, lane]))
  return (await app.vitals.waiting(now)).flatMap(({ laneId, ...one }) => {
    const lane = lanes.get(laneId)
    return lane && one.recipients > 0 ? [{ appId: lane.appId, platform: lane.platform, ...one }] : []
  })
}

/** The lanes that have a gateway: a lane stays after its gateway is removed. */
async function configuredLanes(app: App): Promise<Lane[]> {
  const lanes = await app.gateways.lanes.list()
  const apps = [...new Set(lanes.map(({ appId }) => appId))]
  const platforms = new Map(await Promise.all(apps.map(async (id) => [id, await app.gateways.platforms(id)] as const)))
  return lanes.filter(({ appId, platform }) => platforms.get(appId)!.includes(platform))
}
