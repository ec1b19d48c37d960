import { chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { pageFlags, showPage } from '../../kinds/pages.ts'

export class LinksList extends BaseCommand {
  static override summary = 'List the deep links of an app in the order in which they were made, with their counts'
  static override examples = ['<%= config.bin %> links list', '<%= config.bin %> links list 1 --limit 1000 --json']
  static override args = { app: textArg({ description: 'id or name; not needed while there is only one app' }) }
  static override flags = pageFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentLink }, { shortTime }] = await Promise.all([
      import('../../../server/present/links.ts'),
      import('../../output/present.ts'),
    ])
    const site = await app.links.site(id)
    const { links, next } = await app.links.list(id, { after: flags.after, limit: flags.limit })
    const now = app.kernel.clock.now()
    const shown = links.map((link) => presentLink(link, app.links.urlOf(site, link.slug), now))
    this.out.value({ deepLinks: shown, next })
    showPage(
      this.out,
      ['ID', 'ADDRESS', 'STATE', 'CLICKS', 'MATCHES', 'LIMIT', 'EXPIRES'],
      shown.map(({ url, state }, i) => {
        const { id: linkId, clicks, lookups, lookupLimit, expiresAt } = links[i]!
        return [linkId, url, state, clicks, lookups, lookupLimit, expiresAt === null ? null : shortTime(expiresAt)]
      }),
      {
        after: flags.after,
        next,
        things: 'deep links',
        none: 'There are no deep links yet: appsvc links create makes one.',
      },
    )
  }
}
