import { jsonFileFlag, promptArgs } from '../../input/args.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const PromptsUpdate = appCommand({
  summary: 'Change a prompt: the parts in the file replace the stored ones, and null removes one',
  examples: [`echo '{"trigger": {"event": "cartFilled"}}' | appsvc prompts update --app 1 welcome --file -`],
  args: promptArgs,
  flags: { file: jsonFileFlag },
  read: ({ flags, io }) => readJsonFile(io, flags.file, '--file'),
  async work({ program, appId, args, input: change, out }) {
    const { presentPrompt } = await import('../../../present/device/web-config.ts')
    const prompt = await program.inTransaction((tx) => tx.prompts.update(appId, args.name, change))
    out.value(presentPrompt(prompt))
    out.line(`Prompt ${prompt.name} is changed.`)
  },
})
