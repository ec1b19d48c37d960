import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { shortTime } from '../../output/present.ts'

export const LinksList = listCommand({
  summary: 'List the deep links of an app with their counts, oldest first',
  examples: ['appsvc links list', 'appsvc links list --app 1 --limit 1000 --json'],
  args: { app: optionalAppArg },
  things: 'deep links',
  none: 'There are no deep links yet. Create one with appsvc links create.',
  head: ['ID', 'LINK', 'STATE', 'CLICKS', 'APP OPENS', 'LIMIT', 'EXPIRES'],
  async page({ program, appId, flags }) {
    const { presentLink } = await import('../../../present/api/links.ts')
    const place = await program.links.place(appId)
    const { links, next } = await program.links.list(appId, { after: flags.after, limit: flags.limit })
    const now = program.kernel.clock.now()
    const shown = links.map((link) => presentLink(link, program.links.urlOf(place, link.slug), now))
    const rows = shown.map(({ url, state }, i) => {
      const { id, clicks, lookups, lookupLimit, expiresAt } = links[i]!
      return [id, url, state, clicks, lookups, lookupLimit, expiresAt === null ? null : shortTime(expiresAt)]
    })
    return { json: { deepLinks: shown }, rows, next }
  },
})
