import type { Sql } from '../../../platform/db/connect.ts'

/** A slice of a file, to be stored. */
interface Slice {
  /** The uuid of the import. */
  file: string
  slice: number
  bytes: Buffer
}

/** Files of which some slices are looked at in one tidying. */
const MOST_FILES = 200

export type SlicesRepository = ReturnType<typeof slicesRepository>

/** The bytes of subscriber files that wait in the database. Tables: docs/reference/schema.md#subscriber_file_slices. */
export function slicesRepository(sql: Sql) {
  const slices = () => sql('subscriber_file_slices')

  return {
    async insert(appId: number, { file, slice, bytes }: Slice, now: number): Promise<void> {
      await slices().insert({ app_id: appId, file, slice, bytes, created_at: now })
    },

    async read(appId: number, file: string, slice: number): Promise<Buffer | undefined> {
      const row: { bytes: Buffer } | undefined = await slices().where({ app_id: appId, file, slice }).first('bytes')
      return row?.bytes
    },

    /** Tells whether the database has the begin of a file. */
    async has(appId: number, file: string): Promise<boolean> {
      return (await slices().where({ app_id: appId, file, slice: 0 }).first('slice')) !== undefined
    },

    async remove(appId: number, file: string): Promise<void> {
      await slices().where({ app_id: appId, file }).delete()
    },

    /** Files of all apps of which nothing was stored since `before` (ms). */
    async old(before: number): Promise<{ appId: number; file: string }[]> {
      const rows: { app_id: number; file: string }[] = await slices()
        .distinct('app_id', 'file')
        .where('created_at', '<', before)
        .whereNotExists(
          sql('subscriber_file_slices as newer')
            .whereRaw('newer.app_id = subscriber_file_slices.app_id AND newer.file = subscriber_file_slices.file')
            .where('newer.created_at', '>=', before)
            .select(sql.raw('1')),
        )
        .limit(MOST_FILES)
      return rows.map(({ app_id: appId, file }) => ({ appId, file }))
    },
  }
}
