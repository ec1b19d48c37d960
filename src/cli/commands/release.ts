import { Flags } from '@oclif/core'
import type { Program } from '../../program.ts'
import { BaseCommand } from '../kinds/base.ts'

/** Erases, before anything is sent, the people who were erased after the restored backup was made. */
async function eraseAgain(program: Program): Promise<void> {
  const [{ restoreErasures, runErasures }, { erasuresFile }] = await Promise.all([
    import('../../domain/erasures/run.ts'),
    import('../../domain/erasures/list-file.ts'),
  ])
  const { inTransaction } = program
  const { clock, db, config } = program.kernel
  const parts = { program, inTransaction, clock, db, file: erasuresFile(config.dataDir) }
  if ((await restoreErasures(parts)) > 0) await runErasures(parts)
}

/** Maximum number of waiting notifications listed. */
const MAX_LISTED = 20
/** The number up to which in-app messages are counted. */
const MAX_COUNTED = 10_000

export class Release extends BaseCommand {
  static override summary = 'Resume sending from a database that is held because it was restored or copied'
  static override description =
    'Lists what is waiting before it asks. Everything sent after the backup was made is waiting again and is sent a second time unless you ' +
    'cancel it (schedules cancel, in-app withdraw, DELETE of a notification). A running server resumes within seconds.'
  static override examples = ['appsvc release', 'appsvc release --yes --json']
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation prompt' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(Release)
    const program = await this.open(flags)
    const [{ holdOf }, { isServed }, { custodyOf }, { shortTime }, { isoOffset }] = await Promise.all([
      import('../../doctor/state/hold.ts'),
      import('../../doctor/state/served.ts'),
      import('../../open.ts'),
      import('../output/present.ts'),
      import('../../platform/time/clock.ts'),
    ])
    const hold = await holdOf(program)
    const waiting = await program.vitals.openNotifications(MAX_LISTED)
    const open = await program.vitals.open()
    const notifications = open.reduce((sum, { count }) => sum + count, 0)
    const inAppMessages = (await program.inAppWalks.openIds(MAX_COUNTED)).length
    if (!hold) {
      this.out.value({ released: false, held: false, waiting: { notifications, inAppMessages } })
      this.out.line('The database is not held: sending is on.')
      return
    }
    this.out.fields({
      held: hold.reason,
      'waiting notifications': notifications,
      'waiting in-app messages': inAppMessages,
    })
    if (waiting.length > 0) {
      this.out.line()
      this.out.table(
        ['NOTIFICATION', 'APP', 'STATE', 'CREATED', 'NEXT'],
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
    await this.out.confirm('Send all of these when they are due?', flags.yes)
    await eraseAgain(program)
    // Without a running server the marks are renewed here, so that the next start does not hold the database again.
    const own = program.kernel.db.kind === 'postgres' || (await isServed(program)) === false
    await custodyOf(program).release(own)
    this.out.value({
      released: true,
      held: false,
      reason: hold.reason,
      heldSince: hold.since === null ? null : isoOffset(hold.since),
      waiting: { notifications, inAppMessages },
    })
    this.out.line('Released: everything due is being sent.')
  }
}
