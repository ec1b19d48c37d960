import { Flags } from '@oclif/core'
import type { QrFormat } from '../../../domain/links/make/qr.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { chooseLink, linkArgs } from '../../input/link.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { writeOutput } from '../../output/file.ts'

export class LinksQr extends BaseCommand {
  static override summary = 'Draw the QR code of a deep link, as SVG or PNG'
  static override examples = [
    '<%= config.bin %> links qr 1 offer --output offer.svg',
    '<%= config.bin %> links qr 1 offer --output offer.png --size 1200',
    '<%= config.bin %> links qr 1 offer > offer.svg',
  ]
  static override args = linkArgs
  static override flags = {
    output: Flags.string({ char: 'o', helpValue: 'FILE', description: 'file to write; else standard output' }),
    format: Flags.string({
      options: ['svg', 'png'],
      description: 'else as the ending of the file says, svg without one',
    }),
    size: Flags.integer({ default: 512, min: 64, max: 8192, helpValue: 'PIXELS', description: 'width and height' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksQr)
    const { output } = flags
    const format = (flags.format ?? (output?.toLowerCase().endsWith('.png') ? 'png' : 'svg')) as QrFormat
    if (output === undefined && this.out.json)
      throw new AppError('usage', '--json needs --output: the code itself is no JSON')
    if (output === undefined && format === 'png' && this.io.stdout.isTTY === true) {
      throw new AppError('usage', 'a PNG is not for the terminal: add --output FILE')
    }
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const site = await app.links.site(id)
    const link = await chooseLink(app, site, args.link)
    const url = app.links.urlOf(site, link.slug)
    const { drawQr } = await import('../../../domain/links/make/qr.ts')
    const code = await drawQr(url, { format, size: flags.size })
    if (output === undefined) {
      this.io.stdout.write(code)
      return
    }
    await writeOutput(output, code, '--output')
    this.out.value({ id: link.id, url, file: output, format })
    this.out.line(`${output} leads to ${url}`)
  }
}
