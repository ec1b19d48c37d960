import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const PromptsList = appCommand({
  summary: 'List the prompts of an app',
  examples: ['appsvc prompts list --app 1', 'appsvc prompts list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentPrompt } = await import('../../../present/device/web-config.ts')
    const prompts = await program.prompts.list(appId)
    out.value({ prompts: prompts.map(presentPrompt) })
    out.table(
      ['NAME', 'KIND', 'POSITION', 'AFTER EVENT', 'CHANGED'],
      prompts.map(({ name, design, updatedAt }) => [
        name,
        design.type,
        design.position,
        printable(design.trigger.event),
        shortTime(updatedAt),
      ]),
      'There are no prompts yet. Create one with appsvc prompts create.',
    )
  },
})
