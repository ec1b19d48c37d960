import { basename } from 'node:path'
import { Flags } from '@oclif/core'
import { appArg, textArg } from '../../input/args.ts'
import { readInput } from '../../input/files.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { pictureFields } from '../../output/picture-words.ts'

export const PicturesAdd = appCommand({
  summary: 'Store a picture for pushes, in-app messages and links',
  description:
    'Takes a PNG, JPEG, WebP or GIF, whatever its name says. Place, camera and texts in it are dropped. A picture that the app has already is not stored again.',
  examples: [
    'appsvc pictures add --app 1 croissants.jpg',
    'appsvc pictures add --app 1 croissants.jpg --name "Warm croissants" --json',
  ],
  args: { app: appArg, file: textArg({ required: true, description: 'picture, or - for standard input' }) },
  flags: { name: Flags.string({ helpValue: 'NAME', description: 'display name; default: that of the file' }) },
  async read({ args: { file }, flags: { name }, io }) {
    const { readPicture } = await import('../../../domain/pictures/schema.ts')
    return readPicture(name ?? (file === '-' ? '' : basename(file)), await readInput(io, file, 'FILE'))
  },
  async work({ program, appId, input: { name, picture: clean }, out }) {
    const limit = program.kernel.config['limits.picture']
    const { tooLarge } = await import('../../../domain/pictures/upload.ts')
    if (clean.bytes.length > limit) throw tooLarge(limit)
    const { presentStoredPicture } = await import('../../../present/api/pictures.ts')
    const { picture, isNew } = await program.inTransaction((tx) => tx.pictures.add(appId, name, clean))
    const url = program.pictures.urlOf(picture)
    out.value(presentStoredPicture({ picture, url }))
    out.fields(pictureFields(picture, url))
    if (!isNew) out.note('The app has this picture already; it was not stored again.')
  },
})
