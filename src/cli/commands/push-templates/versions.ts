import { pushTemplateArgs } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const PushTemplatesVersions = listCommand({
  summary: 'List the versions of a push template that are kept',
  examples: ['appsvc push-templates versions --app 1 shipped'],
  args: pushTemplateArgs,
  things: 'versions',
  none: '',
  head: ['VERSION', 'CREATED'],
  async page({ program, appId, args, flags }) {
    const { presentPushTemplateVersionLine } = await import('../../../present/api/push-templates.ts')
    const { after, limit } = flags
    const { versions, next } = await program.pushTemplates.versions(appId, args.uid, { after, limit })
    const rows = versions.map((one) => [one.version, shortTime(one.createdAt)])
    return { json: { versions: versions.map(presentPushTemplateVersionLine) }, rows, next }
  },
})
