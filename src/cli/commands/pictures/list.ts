import { Flags } from '@oclif/core'
import { optionalAppArg } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'
import { sidesOf } from '../../output/picture-words.ts'
import { shortTime } from '../../output/present.ts'

export const PicturesList = listCommand({
  summary: 'List the pictures of an app, newest first',
  examples: ['appsvc pictures list --app 1', 'appsvc pictures list --app 1 --unused --json'],
  args: { app: optionalAppArg },
  flags: {
    used: Flags.boolean({ exclusive: ['unused'], description: 'pictures that something stored here names' }),
    unused: Flags.boolean({ description: 'the others' }),
  },
  paging: { most: 200 },
  things: 'pictures',
  none: 'There are no such pictures. Store one with appsvc pictures add.',
  head: ['UID', 'NAME', 'KIND', 'PIXELS', 'BYTES', 'USED', 'STORED'],
  async page({ program, appId, flags: { after, limit, used, unused } }) {
    const { presentPicturePage } = await import('../../../present/api/pictures.ts')
    const filter = { used: used ? true : unused ? false : undefined }
    const { pictures, next } = await program.pictures.list(appId, { after, limit, ...filter })
    const room = await program.pictures.room(appId)
    const rows = pictures.map((one) => [
      one.uid,
      printable(one.name),
      one.kind,
      sidesOf(one),
      one.size,
      one.isUsed ? 'yes' : 'no',
      shortTime(one.createdAt),
    ])
    return { json: presentPicturePage({ pictures, next, room, urlOf: program.pictures.urlOf }), rows, next }
  },
})
