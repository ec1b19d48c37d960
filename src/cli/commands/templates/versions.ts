import { templateArgs } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const TemplatesVersions = listCommand({
  summary: 'List the versions of a template',
  examples: ['appsvc templates versions --app 1 welcome'],
  args: templateArgs,
  things: 'versions',
  none: '',
  head: ['VERSION', 'CREATED'],
  async page({ program, appId, args, flags }) {
    const { presentVersionLine } = await import('../../../present/api/templates.ts')
    const { after, limit } = flags
    const { versions, next } = await program.templates.versions(appId, args.uid, { after, limit })
    const rows = versions.map((one) => [one.version, shortTime(one.createdAt)])
    return { json: { versions: versions.map(presentVersionLine) }, rows, next }
  },
})
