import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { CopiedDatabase, Place, Stage } from '../../../domain/db-copy/copy.ts'
import type { Config } from '../../../platform/config/settings.ts'
import { AppError, isAppError, messageOf } from '../../../platform/errors.ts'
import { readSecret } from '../../input/files.ts'
import { BaseCommand, type GlobalFlags } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'
import { type Progress, startProgress } from '../../output/progress.ts'

/** The time (ms) to wait for a server that is just ending. */
const LOCK_WAIT_MS = 3000
const VARIABLE = 'APPSVC_COPY_TO'

/** The place of the copy: PostgreSQL, or SQLite in a data directory. */
type Target = Place & { dir?: string }

export class DbCopy extends BaseCommand {
  static override summary = 'Copy the database to PostgreSQL or to another data directory, and move there'
  static override description =
    'Stop every server first: nobody can write to the source while it is copied. The target must be empty. Every table is counted and ' +
    'compared; then the source is held (appsvc release undoes that) and the target is ready, so that only one of the two sends. An ' +
    'interrupted copy goes on when the same command is run again; a finished one says so. ' +
    `An address with a password goes into --to-file or ${VARIABLE}; PGPASSWORD works, too.`
  static override examples = [
    'appsvc db copy --to postgres://appsvc@db.example.com/appsvc',
    'appsvc db copy --to-file target.url --data-dir /var/lib/appsvc',
    'appsvc db copy --to ./data-sqlite --with-key --database-url postgres://appsvc@db.example.com/appsvc',
  ]
  static override flags = {
    to: Flags.string({
      helpValue: 'URL|DIR',
      description: 'postgres://… without a password, or the data directory of a new SQLite database',
      exclusive: ['to-file'],
    }),
    'to-file': Flags.string({ helpValue: 'FILE', description: 'file with the target; - for standard input' }),
    'with-key': Flags.boolean({ description: 'copy the master key to the new data directory, too' }),
    restart: Flags.boolean({ description: 'drop what an interrupted copy has stored, and begin anew' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(DbCopy)
    const target = await this.#target(flags)
    const { config } = await this.settings(flags)
    const { masterKeyFile } = await import('../../../open.ts')
    const keyFile = resolve(masterKeyFile(config))
    refuseSame(config, target)
    if (flags['with-key'] && !target.dir) {
      throw new AppError(
        'usage',
        '--with-key is for a data directory: a server on PostgreSQL keeps its key file where it is',
      )
    }
    const from = await this.#prepareSource(flags, config)
    const withKey = flags['with-key'] ? keyFile : undefined
    const { finishedCopy } = await import('../../../domain/db-copy/finished.ts')
    const finished = flags.restart ? undefined : await finishedCopy(from, target)
    if (finished) return this.#sayFinished(target, { from, keyFile, withKey, held: finished.held })
    const bring = target.dir ? await this.#prepareDirectory(target.dir, config, withKey) : undefined
    const { moved, seconds } = await this.#move(from, target, flags.restart, bring, config)

    const { hasKey, keyAt } = keyOf(target, keyFile)
    this.out.value({
      from: from.shown,
      to: target.shown,
      rows: moved.rows,
      seconds,
      equal: true,
      repeated: false,
      tables: moved.tables.map(({ name, rows, digest }) => ({ name, rows, digest })),
      source: 'held',
      target: moved.held === null ? 'ready' : 'held',
      masterKey: { file: keyAt, present: hasKey },
    })
    this.out.table(
      ['TABLE', 'ROWS', 'DIGEST'],
      moved.tables.filter(({ rows }) => rows > 0).map(({ name, rows, digest }) => [name, rows, digest.slice(0, 12)]),
      '',
    )
    this.out.line()
    this.out.line(
      `${countOf(moved.rows, 'row')} in ${countOf(moved.tables.length, 'table')} copied and compared in ${seconds} s: all are equal.`,
    )
    this.#sayWhatNext(target, { keyFile, keyAt, hasKey, held: moved.held })
  }

  /** Tells that an earlier run has finished: nothing is copied again. Only a key that was left out then is still brought. */
  async #sayFinished(
    target: Target,
    {
      from,
      keyFile,
      withKey,
      held,
    }: { from: Place; keyFile: string; withKey: string | undefined; held: string | null },
  ): Promise<void> {
    const { keyAt } = keyOf(target, keyFile)
    if (withKey !== undefined && !existsSync(keyAt)) {
      const { makePrivateFile } = await import('../../../platform/files/data-directory.ts')
      makePrivateFile(keyAt)
      copyFileSync(withKey, keyAt)
    }
    const { hasKey } = keyOf(target, keyFile)
    this.out.value({
      from: from.shown,
      to: target.shown,
      repeated: true,
      source: 'held',
      target: held === null ? 'ready' : 'held',
      masterKey: { file: keyAt, present: hasKey },
    })
    this.out.line(`This database was moved to ${target.shown} before, and the copy is whole: nothing was copied now.`)
    this.#sayWhatNext(target, { keyFile, keyAt, hasKey, held })
  }

  #sayWhatNext(
    target: Target,
    { keyFile, keyAt, hasKey, held }: { keyFile: string; keyAt: string; hasKey: boolean; held: string | null },
  ): void {
    const { out } = this
    out.line(
      'The old database is held now: it sends nothing, so nothing is sent twice. To go back to it, run appsvc release on it and never start the copy.',
    )
    if (!hasKey) out.note(`The master key was not copied. Before the first start: install -m 600 ${keyFile} ${keyAt}`)
    if (target.dir) out.note(`Start the copy with: appsvc serve --data-dir ${target.dir}`)
    else out.note(`Start the copy with APPSVC_DATABASE_URL set to ${target.shown}, and with the master key ${keyFile}`)
    if (held !== null) out.note(`The copy is held as the old database was (${held}): appsvc release`)
  }

