import { jsonFileFlag, promptArgs } from '../../input/args.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const PromptsCreate = appCommand({
  summary: 'Create a prompt, which asks on web pages for permission to send pushes',
  description: 'The file contains the type, the labels and the design. docs/gateways/web.md describes every field.',
  examples: [
    'appsvc prompts create --app 1 welcome --file prompt.json',
    `echo '{"type": "bell"}' | appsvc prompts create --app 1 bell --file -`,
  ],
  args: promptArgs,
  flags: { file: jsonFileFlag },
  read: ({ flags, io }) => readJsonFile(io, flags.file, '--file'),
  async work({ program, appId, args, input: file, out }) {
    const { presentPrompt } = await import('../../../present/device/web-config.ts')
    const prompt = await program.inTransaction((tx) => tx.prompts.create(appId, args.name, file))
    out.value(presentPrompt(prompt))
    out.fields({ prompt: prompt.name, kind: prompt.design.type })
    out.note(
      (await program.gateways.find(appId, 'web'))
        ? 'Browsers that already fetched the prompts fetch them again within an hour.'
        : 'Browsers show no prompts until the app has a web gateway. Create its keys with appsvc gateways set.',
    )
  },
})
