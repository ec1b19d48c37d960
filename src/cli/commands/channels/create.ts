import { channelArgs } from '../../input/args.ts'
import { channelFields, channelFlags } from '../../input/channel.ts'
import { checked } from '../../input/checked.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const ChannelsCreate = appCommand({
  summary: 'Create a channel',
  examples: [
    'appsvc channels create --app 1 news --name "News of the week" --show-in-portal',
    'appsvc channels create --app 1 testers',
  ],
  args: channelArgs,
  flags: channelFlags,
  async read({ args, flags, io }) {
    const { createChannel } = await import('../../../domain/channels/schema.ts')
    return checked(createChannel, { uuid: args.uuid, ...(await channelFields(io, flags)) })
  },
  async work({ program, appId, input, out }) {
    const { presentChannel } = await import('../../../present/api/channels.ts')
    const channel = await program.inTransaction((tx) => tx.channels.create(appId, input))
    out.value(presentChannel(channel))
    out.fields({ id: channel.id, uuid: channel.uuid, name: channel.name })
  },
})
