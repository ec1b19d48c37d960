import { Flags } from '@oclif/core'
import type { IssuedKey } from '../../../domain/apps/issued-keys.ts'
import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'

export class KeysCreate extends BaseCommand {
  static override summary = 'Make a REST key for the data area, or a server key with scopes; it is shown this once'
  static override description =
    'A REST key may create, read, update or delete records of data tables. With --server the key is used as the server key of the app ' +
    'is, and may do what its scopes say: send (send and call off), read (what was sent, what became of it, what is set up), ' +
    'crm (users, and who subscribes to channels), admin (change what is set up). appsvc routes names the scope of each address.'
  static override examples = [
    '<%= config.bin %> keys create --app 1 --scope create,read,update,delete',
    '<%= config.bin %> keys create --app 1 --scope read --name website --json',
    '<%= config.bin %> keys create --app 1 --server --scope send,read --name newsletter',
  ]
  static override flags = {
    app: appFlag,
    server: Flags.boolean({ description: 'a server key, instead of a REST key' }),
    scope: Flags.string({
      required: true,
      // What it was called when there were REST keys only.
      aliases: ['permissions'],
      helpValue: 'LIST',
      description:
        'what it may do, with commas between: create, read, update, delete; with --server send, read, crm, admin',
    }),
    name: Flags.string({ default: '', helpValue: 'NAME', description: 'what people call it' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysCreate)
    const [{ createRestKey, createServerKey }, { parseJson }, { presentIssuedKey }] = await Promise.all([
      import('../../../domain/apps/issued-keys.ts'),
      import('../../../platform/parse.ts'),
      import('../../output/present.ts'),
    ])
    const given = { name: flags.name, scope: flags.scope.split(',').map((word) => word.trim().toLowerCase()) }
    const [rest, server] = flags.server
      ? [undefined, parseJson(createServerKey, given)]
      : [parseJson(createRestKey, given), undefined]
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const made = await app.inTransaction<IssuedKey & { key: string }>((tx) =>
      server
        ? tx.serverKeys.create(id, { name: flags.name, permissions: server.scope })
        : tx.restKeys.create(id, { name: flags.name, permissions: rest.scope }),
    )
    const { kind, name, scopes, permissions } = presentIssuedKey(made)
    this.out.value({ id: made.id, appId: id, kind, name, key: made.key, scopes, ...(permissions && { permissions }) })
    this.out.fields({
      [flags.server ? 'server key' : 'REST key']: made.key,
      id: made.id,
      name: made.name || undefined,
      may: made.permissions.join(', '),
    })
    this.out.note(
      flags.server
        ? 'Keep the key now: it is not shown again. It is the password of HTTP Basic; the user name is the API key of the app.'
        : 'Keep the key now: it is not shown again. It is the user name of HTTP Basic; the password does not matter.',
    )
  }
}
