import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import packageJson from '../../../package.json' with { type: 'json' }
import type { MadeBackup, MakeOptions } from '../../domain/backups/make.ts'
import type { Config } from '../../platform/config/settings.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { textArg } from '../input/args.ts'
import { placeOf, s3FlagSettings, s3Flags } from '../input/backup-place.ts'
import { parseDuration } from '../input/duration.ts'
import { BaseCommand } from '../kinds/base.ts'
import { countOf } from '../output/plural.ts'
import { stopSignal } from '../process/signals.ts'

/** A backup that failed is tried again after this time at the latest. */
const RETRY_MS = 600_000
const SHORTEST_MS = 1000

export class Backup extends BaseCommand {
  static override summary =
    'Back up the SQLite database to a file, a directory or an S3-compatible store, also while the server runs'
  static override description =
    'The copy is checked by opening it before it gets its name. The master key is not in it: keep master.key apart. ' +
    'A directory or an s3:// prefix gets appsvc-<UTC time>.sqlite. Credentials for S3 come from AWS_ACCESS_KEY_ID and ' +
    'AWS_SECRET_ACCESS_KEY, or the files of the AWS tools. PostgreSQL has tools of its own (docs/operating.md).'
  static override examples = [
    'appsvc backup /backup/appsvc.sqlite',
    'appsvc backup /backup/ --every 24h --keep 7',
    'appsvc backup s3://my-bucket/bakery --endpoint https://minio.example.com --path-style',
  ]
  static override args = {
    to: textArg({
      required: false,
      description: 'file, directory or s3://bucket/prefix; default: backup.to of the settings',
    }),
  }
  static override flags = {
    every: Flags.string({ helpValue: 'TIME', description: 'go on with a backup every 30m, 24h or 7d, until Ctrl-C' }),
    keep: Flags.integer({
      min: 1,
      helpValue: 'N',
      description: 'keep the newest N backups that appsvc named, delete older ones',
    }),
    force: Flags.boolean({ description: 'replace the file if it exists' }),
    'with-key': Flags.boolean({
      description: 'put the master key beside the backup: whoever has both reads your credentials',
    }),
    ...s3Flags,
  }

  async run(): Promise<void> {
    const { flags, args } = await this.parse(Backup)
    const everyMs = flags.every === undefined ? undefined : parseDuration(flags.every, '--every')
    if (everyMs !== undefined && everyMs < SHORTEST_MS) {
      throw new AppError('usage', '--every must be at least 1s')
    }
    const { config } = await this.settings(flags, s3FlagSettings(flags))
    const [{ databaseFile, masterKeyFile, openClock, prepareStorage, requireDatabase }, { POSTGRES_REMEDY }] =
      await Promise.all([import('../../open.ts'), import('../../domain/backups/places.ts')])
    if (config['database.url'].reveal() !== '') throw new AppError('config', POSTGRES_REMEDY)
    const to = args.to ?? config['backup.to']
    if (to === '')
      throw new AppError('usage', 'TO is missing: name a file, a directory or s3://bucket/prefix, or set backup.to')
    requireDatabase(config)
    prepareStorage(config)
    const place = await placeOf(args.to === undefined && !to.startsWith('s3:') ? `${to}/` : to, config)
    if (place.name !== undefined && (everyMs !== undefined || flags.keep !== undefined)) {
      const flag = everyMs === undefined ? '--keep' : '--every'
      throw new AppError(
        'usage',
        `${flag} needs a directory or an s3:// prefix, and ${to} is a file (a new directory ends with /)`,
      )
    }
    const { clock } = openClock({ config })
    const stop = stopSignal()
    this.onEnd(() => stop.end())
    const { createDiskSpace } = await import('../../platform/files/disk-space.ts')
    const space = createDiskSpace({
      dir: config.dataDir,
      lowWater: config['disk.lowWater'],
      now: () => performance.now(),
    })
    const options: MakeOptions = {
      program: packageJson.version,
      dataDir: config.dataDir,
      database: databaseFile(config),
      place,
      force: flags.force,
      withKey: flags['with-key'] ? masterKeyFile(config) : undefined,
      keep: flags.keep,
      lowWater: space.look()?.mark,
      clock,
      signal: stop.signal,
    }
    if (everyMs === undefined) await this.#makeOnly(options, config)
    else await this.#loop(options, config, everyMs, stop.signal)
  }

