import { existsSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { Config } from '../../platform/config/settings.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { BaseCommand } from '../kinds/base.ts'
import { programName, shellWord } from '../output/shell.ts'

export class Init extends BaseCommand {
  static override summary = 'Write a commented settings file and the master key'
  static override description =
    'Optional: every setting has a default, and the server creates a missing master key. Existing files are never overwritten.'
  static override examples = ['appsvc init', 'appsvc init --dir /var/lib/appsvc', 'appsvc init --again']
  static override flags = {
    dir: Flags.string({ helpValue: 'DIR', description: 'directory for both files; default: the data directory' }),
    again: Flags.boolean({
      description: 'the database is gone for good: let the next start begin with an empty one and the same master key',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Init)
    const { config } = await this.settings(flags, flags.dir === undefined ? {} : { dataDir: flags.dir })
    if (flags.again) return this.#again(config)
    const [{ prepareDataDirectory }, { commentedYaml }, { loadMasterKey }, { masterKeyFile }] = await Promise.all([
      import('../../platform/files/data-directory.ts'),
      import('../../config.ts'),
      import('../../platform/crypto/vault.ts'),
      import('../../open.ts'),
    ])
    prepareDataDirectory(config.dataDir)
    const file = resolve(config.dataDir, 'appsvc.yaml')
    const keyFile = resolve(masterKeyFile(config))
    if (existsSync(file)) throw new AppError('conflict', `${file} already exists; it was not changed`)
    const newKey = !existsSync(keyFile)
    loadMasterKey(keyFile)
    try {
      const head = `appsvc reads this file from ${config.dataDir}, or from the path given with --config.`
      await writeFile(file, commentedYaml([head]), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      throw new AppError('config', `${file} cannot be written: ${messageOf(error)}`)
    }
    this.out.value({ config: file, masterKey: keyFile, dataDir: resolve(config.dataDir) })
    this.out.fields({ settings: file, 'master key': keyFile })
    if (newKey)
      this.out.note(
        'Keep a copy of the master key in a safe place: without it the stored credentials cannot be decrypted.',
      )
    const inDefaultPlace = resolve(config.dataDir) === resolve('./data')
    this.out.note(
      `Start with: ${programName(this.io)} serve${inDefaultPlace ? '' : ` --data-dir ${shellWord(join(config.dataDir))}`}`,
    )
  }

  /** Forgets the database that is gone, so that the next start makes an empty one. */
  async #again(config: Config): Promise<void> {
    const [{ findLoss, usedMark }, { lockDirectory }] = await Promise.all([
      import('../../open.ts'),
      import('../../platform/files/lock.ts'),
    ])
    const dataDir = resolve(config.dataDir)
    const mark = usedMark(config)
    if (!existsSync(mark)) {
      throw new AppError(
        'conflict',
        `no database was used in ${dataDir} so far: begin with ${programName(this.io)} serve`,
      )
    }
    const lock = await lockDirectory(config.dataDir, { waitMs: 0 })
    try {
      if ((await findLoss(config)) === undefined) {
        throw new AppError(
          'conflict',
          `the database of ${dataDir} is there, so it was not forgotten: move it away first`,
        )
      }
      rmSync(mark)
    } finally {
      lock.release()
    }
    this.out.value({ forgotten: true, dataDir })
    this.out.line(
      `The database that is gone was forgotten. The next start of ${programName(this.io)} serve makes an empty one.`,
    )
    this.out.note('Keep the master key: it opens the backups of that database.')
  }
}
