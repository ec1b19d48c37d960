import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const ChannelsList = listCommand({
  summary: 'List the channels of an app, oldest first',
  examples: ['appsvc channels list', 'appsvc channels list --app 1 --limit 1000 --json'],
  args: { app: optionalAppArg },
  things: 'channels',
  none: 'There are no channels yet. Create one with appsvc channels create.',
  head: ['ID', 'UUID', 'NAME', 'WHEN COMPOSING', 'CREATED BY', 'CREATED'],
  async page({ program, appId, flags }) {
    const { presentChannel } = await import('../../../present/api/channels.ts')
    const { channels, next } = await program.channels.list(appId, { after: flags.after, limit: flags.limit })
    const rows = channels.map((one) => [
      one.id,
      one.uuid,
      one.name,
      one.showInPortal ? 'offered' : 'not offered',
      one.madeByDevice ? 'a device' : 'server',
      shortTime(one.createdAt),
    ])
    return { json: { channels: channels.map(presentChannel) }, rows, next }
  },
})
