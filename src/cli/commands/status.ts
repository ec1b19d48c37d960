import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import type { WaitCause } from '../../domain/notifications/report/vitals.repository.ts'
import { BaseCommand } from '../kinds/base.ts'
import { countOf } from '../output/plural.ts'
import { isServed } from '../state/served.ts'

/** Open notifications are counted up to this number. */
const MAX_COUNTED = 10_000

export class Status extends BaseCommand {
  static override summary =
    'Show the state of the server, its faults, its lanes, its open notifications and who reads the event log'
  static override examples = ['appsvc status', 'appsvc status --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(Status)
    const app = await this.open(flags)
    const { isoOffset, ZONE_RULES } = await import('../../platform/clock.ts')
    const { shortTime } = await import('../output/present.ts')
    const { faultsOf } = await import('../state/faults.ts')
    const { holdOf } = await import('../state/hold.ts')
    const { logReadersOf } = await import('../state/log-readers.ts')
    const { stateOfWebhook } = await import('../../server/present/webhooks.ts')
    const now = app.kernel.clock.now()
    const served = await isServed(app)
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
    const inApp = (await app.inAppWalks.due(now, MAX_COUNTED + 1)).length
    const waiting = await waitingOf(app, now)
    const { followers, webhooks } = await logReadersOf(app, now)
    const held = (until: number) => until > now
    const { db, config } = app.kernel
    const dataDir = resolve(config.dataDir)
    this.out.value({
      running: served ?? null,
      database: db.kind,
      dataDir,
      apps: apps.length,
      unfinishedNotifications: unfinished,
      dueInAppMessages: inApp,
      held: hold ? { since: hold.since === null ? null : isoOffset(hold.since), reason: hold.reason } : null,
      faults: faults.map(({ kind, about, sentence, since }) => ({
        kind,
        ...(about !== '' && { about }),
        sentence,
        since: isoOffset(since),
      })),
      disk: space ? { freeBytes: space.free, lowWaterBytes: space.mark } : null,
      timeZones: ZONE_RULES,
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
      server:
        served === undefined
          ? 'unknown (on PostgreSQL, query /readyz)'
          : served
            ? 'running'
            : 'not running (start it with appsvc serve)',
      database: db.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL',
      'data directory': dataDir,
      apps: apps.length,
      'in progress':
        unfinished > MAX_COUNTED ? `more than ${MAX_COUNTED} notifications` : countOf(unfinished, 'notification'),
      'time zone rules': ZONE_RULES,
      ...(space && { 'free space': `${Math.floor(space.free / 2 ** 20)} MiB` }),
      ...(inApp > 0 && { 'in-app messages due': inApp > MAX_COUNTED ? `more than ${MAX_COUNTED}` : inApp }),
    })
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
      emptyReason({ isHeld: hold !== undefined, unfinished }),
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

/** How far somebody is behind the end of the log; whole seconds are enough. */
const behind = (seconds: number) => `${Math.round(seconds)} s`

/**
 * Printed instead of an empty table. Recipients are known only once the fan-out of their notification has reached them.
 */
function emptyReason({ isHeld, unfinished }: { isHeld: boolean; unfinished: number }): string {
  if (isHeld) return 'Nothing is sent until appsvc release, which lists what is waiting and asks.'
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
