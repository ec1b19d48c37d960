import { promptArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'

export const PromptsDelete = deleteCommand({
  summary: 'Delete a prompt',
  examples: ['appsvc prompts delete --app 1 welcome --yes'],
  args: promptArgs,
  async find({ program, appId, args }) {
    const { name, design } = await program.prompts.get(appId, args.name)
    return {
      what: `prompt ${name} (${design.type})`,
      remove: (tx) => tx.prompts.delete(appId, name),
      json: { name, deleted: true },
      done: `Prompt ${name} is deleted.`,
    }
  },
})
