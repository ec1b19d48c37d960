import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { printable } from '../../output/output.ts'
import { presentIssuedKey, shortTime } from '../../output/present.ts'

const KINDS = { rest: 'REST', server: 'server' } as const

export const KeysList = appCommand({
  summary: 'List the REST keys and the scoped server keys of an app',
  examples: ['appsvc keys list --app 1', 'appsvc keys list --json'],
  flags: { app: appFlag },
  async work({ program, appId, out }) {
    const issued = [...(await program.restKeys.list(appId)), ...(await program.serverKeys.list(appId))]
    const keys = issued.sort((a, b) => a.id - b.id)
    out.value({ keys: keys.map(presentIssuedKey) })
    out.table(
      ['ID', 'KIND', 'KEY', 'NAME', 'SCOPES', 'CREATED', 'LAST USED', 'REVOKED'],
      keys.map((key) => [
        key.id,
        KINDS[key.kind],
        key.hint,
        printable(key.name),
        key.permissions.join(','),
        shortTime(key.createdAt),
        shortTime(key.lastUsedAt),
        shortTime(key.revokedAt),
      ]),
      'There are no REST keys and no scoped server keys yet. Create one with appsvc keys create.',
    )
  },
})
