import { Flags } from '@oclif/core'
import { AppError } from '../../../platform/errors.ts'
import { pictureArgs } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { writeOutput } from '../../output/file.ts'
import { pictureFields } from '../../output/picture-words.ts'

export const PicturesShow = appCommand({
  summary: 'Show a picture: its address, and what names it',
  examples: [
    'appsvc pictures show --app 1 4f9c2b7e8d1a4c53b6e0f7a912d8c3e4',
    'appsvc pictures show --app 1 4f9c2b7e8d1a4c53b6e0f7a912d8c3e4 --output croissants.jpg',
  ],
  args: pictureArgs,
  flags: { output: Flags.string({ char: 'o', helpValue: 'FILE', description: 'also write the picture to this file' }) },
  async work({ program, appId, args, flags: { output }, out, io }) {
    const { presentWholePicture } = await import('../../../present/api/pictures.ts')
    const found = await program.pictures.uses(appId, args.uid)
    const { picture, uses, hasMore } = found
    const url = program.pictures.urlOf(picture)
    out.value(presentWholePicture({ ...found, url }))
    out.fields(pictureFields(picture, url))
    for (const { kind, id } of uses) out.line(`used by ${kind} ${id}`)
    if (uses.length === 0) out.line('Nothing that is stored here uses it.')
    if (hasMore) out.line('and others')
    if (output === undefined) return
    const bytes = await program.pictures.bytes(picture.uid, picture.kind)
    if (!bytes) throw new AppError('not_found', `there is no picture ${JSON.stringify(picture.uid)} any more`)
    await writeOutput(io, output, bytes, '--output')
    out.note(`${output} contains the picture.`)
  },
})
