import { resolve } from 'node:path'
import { BaseCommand } from '../base.ts'
import { isServed } from '../served.ts'

/** The command counts open notifications up to here. */
const MOST_COUNTED = 10_000

export class Status extends BaseCommand {
  static override summary = 'Show what is going on: server, lanes that wait, notifications under way'
  static override examples = ['<%= config.bin %> status', '<%= config.bin %> status --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(Status)
    const app = await this.open(flags)
    const { isoOffset } = await import('../../platform/clock.ts')
    const { shortTime } = await import('../present.ts')
    const now = app.kernel.clock.now()
    const served = await isServed(app)
    const apps = await app.apps.list()
    const lanes = await app.gateways.lanes.list()
    const unfinished = (await app.ledger.unfinished(0, MOST_COUNTED + 1)).length
    const held = (until: number) => until > now
    const { db, config } = app.kernel
    const dataDir = resolve(config.dataDir)
    this.out.value({
      running: served ?? null,
      database: db.kind,
      dataDir,
      apps: apps.length,
      unfinishedNotifications: unfinished,
      lanes: lanes.map(({ appId, platform, heldUntil, holdKind, holdReason, holds }) => ({
        appId,
        platform,
        held: held(heldUntil),
        ...(held(heldUntil) && { until: isoOffset(heldUntil), kind: holdKind, reason: holdReason, holds }),
      })),
    })
    this.out.fields({
      server:
        served === undefined
          ? 'unknown (PostgreSQL: ask /readyz)'
          : served
            ? 'running'
            : 'not running: appsvc serve starts it',
      database: db.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL',
      'data directory': dataDir,
      apps: apps.length,
      'under way':
        unfinished > MOST_COUNTED ? `more than ${MOST_COUNTED} notifications` : `${unfinished} notifications`,
    })
    this.out.line()
    this.out.table(
      ['APP', 'GATEWAY', 'STATE', 'UNTIL', 'WHY'],
      lanes.map((lane) =>
        held(lane.heldUntil)
          ? [lane.appId, lane.platform, lane.holdKind, shortTime(lane.heldUntil), lane.holdReason]
          : [lane.appId, lane.platform, 'open', null, null],
      ),
      'No gateway is configured yet.',
    )
  }
}
