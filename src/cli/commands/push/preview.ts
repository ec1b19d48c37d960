import { findGateway, type Platform, platforms } from '../../../domain/gateways/registry.ts'
import { invalid } from '../../../platform/errors.ts'
import { platformArg } from '../../credentials.ts'
import { textArg } from '../../input/args.ts'
import { readSaying, requestOfSaying } from '../../input/saying.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { showRequests } from '../../push/show-requests.ts'

const DAY_MS = 86_400_000

export class PushPreview extends BaseCommand {
  static override summary = 'Print the request that each gateway would get for a push, with its size; sends nothing'
  static override description =
    'FILE holds the body of POST {messages_url}/v2/notifications; a target is not needed. Needs no database. Exits with 65 if the push is ' +
    'too large for a gateway that is printed. To see who would get it, use appsvc notify --dry-run.'
  static override examples = ['appsvc push preview push.json', 'appsvc push preview push.json ios --json']
  static override args = {
    file: textArg({ required: true, description: 'JSON file, or - for standard input' }),
    platform: platformArg('only this gateway', false),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(PushPreview)
    const saying = await readSaying(this.io, args.file, 'FILE')
    const { content, unfinished } = await requestOfSaying(saying, { broadcast: true })
    if (unfinished) {
      const why = 'names a push template, and this command reads no database: use appsvc push-templates preview'
      throw invalid({ [unfinished.path]: [why] })
    }
    const message = {
      // An id as long as a real one may get.
      content: { ...content, notificationId: 1_000_000 },
      expiresAt: Date.now() + DAY_MS,
      replacementKey: 'n1000000',
    }
    const requests = platforms
      .filter((platform) => args.platform === undefined || platform === (args.platform as Platform))
      .map((platform) => ({ platform, ...findGateway(platform).preview(message) }))
    this.out.value({ gateways: requests })
    if (showRequests(this.out, requests)) this.exit(65)
  }
}
