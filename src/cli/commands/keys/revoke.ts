import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'

export class KeysRevoke extends BaseCommand {
  static override summary = 'End a REST key or a scoped server key at once'
  static override examples = ['<%= config.bin %> keys revoke 3 --app 1']
  static override args = { id: textArg({ required: true, description: 'as keys list shows it' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRevoke)
    const [{ presentIssuedKey }, { idSegment }, { ISSUED }] = await Promise.all([
      import('../../output/present.ts'),
      import('../../../platform/parse.ts'),
      import('../../../domain/apps/issued-keys.ts'),
    ])
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const keyId = idSegment(args.id, 'key')
    const key = await app.inTransaction(async (tx) =>
      (await tx.serverKeys.find(id, keyId)) ? tx.serverKeys.revoke(id, keyId) : tx.restKeys.revoke(id, keyId),
    )
    this.out.value(presentIssuedKey(key))
    const { noun } = ISSUED[key.kind]
    this.out.line(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${key.id} (${key.hint}) is revoked.`)
  }
}
