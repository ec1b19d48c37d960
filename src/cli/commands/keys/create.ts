import { Flags } from '@oclif/core'
import type { IssuedKey } from '../../../domain/apps/issued-keys.ts'
import { appFlag } from '../../input/args.ts'
import { checked } from '../../input/checked.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { presentIssuedKey } from '../../output/present.ts'

export const KeysCreate = appCommand({
  summary: 'Create a REST key for data tables, or a server key with scopes; the key is shown only once',
  description:
    'A REST key may create, read, update or delete records of data tables. A key created with --server is used like the server key of ' +
    'the app, limited to its scopes: send (send and cancel), read (what was sent, its results, and the configuration), crm (users and ' +
    'channel subscriptions), admin (change the configuration). appsvc routes lists the scope of each route.',
  examples: [
    'appsvc keys create --app 1 --scope create,read,update,delete',
    'appsvc keys create --app 1 --scope read --name website --json',
    'appsvc keys create --app 1 --server --scope send,read --name newsletter',
  ],
  flags: {
    app: appFlag,
    server: Flags.boolean({ description: 'create a server key instead of a REST key' }),
    scope: Flags.string({
      required: true,
      // The name from before there were scoped server keys.
      aliases: ['permissions'],
      helpValue: 'LIST',
      description:
        'what the key may do, separated by commas: create, read, update, delete; with --server: send, read, crm, admin',
    }),
    name: Flags.string({ default: '', helpValue: 'NAME', description: 'label for people' }),
  },
  async read({ flags }) {
    const { createRestKey, createServerKey } = await import('../../../domain/apps/issued-keys.ts')
    const given = { name: flags.name, scope: flags.scope.split(',').map((word) => word.trim().toLowerCase()) }
    return inFlagNames({ scope: 'scope', name: 'name' }, async () =>
      flags.server
        ? { rest: undefined, server: await checked(createServerKey, given) }
        : { rest: await checked(createRestKey, given), server: undefined },
    )
  },
  async work({ program, appId, input: { rest, server }, flags, out }) {
    const made = await program.inTransaction<IssuedKey & { key: string }>((tx) =>
      server
        ? tx.serverKeys.create(appId, { name: flags.name, permissions: server.scope })
        : tx.restKeys.create(appId, { name: flags.name, permissions: rest.scope }),
    )
    const { kind, name, scopes, permissions } = presentIssuedKey(made)
    out.value({ id: made.id, appId, kind, name, key: made.key, scopes, ...(permissions && { permissions }) })
    out.fields({
      [flags.server ? 'server key' : 'REST key']: made.key,
      id: made.id,
      name: made.name || undefined,
      scopes: made.permissions.join(', '),
    })
    out.note(
      flags.server
        ? 'Save the key now: it is not shown again. Use it as the HTTP Basic password, with the API key of the app as the user name.'
        : 'Save the key now: it is not shown again. Use it as the HTTP Basic user name; the password is ignored.',
    )
  },
})
