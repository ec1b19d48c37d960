import { appFlag, textArg } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { presentIssuedKey } from '../../output/present.ts'

export const KeysDelete = appCommand({
  summary: 'Revoke a REST key or a scoped server key: servers refuse it within a second',
  examples: ['appsvc keys delete 3 --app 1'],
  args: { id: textArg({ required: true, description: 'key id (see appsvc keys list)' }) },
  flags: { app: appFlag },
  async work({ program, appId, args, out }) {
    const [{ idSegment }, { ISSUED }] = await Promise.all([
      import('../../../platform/values/parse.ts'),
      import('../../../domain/apps/issued-keys.ts'),
    ])
    const id = idSegment(args.id, 'key')
    const key = await program.inTransaction(async (tx) =>
      (await tx.serverKeys.find(appId, id)) ? tx.serverKeys.revoke(appId, id) : tx.restKeys.revoke(appId, id),
    )
    out.value(presentIssuedKey(key))
    const { noun } = ISSUED[key.kind]
    out.line(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${key.id} (${key.hint}) is revoked.`)
  },
})
