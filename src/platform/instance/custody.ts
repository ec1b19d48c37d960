import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import type { Database, Sql } from '../db/connect.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from '../time/clock.ts'
import { fileIdentity, postgresIdentity } from './identity.ts'
import { readMark, writeMark } from './mark-file.ts'
import { type Hold, type Instance, type InstanceRepository, instanceRepository } from './repository.ts'

export interface CustodyParts {
  db: Database
  /** The SQLite file and the mark file next to it; not used on PostgreSQL. */
  file: string
  markFile: string
  clock: Clock
  log: Log
  /** Whether the database contains anything that could be sent. */
  isUsed(): Promise<boolean>
  /** Called in the transaction that finds the database restored or copied. */
  restored?(trx: Sql): Promise<void>
}

/** The reason for which a database is held that was copied to another one begins with it; the address of the copy follows. */
export const MOVED = 'this database was moved to '

/** Whether a database is held because its copy sends now. To release it would send everything twice. */
export const isMoved = (reason: string) => reason.startsWith(MOVED)

/** The message for people: why sending is held, and what to do. */
export function heldSentence(reason: string): string {
  // Why it was held before it was moved matters to the copy only.
  if (isMoved(reason))
    return `sending is held: ${reason.split('; ')[0]!}; start appsvc on that copy and leave this database stopped`
  return `sending is held: ${reason}; appsvc release shows what waits and asks, so cancel what must not go out first`
}

/** Detects at a start that a database was restored or copied, and keeps the marks that make this possible. */
export interface Custody {
  /** Why the next start would hold the database; undefined when it is the one that was used last. Changes nothing. */
  suspicion(): Promise<string | undefined>
  /** Called at a start: takes the database over, and holds it when it is not the one that was used last. Returns the current hold. */
  takeOver(): Promise<Hold | undefined>
  /** Writes new marks, so that earlier copies are recognized. Does nothing on PostgreSQL. */
  advance(): Promise<void>
  /** Ends the hold. True when there was one. `own`: no other process serves this database, so we may write its marks. */
  release(own: boolean): Promise<boolean>
}

/**
 * A restored backup must not repeat what was sent after it was made (docs/decisions/0019-held-databases-and-faults.md). Two things show
 * that a database is not the one that was closed last: its identity, and on SQLite a random mark. The mark is kept in the database
 * and in a file next to it, and changes in both at every start, at every clean end and every minute.
 */
export function createCustody({ db, file, markFile, clock, log, isUsed, restored }: CustodyParts): Custody {
  const repo = instanceRepository(db.read)
  const isFile = db.kind === 'sqlite'
  const identify = () => (isFile ? fileIdentity(file) : postgresIdentity(db.read))
  const write = <T>(work: (repo: InstanceRepository, trx: Sql) => Promise<T>) =>
    db.write((trx) => work(instanceRepository(trx), trx))
  let advancing: Promise<void> | undefined

  async function suspicionOf(known: Instance, identity: string | null): Promise<string | undefined> {
    const isOther = known.identity !== null && identity !== null && known.identity !== identity
    if (isOther && !isFile)
      return 'this is not the PostgreSQL database that was used last (restored from a dump, or upgraded by pg_upgrade)'
    if (isOther) return 'the database file was copied or restored, and is not the one that was used last'
    if (!isFile) return undefined
    const mark = await readMark(markFile)
    const name = basename(markFile)
    if (known.mark === null) {
      if (mark === undefined || !(await isUsed())) return undefined
      return `the database is older than the mark beside it (${name}): a backup was put in its place`
    }
    if (mark === undefined) return `the mark file ${name} is missing: the database came here without it`
    if (mark === known.mark || mark === known.previousMark) return undefined
    return `the database and the mark beside it (${name}) are not of the same time: a backup was put in its place`
  }

  async function writeNewMark(): Promise<void> {
    const known = await repo.read()
    // The file must never be more than one mark behind. A kill or a full disk may have prevented the last write to it.
    if (known.mark !== null && (await readMark(markFile)) !== known.mark) writeMark(markFile, known.mark)
    const identity = await identify()
    const mark = randomBytes(16).toString('base64url')
    // The database first: a kill between the two writes leaves the previous mark in the file, which is accepted.
    await write(async (tx) => {
      await tx.setMarks({ mark, previousMark: known.mark })
      // When the creation time cannot be read at the moment, the known identity stays.
      if (identity !== null) await tx.setIdentity(identity)
    })
    writeMark(markFile, mark)
  }

  async function advance(): Promise<void> {
    if (!isFile || db.soundness.damaged) return
    advancing ??= writeNewMark().finally(() => (advancing = undefined))
    await advancing
  }

  return {
    async suspicion() {
      return suspicionOf(await repo.read(), await identify())
    },

    async takeOver() {
      const identity = await identify()
      const before = await repo.read()
      if ((await suspicionOf(before, identity)) === undefined) {
        if (!isFile && before.identity === null && identity !== null) await write((tx) => tx.setIdentity(identity))
        return before.hold ?? undefined
      }
      const hold = await write(async (tx, trx) => {
        // Another node may have held the database in the meantime.
        const known = await tx.lock()
        const reason = await suspicionOf(known, identity)
        if (reason === undefined) return known.hold
        const found = known.hold ?? { since: clock.now(), reason }
        await tx.setHold(found)
        await restored?.(trx)
        if (identity !== null) await tx.setIdentity(identity)
        return found
      })
      // The hold is now stored in the database, so the marks may agree again.
      await advance()
      return hold ?? undefined
    },

    advance: () =>
      advance().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'the marks of the database could not be renewed; trying again')
      }),

    async release(own) {
      const identity = await identify()
      const wasHeld = await write(async (tx, trx) => {
        const known = await tx.lock()
        const suspicion = own ? await suspicionOf(known, identity) : undefined
        // Otherwise it was called when the hold began.
        if (suspicion !== undefined) await restored?.(trx)
        await tx.setHold(null)
        if (own && identity !== null) await tx.setIdentity(identity)
        return known.hold !== null || suspicion !== undefined
      })
      if (own) await advance()
      return wasHeld
    },
  }
}
