import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { Restored, RestoreOptions } from '../../domain/backups/restore.ts'
import type { Place } from '../../domain/backups/stores/store.ts'
import type { Config } from '../../platform/config/settings.ts'
import { AppError } from '../../platform/errors.ts'
import { textArg } from '../input/args.ts'
import { placeOf, s3FlagSettings, s3Flags } from '../input/backup-place.ts'
import { readKeyText } from '../input/files.ts'
import { BaseCommand } from '../kinds/base.ts'
import { countOf } from '../output/plural.ts'
import { stopSignal } from '../process/signals.ts'

export class Restore extends BaseCommand {
  static override summary = 'Make a data directory from a backup; its server sends nothing before appsvc release'
  static override description =
    'The backup is checked before anything is written under its name, so an interrupted restore is repeated. The master key of the backup is ' +
    'needed: --key-file, or master.key already in the data directory. Of a directory or prefix the newest backup is taken.'
  static override examples = [
    'appsvc restore /backup/appsvc.sqlite --data-dir ./restored --key-file master.key',
    'appsvc restore s3://my-bucket/bakery --key-file master.key',
  ]
  static override args = {
    from: textArg({ required: true, description: 'file, directory or s3://bucket/prefix' }),
  }
  static override flags = {
    'key-file': Flags.string({ helpValue: 'FILE', description: 'master key of the backup; it is copied to its place' }),
    ...s3Flags,
  }

  async run(): Promise<void> {
    const { flags, args } = await this.parse(Restore)
    const { config } = await this.settings(flags, s3FlagSettings(flags))
    if (config['database.url'].reveal() !== '') {
      throw new AppError(
        'config',
        'a backup is an SQLite database, and the settings name PostgreSQL: restore without database.url, then copy it with appsvc db copy --to postgres://…; ' +
          'a dump of PostgreSQL is restored with pg_restore',
      )
    }
    const place = await placeOf(args.from, config)
    const keyFlag = flags['key-file']
    const givenKey = keyFlag === undefined ? undefined : await readKeyText(this.io, keyFlag)
    const restored = await this.#restore(config, place, givenKey)
    this.#report(resolve(config.dataDir), restored)
  }

  async #restore(config: Config, place: Place, givenKey: RestoreOptions['givenKey']): Promise<Restored> {
    const { databaseFile, masterKeyFile } = await import('../../open.ts')
    const { restoreBackup } = await import('../../domain/backups/restore.ts')
    const { migrations } = await import('../../../migrations/index.ts')
    const { startProgress } = await import('../output/progress.ts')
    const done = await this.#claimDirectory(config)
    const stop = stopSignal()
    this.onEnd(() => stop.end())
    const progress = await startProgress(this.io, 'megabyte')
    const megabytes = (bytes: number) => Math.round(bytes / 1e6)
    const restored = await restoreBackup({
      place,
      dataDir: config.dataDir,
      database: databaseFile(config),
      keyFile: masterKeyFile(config),
      givenKey,
      migrations,
      now: Date.now,
      signal: stop.signal,
      onProgress: (step, done, total) =>
        void (step === 'fetching' && progress.update(megabytes(done), megabytes(total))),
    })
      .catch((error: unknown) => {
        if (stop.signal.aborted) throw new AppError('unavailable', 'stopped: nothing was restored')
        throw error
      })
      .finally(() => progress.stop())
    done()
    return restored
  }

  /** Makes and locks the data directory. Both are undone at the end of the command, unless the returned function was called. */
  async #claimDirectory(config: Config): Promise<() => void> {
    const { prepareStorage } = await import('../../open.ts')
    const { lockDirectory } = await import('../../platform/files/lock.ts')
    const { removeEmpty } = await import('../../platform/files/data-directory.ts')
    const made = prepareStorage(config)
    const lock = await lockDirectory(config.dataDir, { waitMs: 0 })
    let isRestored = false
    this.onEnd(() => {
      if (isRestored) return lock.release()
      lock.undo()
      if (made !== undefined) removeEmpty(config.dataDir, made)
    })
    return () => void (isRestored = true)
  }

  #report(dataDir: string, restored: Restored): void {
    const { address, manifest, takenAt, schema, pendingSteps, tables, rows, bytes, keyFile, keyFrom, uploads } =
      restored
    if (!manifest) this.out.note(`${address} has no manifest (.json): its content was checked, and nothing else`)
    this.out.value({
      restored: address,
      dataDir,
      takenAt: takenAt ?? null,
      program: manifest?.program ?? null,
      schema,
      pendingSteps,
      bytes,
      tables,
      rows,
      uploads,
      masterKeyFile: keyFile,
      keyFrom: keyFrom ?? null,
      held: true,
    })
    const where = dataDir === resolve('./data') ? '' : ` --data-dir ${dataDir}`
    this.out.line(
      `Restored ${this.out.paint('bold', address)} to ${dataDir}: ${countOf(tables, 'table')}, ${countOf(rows, 'row')}; checked.`,
    )
    if (takenAt !== undefined) this.out.line(`It is from ${takenAt}.`)
    if (keyFrom !== undefined) this.out.line(`The master key was copied to ${keyFile}.`)
    if (pendingSteps > 0) this.out.line(`The next start migrates it (${countOf(pendingSteps, 'step')}).`)
    this.out.line()
    this.out.line('It is held: nothing is sent. What was sent after the backup was made would be sent again.')
    this.out.line(`  appsvc serve${where}      accepts and answers requests, sends nothing`)
    this.out.line(`  appsvc status${where}     shows what waits; cancel what must not be sent`)
    this.out.line(`  appsvc release${where}    begins to send`)
  }
}
