import { channelArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'

export const ChannelsDelete = deleteCommand({
  summary: 'Delete a channel and its subscriptions',
  examples: ['appsvc channels delete --app 1 news --yes'],
  args: channelArgs,
  async find({ program, appId, args }) {
    const { id, uuid } = await program.channels.get(appId, { uuid: args.uuid })
    const { installs, users } = await program.channels.counts(appId, id)
    const subscribers = `${countOf(users, 'subscribed user')} and ${countOf(installs, 'subscribed install')}`
    return {
      what: `channel ${printable(uuid)} with ${subscribers}`,
      remove: (tx) => tx.channels.delete(appId, id),
      json: { id, uuid, deleted: true },
      done: `Channel ${printable(uuid)} is deleted.`,
    }
  },
})
