import { Flags } from '@oclif/core'
import { BaseCommand } from '../kinds/base.ts'

/** So many of what waits are listed. */
const MOST_LISTED = 20
/** The command counts up to here. */
const MOST_COUNTED = 10_000

export class Release extends BaseCommand {
  static override summary = 'Send again from a database that is held because it was restored or copied'
  static override description =
    'Shows what waits first: what was sent since the backup was made waits there again, and goes out a second time unless it is ' +
    'cancelled (schedules cancel, in-app withdraw, DELETE of a notification). Works beside a running server, which begins within seconds.'
  static override examples = ['<%= config.bin %> release', '<%= config.bin %> release --yes --json']
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(Release)
    const app = await this.open(flags)
    const [{ holdOf }, { isServed }, { custodyOf }, { shortTime }, { isoOffset }] = await Promise.all([
      import('../state/hold.ts'),
      import('../state/served.ts'),
      import('../../open.ts'),
      import('../output/present.ts'),
      import('../../platform/clock.ts'),
    ])
    const hold = await holdOf(app)
    const waiting = await app.vitals.openNotifications(MOST_LISTED)
    const open = await app.vitals.open()
    const notifications = open.reduce((sum, { count }) => sum + count, 0)
    const inAppMessages = (await app.inAppWalks.openIds(MOST_COUNTED)).length
    if (!hold) {
      this.out.value({ released: false, held: false, waiting: { notifications, inAppMessages } })
      this.out.line('Nothing is held: sending is on.')
      return
    }
    this.out.fields({
      held: hold.reason,
      'notifications that wait': notifications,
      'in-app messages that wait': inAppMessages,
    })
    if (waiting.length > 0) {
      this.out.line()
      this.out.table(
        ['NOTIFICATION', 'APP', 'STATUS', 'ACCEPTED', 'NEXT'],
        waiting.map(({ id, appId, status, createdAt, nextAt }) => [
          id,
          appId,
          status,
          shortTime(createdAt),
          nextAt === null ? null : shortTime(nextAt),
        ]),
        '',
      )
      if (notifications > waiting.length) this.out.line(`and ${notifications - waiting.length} more`)
    }
    await this.out.confirm('Send all of it as it becomes due?', flags.yes)
    // Where nobody serves the database its marks are renewed here, so that the next start does not hold it again.
    const own = app.kernel.db.kind === 'postgres' || (await isServed(app)) === false
    await custodyOf(app).release(own)
    this.out.value({
      released: true,
      held: false,
      reason: hold.reason,
      heldSince: hold.since === null ? null : isoOffset(hold.since),
      waiting: { notifications, inAppMessages },
    })
    this.out.line('Released: what is due is sent.')
  }
}
