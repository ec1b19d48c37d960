import { AppError } from '../../../platform/errors.ts'
import { BaseCommand } from '../../kinds/base.ts'

const MOST = 200

export class BackupsList extends BaseCommand {
  static override summary = 'List the backups that the server keeps at backup.to, the newest first'
  static override description =
    'Shows at most 200 complete backups, and what was found when they were verified. Backups that went elsewhere are not listed.'
  static override examples = ['appsvc backups list', 'appsvc backups list --json']

  async run(): Promise<void> {
    const { flags } = await this.parse(BackupsList)
    const program = await this.open(flags)
    const [{ placeOfServer, POSTGRES_REMEDY }, { storedBackups }, { presentStoredBackup }, words] = await Promise.all([
      import('../../../domain/backups/places.ts'),
      import('../../../domain/backups/verify.ts'),
      import('../../../present/admin/backups.ts'),
      import('../../../platform/text/size.ts'),
    ])
    const { config, db, vault } = program.kernel
    if (db.kind === 'postgres') throw new AppError('config', POSTGRES_REMEDY)
    if (config['backup.to'] === '') throw new AppError('config', 'backup.to is not set: the server makes no backups')
    const { store } = placeOfServer(config)
    const found = await storedBackups({ store, dataDir: config.dataDir, keyCheck: vault.keyCheck() }, MOST)
    this.out.value({ backups: found.map(presentStoredBackup) })
    this.out.table(
      ['CREATED', 'SIZE', 'VERSION', 'VERIFIED', 'ADDRESS'],
      found.map(({ manifest, address, verification }) => [
        manifest.takenAt.slice(0, 16).replace('T', ' '),
        words.sizeOf(manifest.bytes),
        manifest.program,
        verification === undefined
          ? 'no'
          : (verification.error ?? new Date(verification.at).toISOString().slice(0, 10)),
        address,
      ]),
      `There is no backup at ${config['backup.to']} yet. A running server makes one, and so does appsvc backup.`,
    )
  }
}
