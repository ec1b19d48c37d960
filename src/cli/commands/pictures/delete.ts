import { Flags } from '@oclif/core'
import { pictureArgs, yesFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'

export const PicturesDelete = appCommand({
  summary: 'Delete a picture; its address shows nothing from then on',
  description:
    'Refused while a push, template, in-app message, series or link names it. What your own servers, data tables and web pages show is not known here.',
  examples: ['appsvc pictures delete --app 1 4f9c2b7e8d1a4c53b6e0f7a912d8c3e4 --yes'],
  args: pictureArgs,
  flags: {
    force: Flags.boolean({ description: 'delete it although something names it' }),
    yes: yesFlag,
  },
  async work({ program, appId, args, flags: { force, yes }, out }) {
    const { uid, name } = await program.pictures.get(appId, args.uid)
    await out.confirm(`Delete the picture ${uid} (${printable(name)})?`, yes)
    await program.inTransaction((tx) => tx.pictures.delete(appId, uid, force))
    out.value({ uid, deleted: true })
    out.line(`Picture ${uid} is deleted.`)
  },
})
