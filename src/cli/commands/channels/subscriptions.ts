import { Flags } from '@oclif/core'
import { channelArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { pageFlags, showPage } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'

export const ChannelsSubscriptions = appCommand({
  summary: 'List the subscriptions to a channel: users first, then installs',
  examples: [
    'appsvc channels subscriptions --app 1 news',
    'appsvc channels subscriptions --app 1 news --limit 1000 --json',
  ],
  args: channelArgs,
  flags: {
    ...pageFlags(),
    after: Flags.string({ helpValue: 'NEXT', description: 'continue after the previous page, given its "next"' }),
  },
  async work({ program, appId, args, flags, out }) {
    const { presentSubscription } = await import('../../../present/api/channels.ts')
    const { id } = await program.channels.get(appId, { uuid: args.uuid })
    const { after, limit } = flags
    const { subscriptions, next } = await program.subscriptions.list(appId, id, { after, limit })
    out.value({ subscriptions: subscriptions.map(presentSubscription), next })
    showPage(
      out,
      ['USER', 'INSTALL', 'SUBSCRIBED'],
      subscriptions.map(({ userId, installId, subscribed }) => [
        printable(userId),
        installId === null ? 'all of them' : printable(installId),
        subscribed ? 'yes' : 'opted out',
      ]),
      { after, next, things: 'subscriptions', none: 'Nobody is subscribed to this channel.' },
    )
  },
})
