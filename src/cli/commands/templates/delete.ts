import { templateArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const TemplatesDelete = deleteCommand({
  summary: 'Delete a template with all its versions; messages created from it are kept',
  examples: ['appsvc templates delete --app 1 welcome --yes'],
  args: templateArgs,
  async find({ program, appId, args }) {
    const { uid, name, version } = await program.templates.find(appId, args.uid)
    const versions = version === 1 ? 'its only version' : `its ${version} versions`
    return {
      what: `template ${uid} (${printable(name)}) with ${versions}`,
      remove: (tx) => tx.templates.delete(appId, uid),
      json: { uid, deleted: true },
      done: `Template ${uid} is deleted.`,
    }
  },
})