  async #makeOnly(options: MakeOptions, config: Config): Promise<void> {
    try {
      await this.#make(options, config)
    } catch (error) {
      if (options.signal?.aborted) throw new AppError('unavailable', 'stopped: nothing was stored')
      throw error
    }
  }

  /** Goes on until it is asked to stop. A backup that fails is reported, and tried again. */
  async #loop(options: MakeOptions, config: Config, everyMs: number, signal: AbortSignal): Promise<void> {
    const [{ systemClock }, { storeFailure }] = await Promise.all([
      import('../../platform/time/clock.ts'),
      import('../../domain/backups/last-backup.ts'),
    ])
    while (!signal.aborted) {
      const begun = systemClock.monotonic()
      let pauseMs = everyMs
      try {
        await this.#make(options, config)
      } catch (error) {
        if (signal.aborted) return
        pauseMs = Math.min(everyMs, RETRY_MS)
        storeFailure(config.dataDir, { at: options.clock.now(), error: messageOf(error) })
        this.out.note(`the backup failed: ${messageOf(error)}; trying again in ${Math.round(pauseMs / 1000)} s`)
      }
      await systemClock.sleep(begun + pauseMs - systemClock.monotonic(), signal)
    }
  }

  async #make(options: MakeOptions, config: Config): Promise<void> {
    const [{ makeBackup }, { startProgress }, { masterKeyFile }, { storeGood }] = await Promise.all([
      import('../../domain/backups/make.ts'),
      import('../output/progress.ts'),
      import('../../open.ts'),
      import('../../domain/backups/last-backup.ts'),
    ])
    const progress = await startProgress(this.io, 'megabyte')
    const megabytes = (bytes: number) => Math.round(bytes / 1e6)
    let made: MadeBackup
    try {
      made = await makeBackup({
        ...options,
        onProgress: (step, done, total) =>
          void (step === 'copying' && progress.update(megabytes(done), megabytes(total))),
      })
    } finally {
      progress.stop()
    }
    const { address, manifest, rows, tables, seconds, keyAddress, removed } = made
    if (options.place.name === undefined) {
      try {
        storeGood(config.dataDir, { at: Date.parse(manifest.takenAt), address, bytes: manifest.bytes, seconds })
      } catch (error) {
        this.out.note(`${address} is complete, but appsvc status will not know of it: ${messageOf(error)}`)
      }
    }
    const keyFile = resolve(masterKeyFile(config))
    const { takenAt, bytes, sha256, schema } = manifest
    this.out.value({
      backup: address,
      takenAt,
      bytes,
      sha256,
      schema,
      tables,
      rows,
      seconds: Math.round(seconds * 1000) / 1000,
      verified: true,
      key: keyAddress ?? null,
      masterKeyFile: keyFile,
      removed,
    })
    this.out.line(
      `Backed up to ${this.out.paint('bold', address)}: ${sizeOf(bytes)}, ${countOf(tables, 'table')}, ${countOf(rows, 'row')}; ` +
        `checked, ${seconds.toFixed(1)} s.`,
    )
    for (const old of removed) this.out.line(`Deleted ${old}.`)
    this.out.line(
      keyAddress === undefined
        ? `The key is not in it: keep ${keyFile} apart. A restored database needs it.`
        : this.out.paint(
            'yellow',
            `The key is beside it (${keyAddress}): whoever has both can read your gateway credentials.`,
          ),
    )
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
