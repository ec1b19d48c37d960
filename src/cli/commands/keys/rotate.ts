import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { Rotated } from '../../../domain/rotation/rotate.ts'
import { readKeyText } from '../../input/files.ts'
import { BaseCommand } from '../../kinds/base.ts'
import { countOf } from '../../output/plural.ts'

const LOCK_WAIT_MS = 3000

export class KeysRotate extends BaseCommand {
  static override summary = 'Change the master key: seal every stored secret anew'
  static override description =
    'Stop every server first; it takes seconds. Access keys, signed users and suppressions stay valid. On several machines, copy the new ' +
    'key file to each before you start them. Backups made before need the old key, which is kept beside the new one. To replace a key ' +
    'of an app, use appsvc apps keys rotate.'
  static override examples = [
    'appsvc keys rotate --master',
    'appsvc keys rotate --master --key-file next.key --data-dir /var/lib/appsvc',
  ]
  static override flags = {
    master: Flags.boolean({ required: true, description: 'change the master key' }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      description: 'the new key: 32 bytes in base64 (openssl rand -base64 32); default: one is made',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysRotate)
    const [{ createVault, readMasterKey }, { nextKeyFile }, { databaseOf, masterKeyFile }] = await Promise.all([
      import('../../../platform/crypto/vault.ts'),
      import('../../../platform/crypto/key-file.ts'),
      import('../../../open.ts'),
    ])
    const { 'key-file': given } = flags
    const nextText = given === undefined ? undefined : await readKeyText(this.io, given)
    const next = nextText && readMasterKey(nextText.text, nextText.file)
    const { config } = await this.settings(flags)
    const keyFile = resolve(masterKeyFile(config))
    const wasInterrupted = existsSync(nextKeyFile(keyFile))
    const program = await this.open(flags)
    if (wasInterrupted && !existsSync(nextKeyFile(keyFile))) return this.#say({ finished: true, keyFile })
    const { vault } = program.kernel
    await program.kernel.db.close()
    if (next && createVault(next).keyCheck() === vault.keyCheck()) {
      this.out.value({ masterKey: keyFile, finished: true, values: 0 })
      this.out.line('The database belongs to this master key already: nothing was sealed anew.')
      return
    }

    const url = config['database.url'].reveal() || undefined
    if (!url) await this.#lock(config.dataDir)
    const [{ rotateMasterKey }, { connect }] = await Promise.all([
      import('../../../domain/rotation/rotate.ts'),
      import('../../../platform/db/connect.ts'),
    ])
    const db = connect({ ...databaseOf(config), log: await this.openLog(), pool: 1 })
    this.onEnd(() => db.close())
    this.#say({ finished: false, keyFile, ...(await rotateMasterKey({ db, vault, keyFile, next })) })
  }

  #say({ keyFile, finished, ...done }: { keyFile: string; finished: boolean } & Partial<Rotated>): void {
    const { out } = this
    const { values, unopened = 0, formerKey, purged } = done
    out.value({ masterKey: keyFile, finished, ...done })
    if (finished) out.line('An interrupted rotation was finished: the database belongs to the new master key.')
    else out.line(`${countOf(values!, 'stored secret')} sealed anew: the database belongs to the new master key.`)
    out.fields({ 'master key': keyFile, 'old master key': formerKey })
    if (unopened > 0) {
      out.note(
        `${countOf(unopened, 'stored secret')} could not be opened with the old key and stayed as before: appsvc gateways check names them.`,
      )
    }
    if (purged === false) out.note('Old values may stay in free space of the database files for a while.')
    out.note(
      'Keep a copy of the new key in a safe place. Backups made before need the old key: delete it when you delete the last of them.',
    )
    out.note('On other machines, replace the key file before you start appsvc.')
  }

  async #lock(dir: string): Promise<void> {
    const { lockDirectory } = await import('../../../platform/files/lock.ts')
    const lock = await lockDirectory(dir, { waitMs: LOCK_WAIT_MS })
    this.onEnd(() => lock.release())
  }
}
