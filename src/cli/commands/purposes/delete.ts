import { purposeArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const PurposesDelete = deleteCommand({
  summary: 'Delete a purpose that no unfinished send names, and what users chose for it',
  examples: ['appsvc purposes delete --app 1 news', 'appsvc purposes delete --app 1 news --yes'],
  args: purposeArgs,
  async find({ program, appId, args }) {
    const { uid, name } = await program.purposes.get(appId, args.purpose)
    return {
      what: `purpose ${uid} (${printable(name)}) and what users chose for it`,
      remove: (tx) => tx.purposes.delete(appId, uid),
      json: { uid, deleted: true },
      done: `Purpose ${uid} is deleted.`,
    }
  },
})
