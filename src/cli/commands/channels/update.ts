import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { channelArgs } from '../../input/args.ts'
import { channelFields, channelFlags, clearFlags } from '../../input/channel.ts'
import { checked } from '../../input/checked.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const ChannelsUpdate = appCommand({
  summary: 'Change a channel; anything not given is kept',
  examples: [
    'appsvc channels update --app 1 news --name "Daily news"',
    'appsvc channels update --app 1 news --no-name --no-show-in-portal',
  ],
  args: channelArgs,
  flags: {
    ...channelFlags,
    ...clearFlags,
    uuid: Flags.string({ helpValue: 'UUID', description: 'new UUID' }),
  },
  async read({ flags, io }) {
    const { updateChannel } = await import('../../../domain/channels/schema.ts')
    const given = {
      ...(await channelFields(io, flags)),
      ...(flags.uuid !== undefined && { uuid: flags.uuid }),
    }
    if (Object.keys(given).length === 0)
      throw new AppError('usage', 'nothing to change: give a flag, for example --name')
    return checked(updateChannel, given)
  },
  async work({ program, appId, args, input: change, out }) {
    const { presentChannel } = await import('../../../present/api/channels.ts')
    const channel = await program.inTransaction(async (tx) => {
      const found = await tx.channels.get(appId, { uuid: args.uuid })
      return tx.channels.update(appId, found.id, change)
    })
    out.value(presentChannel(channel))
    out.fields({ id: channel.id, uuid: channel.uuid, name: channel.name })
  },
})
