import { linkArgs } from '../../input/args.ts'
import { chooseLink, limitsOf } from '../../input/link.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const LinksShow = appCommand({
  summary: 'Show a deep link with its number of clicks and app opens',
  examples: ['appsvc links show --app 1 offer', 'appsvc links show --app 1 7 --json'],
  args: linkArgs,
  async work({ program, appId, args, out }) {
    const { presentLink } = await import('../../../present/api/links.ts')
    const place = await program.links.place(appId)
    const link = await chooseLink(program, place, args.link)
    const shown = presentLink(link, program.links.urlOf(place, link.slug), program.kernel.clock.now())
    out.value(shown)
    out.fields({
      id: link.id,
      link: shown.url,
      state: shown.state,
      clicks: link.clicks,
      ...limitsOf(link),
      title: link.content.title,
      description: link.content.description,
      picture: link.pictureUrl ?? undefined,
      desktop: link.desktopWebFallbackUrl,
      mobile: link.mobileWebFallbackUrl,
      created: shortTime(link.createdAt),
    })
    out.line(`link data  ${printable(JSON.stringify(link.linkData))}`)
    if (link.reportingMeta) out.line(`reporting meta  ${printable(JSON.stringify(link.reportingMeta))}`)
  },
})
