import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class ChannelsList extends BaseCommand {
  static override summary = 'List the channels of an app in the order in which they were made'
  static override examples = [
    '<%= config.bin %> channels list',
    '<%= config.bin %> channels list 1 --limit 1000 --json',
  ]
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentChannel }, { shortTime }] = await Promise.all([
      import('../../../server/present/channels.ts'),
      import('../../output/present.ts'),
    ])
    const { channels, next } = await app.channels.list(id, { after: flags.after, limit: flags.limit })
    this.out.value({ channels: channels.map(presentChannel), next })
    showPage(
      this.out,
      ['ID', 'UUID', 'NAME', 'PORTAL', 'MADE BY', 'CREATED'],
      channels.map((one) => [
        one.id,
        one.uuid,
        one.name,
        one.showInPortal ? 'yes' : 'no',
        one.madeByDevice ? 'a device' : 'server',
        shortTime(one.createdAt),
      ]),
      {
        after: flags.after,
        next,
        things: 'channels',
        none: 'There are no channels yet: appsvc channels create makes one.',
      },
    )
  }
}
