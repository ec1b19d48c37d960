import { channelArgs } from '../../input/args.ts'
import { shownFields } from '../../input/channel.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const ChannelsShow = appCommand({
  summary: 'Show a channel and its number of subscribers',
  examples: ['appsvc channels show --app 1 news'],
  args: channelArgs,
  async work({ program, appId, args, out }) {
    const { presentChannel } = await import('../../../present/api/channels.ts')
    const channel = await program.channels.get(appId, { uuid: args.uuid })
    const subscribers = await program.channels.counts(appId, channel.id)
    out.value({ ...presentChannel(channel), subscribers })
    out.fields({
      id: channel.id,
      uuid: channel.uuid,
      ...shownFields(channel),
      'created by': channel.madeByDevice ? 'a device (see appsvc apps restrain --device-channels)' : 'server',
      created: shortTime(channel.createdAt),
      changed: shortTime(channel.updatedAt),
      users: subscribers.users,
      installs: subscribers.installs,
      'opted out': subscribers.optedOut,
    })
    if (channel.meta !== null) out.line(`meta  ${printable(JSON.stringify(channel.meta))}`)
  },
})
