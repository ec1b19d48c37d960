import { chunks } from '../../platform/concurrency/chunks.ts'
import { inSlices } from '../../platform/concurrency/slices.ts'
import type { Database } from '../../platform/db/connect.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { AppsService } from '../apps/service.ts'
import { addListed, readListed } from './list-file.ts'
import { PERSONAL } from './personal.ts'
import { type Place, SEARCHED } from './search.repository.ts'
import type { ErasuresService, Stepped } from './service.ts'
import type { Erasure, ErasureState } from './types.ts'

interface Areas {
  erasures: ErasuresService
}

export interface RunParts {
  /** Areas for reading. */
  program: Areas & { apps: Pick<AppsService, 'find'> }
  inTransaction<T>(work: (areas: Areas) => Promise<T>): Promise<T>
  clock: Pick<Clock, 'monotonic' | 'sleep'>
  db: Pick<Database, 'purge'>
  /** The erasure list beside the database (list-file.ts). */
  file: string
  signal?: AbortSignal | undefined
  /** Called between slices. */
  look?(): Promise<void> | void
}

/** Erasures that are read at once. */
const AT_ONCE = 100
/** Rows of one statement of the search. */
const SEARCHED_ROWS = 500
/** Users or installs whose digests are computed in one transaction: some milliseconds. */
const RECOGNISED = 1000

/** Tables from which an erasure deletes, or in which it changes rows. */
const TOUCHED = [
  ...new Set([...PERSONAL, ...SEARCHED].map(({ table }) => table)),
  'checkin_contacts',
  'geofence_users',
  'erasures',
]

/**
 * Puts erasures on the list that stand in the file and not in the database, because it was restored from an older backup. Call
 * it at each start, and before a held database is released. Returns how many.
 */
export async function restoreErasures({
  program,
  inTransaction,
  file,
}: Pick<RunParts, 'program' | 'inTransaction' | 'file'>) {
  let restored = 0
  for (const [appId, ofApp] of Map.groupBy(readListed(file), (listed) => listed.appId)) {
    if (!(await program.apps.find(appId))) continue
    for (const some of chunks(ofApp, AT_ONCE)) {
      const ids = some.map(({ id }) => id)
      const known = new Set(await program.erasures.among(appId, ids))
      const missing = some.filter(({ id }) => !known.has(id))
      if (missing.length === 0) continue
      await inTransaction(async ({ erasures }) => {
        for (const listed of missing) await erasures.restore(listed)
      })
      restored += missing.length
    }
  }
  return restored
}

/** Open erasures in one of these states, some at a time; their states may change meanwhile. */
async function* batches({ program, signal }: RunParts, states: readonly ErasureState[]): AsyncGenerator<Erasure[]> {
  for (let after: Erasure | undefined; !signal?.aborted; ) {
    const some = await program.erasures.open(AT_ONCE, states, after)
    if (some.length > 0) yield some
    if (some.length < AT_ONCE) return
    after = some.at(-1)
  }
}

/**
 * Takes every open erasure as far as it gets: deletes in short transactions with a pause after each, then searches the
 * text that no index finds, then has the database clean its files. An erasure that has to wait, for a page that is
 * being sent or a file that is being read, stays open for the next call. Can be interrupted at any point, and several
 * processes may call it at once. Returns how many are still open, counting to 100.
 */
export async function runErasures(parts: RunParts): Promise<number> {
  const { program, signal } = parts
  const open = () => program.erasures.open(AT_ONCE, ['requested', 'erasing', 'searching', 'cleaning'])
  if ((await open()).length === 0) return 0
  for await (const some of batches(parts, ['requested'])) await recogniseAll(parts, some)
  let listed: Set<string> | undefined
  for await (const some of batches(parts, ['requested', 'erasing'])) {
    listed ??= new Set(readListed(parts.file).map(({ id }) => id))
    for (const erasure of some) {
      if (signal?.aborted) break
      // Before anything is deleted: from now on a restored database is erased again.
      if (!listed.has(erasure.id)) addListed(parts.file, erasure)
      await eraseRows(parts, erasure)
    }
  }
  for await (const some of batches(parts, ['searching'])) {
    for (const ofApp of Map.groupBy(some, ({ appId }) => appId).values()) await searchFor(parts, ofApp)
  }
  await clean(parts)
  return (await open()).length
}

async function eraseRows(parts: RunParts, { appId, id }: Erasure): Promise<void> {
  await inSlices<Areas>(
    parts,
    async ({ erasures }, limit) => {
      const stepped: Stepped = await erasures.step(appId, id, limit)
      return stepped === 'more' ? limit : 0
    },
    { onSlice: () => parts.look?.() },
  )
}

/** Finds the names of erasures in a restored database. */
async function recogniseAll({ inTransaction, signal, look }: RunParts, open: readonly Erasure[]): Promise<void> {
  const unknown = open.filter(({ names, state }) => names === null && state === 'requested')
  for (const some of Map.groupBy(unknown, ({ appId, kind }) => `${appId} ${kind}`).values()) {
    for (let after: number | undefined = 0; after !== undefined && !signal?.aborted; ) {
      const from: number = after
      after = await inTransaction(({ erasures }) => erasures.recognise(some, from, RECOGNISED))
      await look?.()
    }
  }
}

/** One search for all erasures of an app. It reads outside of transactions, and writes only rows with a name. */
async function searchFor({ program, inTransaction, signal, look }: RunParts, some: readonly Erasure[]): Promise<void> {
  const { appId } = some[0]!
  const names = [...new Set(some.flatMap((erasure) => erasure.names ?? []))]
  for (let table = 0; table < SEARCHED.length; table++) {
    let after: Place | undefined
    do {
      if (signal?.aborted) return
      const found = await program.erasures.searchNext(appId, table, names, after, SEARCHED_ROWS)
      for (const place of found.hits) {
        await inTransaction(({ erasures }) => erasures.takeOut(appId, table, names, place))
      }
      after = found.last
      await look?.()
    } while (after)
  }
  await inTransaction(async ({ erasures }) => {
    for (const erasure of some) await erasures.forgetNames(erasure)
  })
}

/** Cleans the files. An erasure is done when nothing of it is left in them, as far as the database allows. */
async function clean(parts: RunParts): Promise<void> {
  const rest: Erasure[] = []
  for await (const some of batches(parts, ['cleaning'])) rest.push(...some)
  if (rest.length === 0 || parts.signal?.aborted || !(await parts.db.purge(TOUCHED))) return
  for (const some of chunks(rest, AT_ONCE)) {
    await parts.inTransaction(async ({ erasures }) => {
      for (const erasure of some) await erasures.finish(erasure)
    })
  }
}
