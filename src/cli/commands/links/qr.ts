import { Flags } from '@oclif/core'
import type { QrFormat } from '../../../domain/links/make/qr.ts'
import { AppError } from '../../../platform/errors.ts'
import { linkArgs } from '../../input/args.ts'
import { chooseLink } from '../../input/link.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { writeOutput } from '../../output/file.ts'

export const LinksQr = appCommand({
  summary: 'Draw the QR code of a deep link as SVG or PNG',
  examples: [
    'appsvc links qr --app 1 offer --output offer.svg',
    'appsvc links qr --app 1 offer --output offer.png --size 1200',
    'appsvc links qr --app 1 offer > offer.svg',
    'appsvc links qr --app 1 offer --logo > offer.svg',
  ],
  args: linkArgs,
  flags: {
    output: Flags.string({ char: 'o', helpValue: 'FILE', description: 'output file; default: standard output' }),
    format: Flags.string({
      options: ['svg', 'png'],
      description: 'image format; default: by the extension of the output file, otherwise svg',
    }),
    logo: Flags.boolean({ description: 'put the icon of the app in the middle (SVG only)' }),
    size: Flags.integer({ default: 512, min: 64, max: 8192, helpValue: 'PIXELS', description: 'width and height' }),
  },
  read({ flags: { output, format: asked, logo }, io, out }): QrFormat {
    const format = (asked ?? (output?.toLowerCase().endsWith('.png') ? 'png' : 'svg')) as QrFormat
    if (output === undefined && out.json)
      throw new AppError('usage', '--json needs --output, because the image itself is not JSON')
    if (output === undefined && format === 'png' && io.stdout.isTTY === true) {
      throw new AppError('usage', 'a PNG cannot be printed on a terminal: add --output FILE')
    }
    if (logo && format === 'png') throw new AppError('usage', '--logo needs an SVG: leave --format png out')
    return format
  },
  async work({ program, appId, args, flags: { output, size, logo }, input: format, out, io }) {
    const place = await program.links.place(appId)
    const link = await chooseLink(program, place, args.link)
    const url = program.links.urlOf(place, link.slug)
    const { drawQr } = await import('../../../domain/links/make/qr.ts')
    const icon = logo ? (await program.links.site(appId)).settings.icon : null
    if (logo && icon === null) {
      throw new AppError('conflict', 'the app has no icon: set one with appsvc links settings --icon FILE')
    }
    const code = await drawQr(url, { format, size, logo: icon ?? undefined })
    if (output === undefined) {
      io.stdout.write(code)
      return
    }
    await writeOutput(io, output, code, '--output')
    out.value({ id: link.id, url, file: output, format })
    out.line(`${output} contains the QR code of ${url}`)
  },
})
