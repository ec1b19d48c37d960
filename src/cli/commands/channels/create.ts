import { chooseApp } from '../../input/app.ts'
import { channelArgs, channelFields, channelFlags } from '../../input/channel.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class ChannelsCreate extends BaseCommand {
  static override summary = 'Make a channel'
  static override examples = [
    '<%= config.bin %> channels create 1 news --name "News of the week" --show-in-portal',
    '<%= config.bin %> channels create 1 testers',
  ]
  static override args = channelArgs
  static override flags = channelFlags

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsCreate)
    const [{ createChannel }, { parseJson }, { presentChannel }] = await Promise.all([
      import('../../../domain/channels/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/channels.ts'),
    ])
    const input = parseJson(createChannel, { uuid: args.uuid, ...(await channelFields(this.io, flags)) })
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const channel = await app.inTransaction((tx) => tx.channels.create(id, input))
    this.out.value(presentChannel(channel))
    this.out.fields({ id: channel.id, uuid: channel.uuid, name: channel.name })
  }
}
