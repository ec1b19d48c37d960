import { Flags } from '@oclif/core'
import { chooseApp } from '../../input/app.ts'
import { parseJsonFlag, readJsonFile } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class LinksCreate extends BaseCommand {
  static override summary = 'Make deep links: one by flags, or up to 500 from a file'
  static override description =
    'The file holds what POST {links_url}/v1/deep-links takes: a JSON list, or one object. All of its links are made or none.'
  static override examples = [
    `<%= config.bin %> links create 1 --fallback https://example.com/offer --slug offer --data '{"screen": "offer"}'`,
    '<%= config.bin %> links create 1 --file links.json --json',
  ]
  static override args = { app: textArg({ required: true, description: 'id or name of the app' }) }
  static override flags = {
    file: Flags.string({
      helpValue: 'FILE',
      description: 'JSON file instead of flags; - for standard input',
      exclusive: [
        'fallback',
        'desktop',
        'mobile',
        'slug',
        'data',
        'title',
        'description',
        'meta',
        'expires',
        'lookups',
      ],
    }),
    fallback: Flags.string({ helpValue: 'URL', description: 'where people without the app go' }),
    desktop: Flags.string({ helpValue: 'URL', description: 'where they go on a computer; else as --fallback' }),
    mobile: Flags.string({ helpValue: 'URL', description: 'where they go on a phone; else as --fallback' }),
    slug: Flags.string({ helpValue: 'SLUG', description: 'path of the link; made when absent' }),
    data: Flags.string({ helpValue: 'JSON', description: 'linkData: what the app gets', default: '{}' }),
    title: Flags.string({ helpValue: 'TEXT', description: 'title of the jump page' }),
    description: Flags.string({ helpValue: 'TEXT', description: 'text of the jump page' }),
    meta: Flags.string({ helpValue: 'JSON', description: 'reportingMeta: stands in the events about the link' }),
    expires: Flags.string({ helpValue: 'TIME', description: 'ISO 8601, UTC unless it has an offset' }),
    lookups: Flags.integer({ helpValue: 'N', description: 'matches until the link is over its limit' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LinksCreate)
    const [{ createLinks, fromLinksForm }, { parseJson }, { presentCreatedLink }] = await Promise.all([
      import('../../../domain/links/make/schema.ts'),
      import('../../../platform/parse.ts'),
      import('../../../server/present/links.ts'),
    ])
    const given = flags.file === undefined ? await fromFlags(flags) : await readJsonFile(this.io, flags.file, '--file')
    const input = fromLinksForm(parseJson(createLinks, Array.isArray(given) ? given : [given]))
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const site = await app.links.site(id)
    const links = await app.inTransaction((tx) => tx.links.create(id, input))
    const made = links.map((link) => presentCreatedLink(link, app.links.urlOf(site, link.slug)))
    this.out.value(made)
    this.out.table(
      ['ID', 'ADDRESS'],
      made.map(({ id: linkId, url }) => [linkId, url]),
      'Nothing was made.',
    )
  }
}

interface Given {
  fallback?: string | undefined
  desktop?: string | undefined
  mobile?: string | undefined
  slug?: string | undefined
  data: string
  title?: string | undefined
  description?: string | undefined
  meta?: string | undefined
  expires?: string | undefined
  lookups?: number | undefined
}

async function fromFlags(flags: Given): Promise<Record<string, unknown>> {
  const { fallback, title, description, lookups } = flags
  const desktop = flags.desktop ?? fallback
  const mobile = flags.mobile ?? fallback
  return {
    linkData: await parseJsonFlag(flags.data, '--data'),
    content: { ...(title !== undefined && { title }), ...(description !== undefined && { description }) },
    ...(desktop !== undefined && { desktopWebFallbackUrl: desktop }),
    ...(mobile !== undefined && { mobileWebFallbackUrl: mobile }),
    ...(flags.slug !== undefined && { slug: flags.slug }),
    ...(flags.meta !== undefined && { reportingMeta: await parseJsonFlag(flags.meta, '--meta') }),
    ...(flags.expires !== undefined && { expiresAt: flags.expires }),
    ...(lookups !== undefined && { lookupLimit: lookups }),
  }
}
