import { promptArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { shortTime } from '../../output/present.ts'

export const PromptsShow = appCommand({
  summary: 'Show a prompt, including default values',
  examples: ['appsvc prompts show --app 1 welcome'],
  args: promptArgs,
  async work({ program, appId, args, out }) {
    const { presentPrompt } = await import('../../../present/device/web-config.ts')
    const prompt = await program.prompts.get(appId, args.name)
    const { name, uuid, ...design } = presentPrompt(prompt)
    out.value({ name, uuid, ...design })
    out.fields({ prompt: name, uuid, created: shortTime(prompt.createdAt), changed: shortTime(prompt.updatedAt) })
    out.line()
    out.document(design)
  },
})