  /** The target from the flag, the file or the environment. Throws `usage`. */
  async #target(flags: { to?: string | undefined; 'to-file'?: string | undefined }): Promise<Target> {
    const { containsPassword } = await import('../../../platform/config/config.ts')
    if (flags.to !== undefined && containsPassword(flags.to)) {
      throw new AppError(
        'usage',
        `--to must not contain a password, because the process list shows it: use --to-file, - for standard input, or ${VARIABLE}`,
      )
    }
    const file = flags['to-file'] ?? (flags.to === '-' ? '-' : undefined)
    const given =
      file === undefined ? (flags.to ?? this.io.environment[VARIABLE]) : await readSecret(this.io, file, '--to-file')
    const text = given?.trim()
    if (!text)
      throw new AppError('usage', `name the target with --to, --to-file or ${VARIABLE}: postgres://… or a directory`)
    if (!/^[a-z]+:\/\//i.test(text)) {
      const dir = resolve(text)
      return { dir, file: join(dir, 'appsvc.sqlite'), shown: dir }
    }
    if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
      throw new AppError('usage', 'the target is neither postgres://user@host/database nor a directory')
    }
    const [{ masked }, { Secret }] = await Promise.all([
      import('../../../platform/config/masked.ts'),
      import('../../../platform/config/secret.ts'),
    ])
    return { url: text, file: '', shown: String(masked(new Secret(text))) }
  }

  /** Opens the source as a server would, which migrates it and checks its key; then locks it. */
  async #prepareSource(flags: GlobalFlags, config: Config): Promise<Place> {
    const [{ custodyOf, databaseFile }, { masked }] = await Promise.all([
      import('../../../open.ts'),
      import('../../../platform/config/masked.ts'),
    ])
    const program = await this.open(flags)
    const url = config['database.url'].reveal() || undefined
    // A restored database that no server has found yet: it is held, and so is its copy.
    const custody = custodyOf(program)
    const isServed =
      url === undefined && (await (await import('../../../doctor/state/served.ts')).isServed(program)) === true
    if (!isServed && (await custody.suspicion()) !== undefined) await custody.takeOver()
    await program.kernel.db.close()
    if (url !== undefined) return { url, file: '', shown: String(masked(config['database.url'])) }
    await this.#lock(config.dataDir)
    return { file: resolve(databaseFile(config)), shown: resolve(config.dataDir) }
  }

  async #lock(dir: string): Promise<void> {
    const { lockDirectory } = await import('../../../platform/files/lock.ts')
    const lock = await lockDirectory(dir, { waitMs: LOCK_WAIT_MS })
    this.onEnd(() => lock.release())
  }

  /** Makes and locks the new data directory. Returns a function that brings the files that belong to the database. */
  async #prepareDirectory(dir: string, config: Config, keyFile: string | undefined): Promise<() => Promise<void>> {
    const [{ makePrivateFile, prepareDataDirectory }, { uploadsDirectory }, { erasuresFile }] = await Promise.all([
      import('../../../platform/files/data-directory.ts'),
      import('../../../domain/channels/files/disk.ts'),
      import('../../../domain/erasures/list-file.ts'),
    ])
    prepareDataDirectory(dir)
    const newKey = join(dir, 'master.key')
    if (keyFile !== undefined && existsSync(newKey) && !readFileSync(newKey).equals(readFileSync(keyFile))) {
      throw new AppError('conflict', `${newKey} exists and is another key: remove it, or leave --with-key out`)
    }
    await this.#lock(dir)
    makePrivateFile(join(dir, 'appsvc.sqlite'))
    return async () => {
      for (const path of [uploadsDirectory, erasuresFile]) {
        if (existsSync(path(config.dataDir))) await cp(path(config.dataDir), path(dir), { recursive: true, mode: 0 })
      }
      if (keyFile !== undefined) {
        makePrivateFile(newKey)
        copyFileSync(keyFile, newKey)
      }
    }
  }

  async #move(
    from: Place,
    to: Target,
    restart: boolean,
    bring: (() => Promise<void>) | undefined,
    config: Config,
  ): Promise<{ moved: CopiedDatabase; seconds: number }> {
    const [{ createDiskSpace, noDisk }, { keepReserve }] = await Promise.all([
      import('../../../platform/files/disk-space.ts'),
      import('../../kinds/reserve.ts'),
    ])
    const lowWater = config['disk.lowWater']
    const disk = to.dir ? createDiskSpace({ dir: to.dir, lowWater, now: () => performance.now() }) : noDisk
    const [{ copyDatabase }, { migrations }, { systemClock }, { untilAskedToStop }] = await Promise.all([
      import('../../../domain/db-copy/copy.ts'),
      import('../../../../migrations/index.ts'),
      import('../../../platform/time/clock.ts'),
      import('../../process/signals.ts'),
    ])
    const stop = new AbortController()
    const { asked, end } = untilAskedToStop()
    void asked.then(() =>
      stop.abort(
        new AppError(
          'unavailable',
          'the copy was interrupted; the source is as it was. Run the same command again to go on',
        ),
      ),
    )
    const begun = performance.now()
    const shown: Partial<Record<Stage, Progress>> = {}
    try {
      const moved = await copyDatabase({
        from,
        to,
        restart,
        migrations,
        clock: systemClock,
        log: await this.openLog(),
        signal: stop.signal,
        ...(bring && { bring }),
        onResumed: (how) =>
          this.out.note(
            how === 'goes on'
              ? 'An interrupted copy goes on.'
              : 'The source has changed since the interrupted copy: it begins anew.',
          ),
        onProgress: async (stage, rows, total) => {
          if (stage === 'copying') keepReserve(disk, '; the source is as it was. Run the same command again to go on')
          if (stage === 'comparing') shown.copying?.stop()
          const progress = (shown[stage] ??= await startProgress(this.io, stage === 'copying' ? 'row' : 'compared row'))
          progress.update(rows, total)
        },
      })
      return { moved, seconds: Math.round((performance.now() - begun) / 100) / 10 }
    } catch (error) {
      throw isAppError(error)
        ? error
        : new AppError('unavailable', `the copy stopped: ${messageOf(error)}; the source is as it was`)
    } finally {
      for (const progress of Object.values(shown)) progress.stop()
      end()
    }
  }
}

/** The place for the key of the copy, and whether a key is there. */
function keyOf(target: Target, keyFile: string): { keyAt: string; hasKey: boolean } {
  const keyAt = target.dir ? join(target.dir, 'master.key') : keyFile
  return { keyAt, hasKey: !target.dir || existsSync(keyAt) }
}

function refuseSame(config: Config, target: Target): void {
  const url = config['database.url'].reveal()
  const isSame = target.dir
    ? url === '' && resolve(config.dataDir) === target.dir
    : url !== '' && sameDatabase(url, target.url!)
  if (isSame) throw new AppError('usage', 'the target is the source: name another directory or database with --to')
}

function sameDatabase(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.host === b.host && a.pathname === b.pathname
}
