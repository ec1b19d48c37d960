import { Flags } from '@oclif/core'
import { appFlag, chooseApp } from '../../app-ref.ts'
import { BaseCommand } from '../../base.ts'

export class KeysCreate extends BaseCommand {
  static override summary = 'Make a REST key for the data area, which is shown this once'
  static override examples = [
    '<%= config.bin %> keys create --app 1 --permissions create,read,update,delete',
    '<%= config.bin %> keys create --app 1 --permissions read --name website --json',
  ]
  static override flags = {
    app: appFlag,
    permissions: Flags.string({
      required: true,
      helpValue: 'LIST',
      description: 'create, read, update, delete, with commas between',
    }),
    name: Flags.string({ default: '', helpValue: 'NAME', description: 'what people call it' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysCreate)
    const [{ createRestKey }, { parseJson }] = await Promise.all([
      import('../../../domain/apps/rest-keys.ts'),
      import('../../../platform/parse.ts'),
    ])
    const permissions = flags.permissions.split(',').map((word) => word.trim().toLowerCase())
    const input = parseJson(createRestKey, { name: flags.name, permissions })
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const made = await app.inTransaction((tx) => tx.restKeys.create(id, input))
    this.out.value({ id: made.id, appId: id, name: made.name, key: made.key, permissions: made.permissions })
    this.out.fields({
      'REST key': made.key,
      id: made.id,
      name: made.name || undefined,
      may: made.permissions.join(', '),
    })
    this.out.note(
      'Keep the key now: it is not shown again. It is the user name of HTTP Basic; the password does not matter.',
    )
  }
}
