import type { Sql } from '../../../platform/db/connect.ts'
import { countShard, dialectOf, jsonRows, unindexed } from '../../../platform/db/dialect.ts'

/** The counts of a message that are kept by language, as columns. */
const COUNTS = ['recipients', 'shown', 'read'] as const

/** The numbers of users who got a message in one language, on whose devices it was shown, and who read it in the inbox. */
export interface InAppLanguageCount extends Record<(typeof COUNTS)[number], number> {
  /** The tag of a variant, or `default`. */
  language: string
}

export type InAppLanguageCounts = ReturnType<typeof languageCountsRepository>

/** Users by the language in which they got a message. Tables: docs/reference/schema.md#in_app_language_counts. */
export function languageCountsRepository(sql: Sql) {
  return {
    /** Adds to the counts of a message, in the transaction that stores what is counted. */
    async countLanguages(appId: number, messageId: number, added: readonly InAppLanguageCount[]): Promise<void> {
      if (added.length === 0) return
      // Sorted, so that two connections that share a shard cannot deadlock.
      const sorted = added.toSorted((a, b) => (a.language < b.language ? -1 : 1))
      const lines = sorted.map((one) => [one.language, ...COUNTS.map((column) => one[column])])
      await sql.raw(
        `WITH given (language, ${COUNTS.join(', ')}) AS (${jsonRows(sql, ['text', 'bigint', 'bigint', 'bigint'], lines.length)})
         INSERT INTO in_app_language_counts (message_id, shard, language, app_id, ${COUNTS.join(', ')})
         SELECT CAST(? AS bigint), ${countShard(dialectOf(sql))}, language, CAST(? AS bigint), ${COUNTS.join(', ')} FROM given WHERE true
         ON CONFLICT (message_id, language, shard) DO UPDATE SET
           ${COUNTS.map((column) => `${column} = in_app_language_counts.${column} + excluded.${column}`).join(', ')}`,
        [JSON.stringify(lines), messageId, appId],
      )
    },

    /** The counts of a message by language, the most frequent first; none where it has only one. */
    async languages(appId: number, messageId: number): Promise<InAppLanguageCount[]> {
      return sql('in_app_language_counts')
        .where({ message_id: messageId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .groupBy('language')
        .select('language')
        .sum<InAppLanguageCount[]>(Object.fromEntries(COUNTS.map((column) => [column, column])))
        .orderBy([{ column: 'recipients', order: 'desc' }, 'language'])
    },
  }
}
