import { chooseApp } from '../../input/app.ts'
import { channelArgs } from '../../input/channel.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class ChannelsShow extends BaseCommand {
  static override summary = 'Show a channel and how many installs and users are subscribed to it'
  static override examples = ['<%= config.bin %> channels show 1 news']
  static override args = channelArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentChannel }, { shortTime }] = await Promise.all([
      import('../../../server/present/channels.ts'),
      import('../../output/present.ts'),
    ])
    const channel = await app.channels.get(id, { uuid: args.uuid })
    const subscribers = await app.channels.counts(id, channel.id)
    this.out.value({ ...presentChannel(channel), subscribers })
    this.out.fields({
      id: channel.id,
      uuid: channel.uuid,
      name: channel.name ?? 'none: it is private, only its subscribers see it',
      'made by': channel.madeByDevice ? 'a device: see appsvc apps restrain --device-channels' : 'server',
      'in the portal': channel.showInPortal ? 'yes' : 'no',
      created: shortTime(channel.createdAt),
      updated: shortTime(channel.updatedAt),
      users: subscribers.users,
      installs: subscribers.installs,
      'opted out': subscribers.optedOut,
    })
    if (channel.meta !== null) this.out.line(`meta  ${printable(JSON.stringify(channel.meta))}`)
  }
}
