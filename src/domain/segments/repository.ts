import type { Knex } from 'knex'
import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, rowsOf, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, oldestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { SEGMENTS, type Segment, type SegmentKey } from './types.ts'

/** Subscribed installs of one platform after the row `after`, in the order of their rows. */
export interface Stretch {
  appId: number
  platform: number
  after: number
}

/** The checked installs: the row of the last one (null if there are none), their number, and how many of them match. */
export interface Count {
  last: number | null
  seen: number
  matching: number
}

export interface Match {
  installId: string
  userIdentifier: string
}

export type SegmentsRepository = ReturnType<typeof segmentsRepository>

/** Tables: docs/reference/schema.md#installs, #segments. */
export function segmentsRepository(sql: Sql) {
  const segments = () => SEGMENTS.in(sql)
  const STRETCH =
    'SELECT * FROM installs WHERE app_id = ? AND platform = ? AND id > ? AND subscribed ORDER BY id LIMIT ?'

  return {
    async find(appId: number, key: SegmentKey): Promise<Segment | undefined> {
      const row = await segments()
        .where({ app_id: appId, ...key })
        .first()
      return row && SEGMENTS.fromRow(row)
    },

    /**
     * The segment, locked until the commit against changes (`change`) or against deletion (`keep`). SQLite has a single
     * writer.
     */
    async lock(appId: number, key: SegmentKey, purpose: 'change' | 'keep'): Promise<Segment | undefined> {
      const row = await segments()
        .where({ app_id: appId, ...key })
        .modify((query) => {
          if (isPostgres(sql)) void (purpose === 'change' ? query.forUpdate() : query.forKeyShare())
        })
        .first()
      return row && SEGMENTS.fromRow(row)
    },

    async insert(segment: Omit<Segment, 'id'>): Promise<Segment> {
      const [row] = await segments().insert(SEGMENTS.toRow(segment)).returning('*')
      return SEGMENTS.fromRow(row!)
    },

    async update({ id, ...segment }: Segment): Promise<void> {
      await segments().where({ app_id: segment.appId, id }).update(SEGMENTS.toRow(segment))
    },

    /** Stores a count of the segment as it was at `updatedAt`; a segment that has changed meanwhile keeps what it has. */
    async setSize({ appId, id, updatedAt, size, isSizeEstimated, sizedAt }: Segment): Promise<void> {
      const counted = { size, size_estimated: isSizeEstimated, sized_at: sizedAt }
      await segments().where({ app_id: appId, id, updated_at: updatedAt }).update(counted)
    },

    async delete(appId: number, id: number): Promise<void> {
      await segments().where({ app_id: appId, id }).delete()
    },

    /** Ids and sizes of segments in the order of their creation, after the id `after`. */
    list(appId: number, after: number, limit: number): Promise<WeighedRow[]> {
      const listed = sql('segments').where({ app_id: appId }).modify(oldestFirst(after, limit))
      return listed.select('id', bytesOf(sql, ['filter']))
    },

    /** The segments with these ids; unknown ids are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Segment[]> {
      return (await whereIds(segments(), sql, appId, ids)).map(SEGMENTS.fromRow)
    },

    /** The first segment after the id `after` whose filter, as JSON, contains a text. */
    async containing(appId: number, text: string, after: number): Promise<Segment | undefined> {
      const position = isPostgres(sql) ? 'strpos' : 'instr'
      const row = await segments()
        .where({ app_id: appId })
        .where('id', '>', after)
        .whereRaw(`${position}(filter, ?) > 0`, [text])
        .orderBy('id')
        .first()
      return row && SEGMENTS.fromRow(row)
    },

    /** The rows of the first and the last subscribed install of a platform; undefined without any. */
    async edges(appId: number, platform: number): Promise<{ first: number; last: number } | undefined> {
      const subscribed = () => sql('installs').where({ app_id: appId, platform }).whereRaw('subscribed')
      const first: { id: number } | undefined = await subscribed().orderBy('id').first('id')
      const last: { id: number } | undefined = await subscribed().orderBy('id', 'desc').first('id')
      return first && last && { first: first.id, last: last.id }
    },

    /** Checks the next `size` subscribed installs. Reads no more than those, however few match. */
    async count({ appId, platform, after }: Stretch, size: number, condition: Knex.Raw): Promise<Count> {
      const result = await sql.raw(
        `SELECT MAX(id) AS last, COUNT(*) AS seen, COUNT(CASE WHEN ? THEN 1 END) AS matching FROM (${STRETCH}) AS installs`,
        [condition, appId, platform, after, size],
      )
      return rowsOf<Count>(result)[0]!
    },

    /** The first `limit` matches among the next `size` subscribed installs. */
    async firstOf(
      { appId, platform, after }: Stretch,
      size: number,
      condition: Knex.Raw,
      limit: number,
    ): Promise<Match[]> {
      const result = await sql.raw(
        `SELECT install_id AS "installId",
           (SELECT identifier FROM users WHERE users.id = installs.user_id) AS "userIdentifier"
         FROM (${STRETCH}) AS installs WHERE ? ORDER BY id LIMIT ?`,
        [appId, platform, after, size, condition, limit],
      )
      return rowsOf<Match>(result)
    },
  }
}
