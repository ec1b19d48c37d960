import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { AppError, messageOf } from '../../platform/errors.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Init extends BaseCommand {
  static override summary = 'Write a commented settings file and the master key'
  static override description =
    'Not needed to start: every setting has a default and the master key is made when it is missing. Existing files are never overwritten.'
  static override examples = ['<%= config.bin %> init', '<%= config.bin %> init --dir /var/lib/appsvc']
  static override flags = {
    dir: Flags.string({ helpValue: 'DIR', description: 'where to write both; else the data directory' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Init)
    const { config } = await this.settings(flags, flags.dir === undefined ? {} : { dataDir: flags.dir })
    const [{ prepareDataDirectory }, { defaultYaml }, { loadMasterKey }, { masterKeyFile }] = await Promise.all([
      import('../../platform/data-directory.ts'),
      import('../../config.ts'),
      import('../../platform/crypto.ts'),
      import('../../open.ts'),
    ])
    prepareDataDirectory(config.dataDir)
    const file = resolve(config.dataDir, 'appsvc.yaml')
    const keyFile = resolve(masterKeyFile(config))
    if (existsSync(file)) throw new AppError('conflict', `${file} exists already: it was left as it is`)
    const newKey = !existsSync(keyFile)
    loadMasterKey(keyFile)
    try {
      await writeFile(file, commentedOut(defaultYaml(), config.dataDir), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      throw new AppError('config', `${file} cannot be written: ${messageOf(error)}`)
    }
    this.out.value({ config: file, masterKey: keyFile, dataDir: resolve(config.dataDir) })
    this.out.fields({ settings: file, 'master key': keyFile })
    if (newKey)
      this.out.note('Keep a copy of the master key in a safe place: without it the stored credentials are lost.')
    const inDefaultPlace = resolve(config.dataDir) === resolve('./data')
    this.out.note(`Start with: appsvc serve${inDefaultPlace ? '' : ` --data-dir ${join(config.dataDir)}`}`)
  }
}

/** Every setting as a comment: a file that says nothing until somebody takes a mark away. */
function commentedOut(yaml: string, dataDir: string): string {
  const lines = yaml
    .split('\n')
    .slice(1)
    .map((line) => (line === '' || line.trimStart().startsWith('#') ? line : `#${line}`))
  return `# Settings of appsvc. Take away the # in front of what you change.\n# This file is found in ${dataDir} or named with --config.${lines.join('\n')}`
}
