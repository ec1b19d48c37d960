import type { Sql } from '../../platform/db/connect.ts'
import { unindexed } from '../../platform/db/dialect.ts'
import { IMPORTS, type ImportProgress, type SourceName } from './types.ts'

export type ImportsRepository = ReturnType<typeof importsRepository>

/** Imports of other services that are not finished. Tables: docs/reference/schema.md#imports. */
export function importsRepository(sql: Sql) {
  const imports = () => IMPORTS.in(sql)

  return {
    async find(appId: number, source: SourceName, digest: string): Promise<ImportProgress | undefined> {
      const row = await imports().where({ app_id: appId, source, digest }).first()
      return row && IMPORTS.fromRow(row)
    },

    /** Imports of all apps, oldest first. */
    async list(limit: number): Promise<ImportProgress[]> {
      return (await imports().orderBy('id').limit(limit)).map(IMPORTS.fromRow)
    },

    /** Imports of an app behind the row `after`, at most `limit`. */
    async listOf(appId: number, after: number, limit: number): Promise<ImportProgress[]> {
      const found = imports()
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
      return (await found).map(IMPORTS.fromRow)
    },

    /** Forgets the progress of an import. False when there is none with this id. */
    async drop(appId: number, id: number): Promise<boolean> {
      return (await imports().where({ app_id: appId, id }).delete()) > 0
    },

    /** Begins an import, or begins the same one again. */
    async begin(given: Omit<ImportProgress, 'id'>): Promise<ImportProgress> {
      const { appId: _app, source: _source, digest: _digest, ...fresh } = given
      const [row] = await imports()
        .insert(IMPORTS.toRow(given))
        .onConflict(['app_id', 'source', 'digest'])
        .merge(IMPORTS.toRow(fresh))
        .returning('id')
      return { ...given, id: row!.id }
    },

    /** Moves an import forward. False when it is not at `from` any more: another process continues it. */
    async advance(
      { id, appId }: Pick<ImportProgress, 'id' | 'appId'>,
      from: number,
      { place, counts, errorsSize, updatedAt }: Pick<ImportProgress, 'place' | 'counts' | 'errorsSize' | 'updatedAt'>,
    ): Promise<boolean> {
      const row = IMPORTS.toRow({ place, counts, errorsSize, updatedAt })
      return (await imports().where({ id, app_id: appId, place: from }).update(row)) > 0
    },

    async finish({ id, appId }: Pick<ImportProgress, 'id' | 'appId'>): Promise<void> {
      await imports().where({ id, app_id: appId }).delete()
    },
  }
}
