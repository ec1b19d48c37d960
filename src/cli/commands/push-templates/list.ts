import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const PushTemplatesList = listCommand({
  summary: 'List the push templates of an app',
  examples: ['appsvc push-templates list --app 1', 'appsvc push-templates list --app 1 --json'],
  args: { app: optionalAppArg },
  things: 'push templates',
  none: 'There are no push templates yet. Create one with appsvc push-templates create.',
  head: ['UID', 'NAME', 'VERSION', 'CHANGED'],
  async page({ program, appId, flags }) {
    const { presentPushTemplateLine } = await import('../../../present/api/push-templates.ts')
    const { templates, next } = await program.pushTemplates.list(appId, { after: flags.after, limit: flags.limit })
    const rows = templates.map((one) => [one.uid, printable(one.name), one.version, shortTime(one.updatedAt)])
    return { json: { pushTemplates: templates.map(presentPushTemplateLine) }, rows, next }
  },
})
