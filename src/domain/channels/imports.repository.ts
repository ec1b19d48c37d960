import { chunks } from '../../platform/chunks.ts'
import type { Sql } from '../../platform/db/connect.ts'
import type { ChannelImport, ImportState, UnknownLine } from './types.ts'

interface ImportRow {
  id: number
  uuid: string
  app_id: number
  channel_id: number
  state: ImportState
  size: number
  place: number
  line: number
  total: number
  applied: number
  unknown: number
  error: string | null
  created_at: number
  updated_at: number
}

const toImport = (row: ImportRow): ChannelImport => ({
  row: row.id,
  id: row.uuid,
  appId: row.app_id,
  channelId: row.channel_id,
  state: row.state,
  size: row.size,
  place: row.place,
  line: row.line,
  total: row.total,
  applied: row.applied,
  unknown: row.unknown,
  error: row.error,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** One batch of an import: how far it comes, and what it found. */
export interface Advance {
  place: number
  line: number
  applied: number
  unknown: number
}

/** Lines of unknown users that are kept of one import; the rest is counted. */
export const MOST_UNKNOWN_KEPT = 1000

/** As the partial indexes say it. */
const OPEN = "state IN ('queued', 'running')"
const FINISHED = "state IN ('done', 'failed')"
/** The rows of a channel that is gone stay a while. */
const CHANNEL_IS_THERE =
  'EXISTS (SELECT 1 FROM channels WHERE channels.app_id = channel_imports.app_id AND channels.id = channel_id)'

export type ImportsRepository = ReturnType<typeof importsRepository>

/** Files of subscribers on their way in. */
export function importsRepository(sql: Sql) {
  const imports = () => sql<ImportRow>('channel_imports')

  return {
    async insert(
      given: Pick<ChannelImport, 'id' | 'appId' | 'channelId' | 'size' | 'total'>,
      now: number,
    ): Promise<ChannelImport> {
      const [row] = await imports()
        .insert({
          uuid: given.id,
          app_id: given.appId,
          channel_id: given.channelId,
          state: 'queued',
          size: given.size,
          total: given.total,
          created_at: now,
          updated_at: now,
        })
        .returning('*')
      return toImport(row!)
    },

    async find(appId: number, channelId: number, id: string): Promise<ChannelImport | undefined> {
      const row = await imports().where({ app_id: appId, channel_id: channelId, uuid: id }).first()
      return row && toImport(row)
    },

    /** Newest first, before the one with the number `before`. */
    async list(appId: number, channelId: number, before: number | undefined, limit: number): Promise<ChannelImport[]> {
      const query = imports().where({ app_id: appId, channel_id: channelId })
      if (before !== undefined) query.where('id', '<', before)
      return (await query.orderBy('id', 'desc').limit(limit)).map(toImport)
    },

    /** Imports that are not through, oldest first, of all apps. */
    async open(limit: number): Promise<ChannelImport[]> {
      return (await imports().whereRaw(OPEN).whereRaw(CHANNEL_IS_THERE).orderBy('id').limit(limit)).map(toImport)
    },

    /** The import as it is now; undefined when its channel is gone. */
    async get(row: number): Promise<ChannelImport | undefined> {
      const found = await imports().where({ id: row }).whereRaw(CHANNEL_IS_THERE).first()
      return found && toImport(found)
    },

    /** Moves an import on from where `from` saw it. False when it is elsewhere, over or gone: then nothing was changed. */
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

    /** Which of these imports still need their file. */
    async openAmong(ids: readonly string[]): Promise<Set<string>> {
      const rows = await imports()
        .whereIn('uuid', ids as string[])
        .whereRaw(OPEN)
        .whereRaw(CHANNEL_IS_THERE)
        .select('uuid')
      return new Set(rows.map(({ uuid }) => uuid))
    },

    /** Deletes up to `limit` imports that were over before `before` (ms). Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = imports().whereRaw(FINISHED).where('updated_at', '<', before).limit(limit).select('id')
      return imports().whereIn('id', old).delete()
    },

    /** Deletes up to `limit` imports of a channel. Returns how many. */
    async deleteOf(appId: number, channelId: number, limit: number): Promise<number> {
      const some = imports().where({ app_id: appId, channel_id: channelId }).orderBy('id').limit(limit).select('id')
      return imports().whereIn('id', some).delete()
    },
  }
}
