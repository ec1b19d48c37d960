import { appFlag, chooseApp } from '../../app-ref.ts'
import { BaseCommand } from '../../base.ts'
import { printable } from '../../output.ts'

export class KeysList extends BaseCommand {
  static override summary = 'List the REST keys of an app'
  static override examples = ['<%= config.bin %> keys list --app 1', '<%= config.bin %> keys list --json']
  static override flags = { app: appFlag }

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysList)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, flags.app)
    const { presentRestKey, shortTime } = await import('../../present.ts')
    const keys = await app.restKeys.list(id)
    this.out.value({ keys: keys.map(presentRestKey) })
    this.out.table(
      ['ID', 'KEY', 'NAME', 'MAY', 'CREATED', 'LAST USED', 'REVOKED'],
      keys.map((key) => [
        key.id,
        key.hint,
        printable(key.name),
        key.permissions.join(','),
        shortTime(key.createdAt),
        shortTime(key.lastUsedAt),
        shortTime(key.revokedAt),
      ]),
      'There are no REST keys yet: appsvc keys create makes one.',
    )
  }
}
