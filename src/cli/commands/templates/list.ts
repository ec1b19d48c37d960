import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const TemplatesList = listCommand({
  summary: 'List the templates of an app',
  examples: ['appsvc templates list --app 1', 'appsvc templates list --app 1 --json'],
  args: { app: optionalAppArg },
  things: 'templates',
  none: 'There are no templates yet. Create one with appsvc templates create; appsvc templates starters lists built-in ones.',
  head: ['UID', 'NAME', 'VERSION', 'CHANGED'],
  async page({ program, appId, flags }) {
    const { presentTemplate } = await import('../../../present/api/templates.ts')
    const { templates, next } = await program.templates.list(appId, { after: flags.after, limit: flags.limit })
    const rows = templates.map((one) => [one.uid, printable(one.name), one.version, shortTime(one.updatedAt)])
    return { json: { templates: templates.map(presentTemplate) }, rows, next }
  },
})
