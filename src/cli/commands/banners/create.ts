import { appArg, jsonFileFlag } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const BannersCreate = appCommand({
  summary: 'Create a banner that leads from web pages to the app',
  description: 'The file contains the slug of a link, the labels and the design. docs/links.md describes every field.',
  examples: [
    'appsvc banners create --app 1 --file banner.json',
    `echo '{"link": "spring", "labels": {"heading": "Better in the app", "body": "All of it, offline too", "acceptAction": "Get it", "declineAction": "Not now"}}' | appsvc banners create --app 1 --file -`,
  ],
  args: { app: appArg },
  flags: { file: jsonFileFlag },
  async read({ flags, io }) {
    const { createBanner, newBanner } = await import('../../../domain/links/banners/schema.ts')
    return newBanner(await checked(createBanner, await readJsonFile(io, flags.file, '--file')))
  },
  async work({ program, appId, input, out }) {
    const { presentBannerFile } = await import('../../../present/device/device-links.ts')
    const banner = await program.inTransaction((tx) => tx.banners.create(appId, input))
    out.value(presentBannerFile(banner))
    out.fields({ banner: banner.uuid, link: banner.slug })
    out.note('Browsers that already fetched the banners fetch them again within an hour.')
  },
})
