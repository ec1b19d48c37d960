import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/connect.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { fileIdentity, postgresIdentity } from './identity.ts'
import { readMark, writeMark } from './mark-file.ts'
import { type Hold, type Instance, type InstanceRepository, instanceRepository } from './repository.ts'

export interface CustodyParts {
  db: Database
  /** The SQLite file and the mark file beside it; not used on PostgreSQL. */
  file: string
  markFile: string
  clock: Clock
  log: Log
  /** Whether there is anything in the database that could be sent. */
  isUsed(): Promise<boolean>
}

/** What holds, and what to do. */
export function heldSentence(reason: string): string {
  return `sending is held: ${reason}; appsvc release shows what waits and asks, so cancel what must not go out first`
}

/** Who looks after one database: whether it is the one that was closed last, and the marks by which the next start tells. */
export interface Custody {
  /** Why the next start will hold the database; undefined when it is the one that was used last. Changes nothing. */
  suspicion(): Promise<string | undefined>
  /** At a start: takes the database over, held when it is not the one that was used last. Returns the hold that is in force. */
  takeOver(): Promise<Hold | undefined>
  /** Writes new marks, so that copies made before are told apart. Nothing on PostgreSQL. */
  advance(): Promise<void>
  /** Sends again. True when it was held. `own`: nobody else serves this database, so its marks are ours to write. */
  release(own: boolean): Promise<boolean>
}

/**
 * A restored backup must not send again what was sent since it was made (docs/decisions/0019-held-databases-and-faults.md). Two marks tell that a database is not the
 * one that was closed last: its identity, and on SQLite a random mark that stands in the database and in a file beside it and
 * changes in both at every start, at every clean end and every minute.
 */
export function createCustody({ db, file, markFile, clock, log, isUsed }: CustodyParts): Custody {
  const repo = instanceRepository(db.read)
  const isFile = db.kind === 'sqlite'
  const identify = () => (isFile ? fileIdentity(file) : postgresIdentity(db.read))
  const write = <T>(work: (repo: InstanceRepository) => Promise<T>) => db.write((trx) => work(instanceRepository(trx)))
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
    // The file may only ever be one step behind: a kill or a full disk may have kept the last mark from it.
    if (known.mark !== null && (await readMark(markFile)) !== known.mark) writeMark(markFile, known.mark)
    const identity = await identify()
    const mark = randomBytes(16).toString('base64url')
    // First the database: a kill between the two leaves the file with the mark before, which is accepted.
    await write(async (tx) => {
      await tx.setMarks({ mark, previousMark: known.mark })
      // Where the time of birth cannot be told at this moment, the one that is known stays.
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
      const hold = await write(async (tx) => {
        // Another node may have found the same meanwhile.
        const known = await tx.lock()
        const reason = await suspicionOf(known, identity)
        if (reason === undefined) return known.hold
        const found = known.hold ?? { since: clock.now(), reason }
        await tx.setHold(found)
        if (identity !== null) await tx.setIdentity(identity)
        return found
      })
      // From here on the hold stands in the database, and the marks agree again.
      await advance()
      return hold ?? undefined
    },

    advance: () =>
      advance().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'the marks of the database could not be renewed; trying again')
      }),

    async release(own) {
      const identity = await identify()
      const wasHeld = await write(async (tx) => {
        const known = await tx.lock()
        const suspicion = own ? await suspicionOf(known, identity) : undefined
        await tx.setHold(null)
        if (own && identity !== null) await tx.setIdentity(identity)
        return known.hold !== null || suspicion !== undefined
      })
      if (own) await advance()
      return wasHeld
    },
  }
}
