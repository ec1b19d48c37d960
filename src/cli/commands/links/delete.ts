import { linkArgs } from '../../input/args.ts'
import { chooseLink } from '../../input/link.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const LinksDelete = deleteCommand({
  summary: 'Delete a deep link; its address answers as an unknown one, and its slug is free',
  examples: ['appsvc links delete --app 1 offer --yes'],
  args: linkArgs,
  async find({ program, appId, args }) {
    const place = await program.links.place(appId)
    const { id, slug } = await chooseLink(program, place, args.link)
    const url = program.links.urlOf(place, slug)
    return {
      what: `deep link ${printable(url)}`,
      remove: (tx) => tx.links.delete(appId, id),
      json: { id, slug, deleted: true },
      done: `Deep link ${printable(url)} is deleted.`,
    }
  },
})
