import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class CheckinsList extends BaseCommand {
  static override summary = 'List who checked in where, newest first; with --json also how to reach them'
  static override examples = [
    '<%= config.bin %> checkins list',
    '<%= config.bin %> checkins list 1 --limit 1000 --json',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CheckinsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentCheckin }, { shortTime }] = await Promise.all([
      import('../../../server/present/checkins.ts'),
      import('../../output/present.ts'),
    ])
    const { checkins, next } = await app.checkins.list(id, flags.after, flags.limit)
    this.out.value({
      checkins: checkins.map((one) => ({ ...presentCheckin(one), userIdentifier: one.userIdentifier })),
      next,
    })
    showPage(
      this.out,
      ['ID', 'LOCATION', 'USER', 'PEOPLE', 'IN', 'OUT', 'NAMES'],
      checkins.map((one) => [
        one.id,
        one.location,
        one.userIdentifier,
        one.partySize,
        shortTime(one.checkedInAt),
        shortTime(one.checkedOutAt),
        one.contacts.map(({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ')).join(', '),
      ]),
      { after: flags.after, next, things: 'check-ins', none: 'There are no check-ins.' },
    )
  }
}
