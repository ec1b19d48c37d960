import { bannerArgs } from '../../input/args.ts'
import { deleteCommand } from '../../kinds/delete-command.ts'
import { printable } from '../../output/output.ts'

export const BannersDelete = deleteCommand({
  summary: 'Delete a banner',
  examples: ['appsvc banners delete --app 1 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed --yes'],
  args: bannerArgs,
  async find({ program, appId, args }) {
    const { uuid, design } = await program.banners.get(appId, args.uuid)
    return {
      what: `banner ${uuid} (${printable(design.labels.heading)})`,
      remove: (tx) => tx.banners.delete(appId, uuid),
      json: { uuid, deleted: true },
      done: `Banner ${uuid} is deleted.`,
    }
  },
})
