import { pushTemplateArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const PushTemplatesDelete = deleteCommand({
  summary: 'Delete a push template with all its versions; what was sent or is scheduled keeps its content',
  examples: ['appsvc push-templates delete --app 1 shipped --yes'],
  args: pushTemplateArgs,
  async find({ program, appId, args }) {
    const { uid, name } = await program.pushTemplates.find(appId, args.uid)
    return {
      what: `push template ${uid} (${printable(name)}) with its versions`,
      remove: (tx) => tx.pushTemplates.delete(appId, uid),
      json: { uid, deleted: true },
      done: `Push template ${uid} is deleted.`,
    }
  },
})
