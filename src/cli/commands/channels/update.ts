import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { channelArgs, channelFields, channelFlags } from '../../input/channel.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class ChannelsUpdate extends BaseCommand {
  static override summary = 'Change a channel; what is not named stays'
  static override examples = [
    '<%= config.bin %> channels update 1 news --name "Daily news"',
    '<%= config.bin %> channels update 1 news --no-name --no-show-in-portal',
  ]
  static override args = channelArgs
  static override flags = {
    ...channelFlags,
    uuid: Flags.string({ helpValue: 'UUID', description: 'another uuid' }),
    'no-name': Flags.boolean({ exclusive: ['name'], description: 'take the name away: the channel becomes private' }),
    'no-meta': Flags.boolean({ exclusive: ['meta-file'], description: 'take the metadata away' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsUpdate)
    const [{ updateChannel }, { parseJson }, { presentChannel }] = await Promise.all([
      import('../../../domain/channels/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/channels.ts'),
    ])
    const given = {
      ...(await channelFields(this.io, flags)),
      ...(flags.uuid !== undefined && { uuid: flags.uuid }),
      ...(flags['no-name'] && { name: null }),
      ...(flags['no-meta'] && { meta: null }),
    }
    if (Object.keys(given).length === 0) throw new AppError('usage', 'say what to change, for example --name')
    const change = parseJson(updateChannel, given)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const channel = await app.inTransaction(async (tx) => {
      const found = await tx.channels.get(id, { uuid: args.uuid })
      return tx.channels.update(id, found.id, change)
    })
    this.out.value(presentChannel(channel))
    this.out.fields({ id: channel.id, uuid: channel.uuid, name: channel.name })
  }
}
