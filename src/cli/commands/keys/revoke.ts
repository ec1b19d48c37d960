import { appFlag, chooseApp } from '../../app-ref.ts'
import { BaseCommand, textArg } from '../../base.ts'

export class KeysRevoke extends BaseCommand {
  static override summary = 'End a REST key at once'
  static override examples = ['<%= config.bin %> keys revoke 3 --app 1']
  static override args = { id: textArg({ required: true, description: 'as keys list shows it' }) }
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRevoke)
    const [{ presentRestKey }, { idSegment }] = await Promise.all([
      import('../../present.ts'),
      import('../../../platform/parse.ts'),
    ])
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const key = await app.inTransaction((tx) => tx.restKeys.revoke(id, idSegment(args.id, 'REST key')))
    this.out.value(presentRestKey(key))
    this.out.line(`REST key ${key.id} (${key.hint}) is revoked.`)
  }
}
