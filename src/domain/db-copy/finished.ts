import { existsSync } from 'node:fs'
import { openPostgresStore } from '../../platform/db/copy/postgres-store.ts'
import { openSqliteStore } from '../../platform/db/copy/sqlite-store.ts'
import type { Store } from '../../platform/db/copy/store.ts'
import type { Place } from './copy.ts'
import { movedReason } from './reason.ts'
import { stateOf } from './target.ts'

/** A move that was finished by an earlier run. */
export interface FinishedCopy {
  /** The hold of the copy; null when it is ready. */
  held: string | null
}

/**
 * Finds out whether this very move was finished before: the source is held because of it, and the target is a whole database of the same
 * keys. Reads only, so both may be in use. Undefined when there is something left to do, or to refuse.
 */
export async function finishedCopy(from: Place, to: Place): Promise<FinishedCopy | undefined> {
  const source = await reading(from, instanceOf)
  if (source?.held_reason?.startsWith(movedReason(to)) !== true || !hasDatabase(to)) return undefined
  const target = await reading(to, async (store) =>
    (await stateOf(store)).holds === 'others' ? instanceOf(store) : undefined,
  )
  // Both belong to the keys of one installation: another database may have come to this address meanwhile.
  const isCopy = target !== undefined && target.key_check === source.key_check && target.pepper === source.pepper
  return isCopy && source.key_check !== null ? { held: target.held_reason } : undefined
}

const hasDatabase = ({ url, file }: Place) => url !== undefined || existsSync(file)

async function reading<T>({ url, file }: Place, read: (store: Store) => Promise<T>): Promise<T> {
  const store = url ? await openPostgresStore(url) : openSqliteStore(file)
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

type InstanceRow = Record<'key_check' | 'pepper' | 'held_reason', string | null>

/** Reads the identity of a database; undefined when it has no such table. */
async function instanceOf(store: Store): Promise<InstanceRow | undefined> {
  if (!(await store.shapes()).some(({ name }) => name === 'instance')) return undefined
  const [row] = await store.run('SELECT key_check, pepper, held_reason FROM instance WHERE id = 1')
  return row as InstanceRow | undefined
}
