import { rmSync } from 'node:fs'
import { nextKeyFile, replaceKeyFile } from '../../platform/crypto/key-file.ts'
import { createVault, makeMasterKey, readKeyFile, type Vault } from '../../platform/crypto/vault.ts'
import type { Database, Sql } from '../../platform/db/connect.ts'
import { rowsOf } from '../../platform/db/dialect.ts'
import { COUNT_OTHERS, inUse, refuseOthers } from '../../platform/db/others.ts'
import { AppError } from '../../platform/errors.ts'
import { instanceRepository } from '../../platform/instance/repository.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { type Resealed, reseal, SEALED_TABLES } from './reseal.ts'

export interface RotationParts {
  /** With one connection: any other one is somebody else's. */
  db: Database
  /** Of the key that the database belongs to. */
  vault: Vault
  keyFile: string
  /** The next key; a new one when absent. */
  next?: Buffer | undefined
}

export interface Rotated extends Resealed {
  /** Where the key of before is kept. */
  formerKey: string | undefined
  /** Whether nothing of the old values is left in the files of the database. */
  purged: boolean
}

/**
 * Gives the database another master key. The next key is on disk before the database belongs to it, and the key file is replaced
 * afterwards: after a kill anywhere in between, the next start or rotation finishes it (`finishRotation` of open.ts). No server may run:
 * throws `unavailable` when one does on PostgreSQL (on SQLite the caller holds the directory lock), `conflict` when the next key is the
 * present one.
 */
export async function rotateMasterKey({ db, vault, keyFile, next }: RotationParts): Promise<Rotated> {
  if (db.kind === 'postgres') await refuseOthers(() => countOthers(db.read))
  const file = nextKeyFile(keyFile)
  if (next && createVault(next).keyCheck() === vault.keyCheck()) {
    throw new AppError(
      'conflict',
      'the next master key is the present one: name a new one with --key-file, or leave it out',
    )
  }
  // Of an interrupted rotation that had stored nothing.
  if (next) rmSync(file, { force: true })
  makeMasterKey(file, next)
  const nextVault = createVault(readKeyFile(file)!)
  failpoint('rotate.written')
  const resealed = await db.write(async (trx) => {
    if (db.kind === 'postgres') await keepOthersOut(trx)
    if ((await instanceRepository(trx).lock()).keyCheck !== vault.keyCheck()) {
      throw new AppError('conflict', 'the database has got another master key meanwhile: put its key file in place')
    }
    return reseal(trx, vault, nextVault)
  })
  failpoint('rotate.stored')
  const formerKey = replaceKeyFile(keyFile)
  failpoint('rotate.replaced')
  return { ...resealed, formerKey, purged: await db.purge(SEALED_TABLES).catch(() => false) }
}

async function countOthers(sql: Sql): Promise<number> {
  return rowsOf<{ count: number }>(await sql.raw(COUNT_OTHERS))[0]!.count
}

/**
 * A server that goes on with the old key would seal values that nobody can open. Whoever starts from now on waits for this lock, and then
 * finds that its key is not the one of the database.
 */
async function keepOthersOut(trx: Sql): Promise<void> {
  await trx.raw('LOCK TABLE instance IN ACCESS EXCLUSIVE MODE')
  const others = await countOthers(trx)
  if (others > 0) throw inUse(others)
}
