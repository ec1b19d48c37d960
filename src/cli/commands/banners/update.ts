import { bannerArgs, jsonFileFlag } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { readJsonFile } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'

export const BannersUpdate = appCommand({
  summary: 'Change a banner: the parts in the file replace the stored ones, all others are kept',
  examples: [
    `echo '{"position": "top"}' | appsvc banners update --app 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --file -`,
  ],
  args: bannerArgs,
  flags: { file: jsonFileFlag },
  async read({ flags, io }) {
    const { bannerChange, updateBanner } = await import('../../../domain/links/banners/schema.ts')
    return bannerChange(await checked(updateBanner, await readJsonFile(io, flags.file, '--file')))
  },
  async work({ program, appId, args, input: change, out }) {
    const { presentBannerFile } = await import('../../../present/device/device-links.ts')
    const banner = await program.inTransaction((tx) => tx.banners.update(appId, args.uuid, change))
    out.value(presentBannerFile(banner))
    out.line(`Banner ${banner.uuid} is changed.`)
  },
})
