import { optionalAppArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'

export const BannersList = appCommand({
  summary: 'List the banners of an app',
  examples: ['appsvc banners list --app 1', 'appsvc banners list --app 1 --json'],
  args: { app: optionalAppArg },
  async work({ program, appId, out }) {
    const { presentBannerFile } = await import('../../../present/device/device-links.ts')
    const banners = await program.banners.list(appId)
    out.value({ banners: banners.map(presentBannerFile) })
    out.table(
      ['UUID', 'LINK', 'HEADING', 'POSITION', 'CHANGED'],
      banners.map(({ uuid, slug, design, updatedAt }) => [
        uuid,
        slug,
        printable(design.labels.heading),
        design.position,
        shortTime(updatedAt),
      ]),
      'There are no banners yet. Create one with appsvc banners create.',
    )
  },
})
