import { chooseApp } from '../../input/app.ts'
import { chooseLink, linkArgs } from '../../input/link.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class LinksShow extends BaseCommand {
  static override summary = 'Show a deep link, how often it was followed and how often the app got its data'
  static override examples = ['<%= config.bin %> links show 1 offer', '<%= config.bin %> links show 1 7 --json']
  static override args = linkArgs

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksShow)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const [{ presentLink }, { shortTime }] = await Promise.all([
      import('../../../server/present/links.ts'),
      import('../../output/present.ts'),
    ])
    const site = await app.links.site(id)
    const link = await chooseLink(app, site, args.link)
    const shown = presentLink(link, app.links.urlOf(site, link.slug), app.kernel.clock.now())
    this.out.value(shown)
    this.out.fields({
      id: link.id,
      address: shown.url,
      state: shown.state,
      clicks: link.clicks,
      matches: link.lookupLimit === null ? link.lookups : `${link.lookups} of ${link.lookupLimit}`,
      expires: link.expiresAt === null ? 'never' : shortTime(link.expiresAt),
      title: link.content.title,
      description: link.content.description,
      desktop: link.desktopWebFallbackUrl,
      mobile: link.mobileWebFallbackUrl,
      created: shortTime(link.createdAt),
    })
    this.out.line(`link data  ${printable(JSON.stringify(link.linkData))}`)
    if (link.reportingMeta) this.out.line(`reporting meta  ${printable(JSON.stringify(link.reportingMeta))}`)
  }
}
