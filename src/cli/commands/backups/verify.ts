import { AppError } from '../../../platform/errors.ts'
import { textArg } from '../../input/args.ts'
import { placeOf, s3FlagSettings, s3Flags } from '../../input/backup-place.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'
import { stopSignal } from '../../process/signals.ts'

export class BackupsVerify extends BaseCommand {
  static override summary =
    'Verify that a backup can be restored: its digest, every page and index, the rows of every table'
  static override description =
    'The backup is copied to the data directory, checked as restore does, and the copy is removed. Of a directory or prefix the newest backup is taken.'
  static override examples = [
    'appsvc backups verify /backup/appsvc-20261123T100000Z.sqlite',
    'appsvc backups verify s3://my-bucket/bakery',
  ]
  static override args = {
    from: textArg({
      required: false,
      description: 'file, directory or s3://bucket/prefix; default: backup.to of the settings',
    }),
  }
  static override flags = { ...s3Flags }

  async run(): Promise<void> {
    const { flags, args } = await this.parse(BackupsVerify)
    const { config } = await this.settings(flags, s3FlagSettings(flags))
    const [{ listBackups }, { verifyBackup }, { migrations }, { prepareStorage, requireDatabase }, { sizeOf }] =
      await Promise.all([
        import('../../../domain/backups/keep.ts'),
        import('../../../domain/backups/verify.ts'),
        import('../../../../migrations/index.ts'),
        import('../../../open.ts'),
        import('../../../platform/text/size.ts'),
      ])
    requireDatabase(config)
    const from = args.from ?? config['backup.to']
    if (from === '') {
      throw new AppError('usage', 'FROM is missing: name a file, a directory or s3://bucket/prefix, or set backup.to')
    }
    const isDirectory = args.from === undefined && !from.startsWith('s3:')
    const { store, name: given } = await placeOf(isDirectory ? `${from}/` : from, config)
    const name = given ?? (await listBackups(store, 1))[0]?.name
    if (name === undefined) {
      throw new AppError('not_found', `there is no complete backup in ${store.addressOf('')}: name the file`)
    }
    prepareStorage(config)
    const stop = stopSignal()
    this.onEnd(() => stop.end())
    const begun = performance.now()
    const manifest = await verifyBackup({ store, name, dataDir: config.dataDir, migrations, signal: stop.signal })
    const seconds = (performance.now() - begun) / 1000
    const address = store.addressOf(name)
    const tables = Object.keys(manifest?.tables ?? {}).length
    this.out.value({
      backup: address,
      takenAt: manifest?.takenAt ?? null,
      bytes: manifest?.bytes ?? null,
      seconds: Math.round(seconds * 1000) / 1000,
      verified: true,
    })
    const size = manifest
      ? `: ${sizeOf(manifest.bytes)}, ${countOf(tables, 'table')}`
      : ', as far as it can be checked without a manifest'
    this.out.line(`${this.out.paint('bold', address)} can be restored${size}; checked, ${seconds.toFixed(1)} s.`)
  }
}
