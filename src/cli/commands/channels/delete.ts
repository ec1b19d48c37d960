import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { channelArgs } from '../../input/channel.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'

export class ChannelsDelete extends BaseCommand {
  static override summary = 'Delete a channel with its subscriptions'
  static override examples = ['<%= config.bin %> channels delete 1 news --yes']
  static override args = channelArgs
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsDelete)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const channel = await app.channels.get(id, { uuid: args.uuid })
    const { installs, users } = await app.channels.counts(id, channel.id)
    await this.out.confirm(
      `Delete channel ${printable(channel.uuid)} with ${countOf(users, 'user')} and ${countOf(installs, 'install')} subscribed to it?`,
      flags.yes,
    )
    await app.inTransaction((tx) => tx.channels.delete(id, channel.id))
    this.out.value({ id: channel.id, uuid: channel.uuid, deleted: true })
    this.out.line(`Channel ${printable(channel.uuid)} is deleted.`)
  }
}
