import { chunks } from '../../platform/concurrency/chunks.ts'
import { keyOf, lockUntilCommit } from '../../platform/db/advisory-lock.ts'
import type { Sql } from '../../platform/db/connect.ts'
import { databaseNow, unindexed } from '../../platform/db/dialect.ts'
import { newestFirst } from '../../platform/db/pages.ts'
import { type ChannelImport, IMPORTS, type UnknownLine } from './types.ts'

/** The progress of an import by one batch. */
export interface Advance {
  place: number
  line: number
  applied: number
  unknown: number
}

/** Maximum number of lines with unknown users that are stored for an import. Further ones are only counted. */
export const MAX_UNKNOWN_KEPT = 1000

/** First key of the advisory locks of batches on PostgreSQL ("subs"). The second is the app id. */
const BATCH_LOCK = 0x73756273

/** Conditions as the partial indexes write them. */
const OPEN = "state IN ('queued', 'running')"
const FINISHED = "state IN ('done', 'failed')"
/**
 * Excludes imports of deleted channels, whose rows are deleted later. With the OFFSET PostgreSQL looks each channel up;
 * without it, its planner may join, and read every channel up to the newest one that is asked for.
 */
const CHANNEL_IS_THERE =
  'EXISTS (SELECT 1 FROM channels WHERE channels.app_id = channel_imports.app_id AND channels.id = channel_id LIMIT 1 OFFSET 0)'

export type ImportsRepository = ReturnType<typeof importsRepository>

/** Imports of files with subscribers. Tables: docs/reference/schema.md#channel_imports, #channel_import_unknowns. */
export function importsRepository(sql: Sql) {
  const imports = () => IMPORTS.in(sql)

  return {
    async insert(
      given: Pick<ChannelImport, 'id' | 'appId' | 'channelId' | 'size' | 'total'>,
      now: number,
    ): Promise<ChannelImport> {
      const [row] = await imports()
        .insert(IMPORTS.toRow({ ...given, state: 'queued', createdAt: now, updatedAt: now }))
        .returning('*')
      return IMPORTS.fromRow(row!)
    },

    async find(appId: number, channelId: number, id: string): Promise<ChannelImport | undefined> {
      const row = await imports().where({ app_id: appId, channel_id: channelId, uuid: id }).first()
      return row && IMPORTS.fromRow(row)
    },

    /** Imports of a channel, newest first, before the row `before`. */
    async list(appId: number, channelId: number, before: number | undefined, limit: number): Promise<ChannelImport[]> {
      const found = imports().where({ app_id: appId, channel_id: channelId }).modify(newestFirst(before, limit))
      return (await found).map(IMPORTS.fromRow)
    },

    /** Unfinished imports of all apps, oldest first. */
    async open(limit: number): Promise<ChannelImport[]> {
      return (await imports().whereRaw(OPEN).whereRaw(CHANNEL_IS_THERE).orderBy('id').limit(limit)).map(IMPORTS.fromRow)
    },

    /** The current state of an import; undefined when its channel was deleted. */
    async get(row: number): Promise<ChannelImport | undefined> {
      const found = await imports().where({ id: row }).whereRaw(CHANNEL_IS_THERE).first()
      return found && IMPORTS.fromRow(found)
    },

    /**
     * Locks an import until the commit, for a batch of it on PostgreSQL. False when it is not at the place in `from` any more, finished or
     * deleted. Call it before users are looked up: see `awaitBatches`.
     */
    async lock(from: ChannelImport): Promise<boolean> {
      await lockUntilCommit(sql, BATCH_LOCK, keyOf(from.appId), 'shared')
      const open = imports().where({ id: from.row, place: from.place }).whereRaw(OPEN)
      return (await open.forNoKeyUpdate().first('id')) !== undefined
    },

    /**
     * Waits for the batches of the app that are under way on PostgreSQL, and holds others back until the commit. A user who is deleted in this
     * transaction is therefore either subscribed before, or not found. SQLite has a single writer.
     */
    async awaitBatches(appId: number): Promise<void> {
      await lockUntilCommit(sql, BATCH_LOCK, keyOf(appId))
    },

    /**
     * Advances an import from the place in `from`. False, and nothing changed, when it is at another place, finished or
     * deleted.
     */
    async advance(from: ChannelImport, { place, line, applied, unknown }: Advance, now: number): Promise<boolean> {
      const changed = await imports()
        .where({ id: from.row, place: from.place })
        .whereRaw(OPEN)
        .update({
          place,
          line,
          applied: from.applied + applied,
          unknown: from.unknown + unknown,
          state: place >= from.size ? 'done' : 'running',
          updated_at: now,
        })
      return changed > 0
    },

    /**
     * Takes an open import for `leaseMs`, or keeps it for so long from now on. False while another worker has it, and when it
     * is over.
     */
    async claim(row: number, owner: string, leaseMs: number): Promise<boolean> {
      const now = databaseNow(sql)
      const changed = await imports()
        .where({ id: row })
        .whereRaw(OPEN)
        .whereRaw(`(owner = ? OR lease_until < ${now})`, [owner])
        .update({ owner, lease_until: sql.raw(`${now} + ?`, [leaseMs]) } as never)
      return changed > 0
    },

    /** Ends the lease of a worker. */
    async release(row: number, owner: string): Promise<void> {
      await imports().where({ id: row, owner }).update({ lease_until: 0 })
    },

    async fail(row: number, error: string, now: number): Promise<void> {
      await imports().where({ id: row }).whereRaw(OPEN).update({ state: 'failed', error, updated_at: now })
    },

    async insertUnknown(row: number, lines: readonly UnknownLine[]): Promise<void> {
      for (const some of chunks(lines, 200)) {
        await sql('channel_import_unknowns').insert(some.map((one) => ({ import_id: row, ...one })))
      }
    },

    async unknownLines(row: number): Promise<UnknownLine[]> {
      return sql('channel_import_unknowns').where({ import_id: row }).orderBy('line').select('line', 'identifier')
    },

    /** Imports among `ids` that still need their file. */
    async openAmong(ids: readonly string[]): Promise<Set<string>> {
      const rows = await imports()
        .whereIn('uuid', ids as string[])
        .whereRaw(OPEN)
        .whereRaw(CHANNEL_IS_THERE)
        .select('uuid')
      return new Set(rows.map(({ uuid }) => uuid))
    },

    /** Tells whether a file that was uploaded by then (ms) is still being read, or waits for it. */
    async isReading(appId: number, by: number): Promise<boolean> {
      const open = imports()
        .whereRaw(OPEN)
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
      return (await open.where('created_at', '<=', by).whereRaw(CHANNEL_IS_THERE).first('id')) !== undefined
    },

    /** Deletes up to `limit` imports that finished before `before` (ms). Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = imports().whereRaw(FINISHED).where('updated_at', '<', before).limit(limit).select('id')
      return imports().whereIn('id', old).delete()
    },

    /** Deletes up to `limit` imports of a channel, with what is left of their files in the database. Returns how many. */
    async deleteOf(appId: number, channelId: number, limit: number): Promise<number> {
      const some = imports().where({ app_id: appId, channel_id: channelId }).orderBy('id').limit(limit)
      const gone = await some.select('id', 'uuid')
      if (gone.length === 0) return 0
      const files = gone.map(({ uuid }) => uuid)
      await sql('subscriber_file_slices').where({ app_id: appId }).whereIn('file', files).delete()
      return imports()
        .whereIn(
          'id',
          gone.map(({ id }) => id),
        )
        .delete()
    },
  }
}
