import { Flags } from '@oclif/core'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class AppsCreate extends BaseCommand {
  static override summary = 'Make an app with its three keys, which are shown this once'
  static override examples = [
    '<%= config.bin %> apps create "My app"',
    '<%= config.bin %> apps create shop --json > shop-keys.json',
  ]
  static override args = { name: textArg({ required: true, description: 'what people call the app' }) }
  static override flags = {
    account: Flags.string({ helpValue: 'ID', description: 'account that owns it; else the first' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AppsCreate)
    const [{ createApp }, { parseText }] = await Promise.all([
      import('../../../domain/apps/schema.ts'),
      import('../../../platform/parse.ts'),
    ])
    const input = parseText(createApp, { name: args.name, accountId: flags.account })
    const app = await this.open(flags, { make: true })
    const created = await app.inTransaction((tx) => tx.apps.create(input))
    const { id, accountId, name, apiKey, serverKey, secretKey } = created
    const { linkHostOf } = await import('../../output/present.ts')
    const linkHost = await linkHostOf(app, id)
    this.out.value({ id, accountId, name, apiKey, serverKey, secretKey, linkHost })
    this.out.fields({
      app: `${id} ${name}`,
      'API key': apiKey,
      'server key': serverKey,
      'secret key': secretKey,
      'link host': linkHost,
    })
    this.out.note(
      'Keep the keys now: they are not shown again. Servers use API key and server key, apps API key and secret key.',
    )
  }
}
