import { appFlag, chooseApp } from '../../input/app.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'

export class KeysList extends BaseCommand {
  static override summary = 'List the REST keys and the scoped server keys of an app'
  static override examples = ['<%= config.bin %> keys list --app 1', '<%= config.bin %> keys list --json']
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const { presentIssuedKey, shortTime } = await import('../../output/present.ts')
    const keys = [...(await app.restKeys.list(id)), ...(await app.serverKeys.list(id))].sort((a, b) => a.id - b.id)
    this.out.value({ keys: keys.map(presentIssuedKey) })
    this.out.table(
      ['ID', 'KIND', 'KEY', 'NAME', 'MAY', 'CREATED', 'LAST USED', 'REVOKED'],
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
      'There are no REST keys and no scoped server keys yet: appsvc keys create makes one.',
    )
  }
}

const KINDS = { rest: 'REST', server: 'server' } as const
