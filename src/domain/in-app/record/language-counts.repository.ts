import type { Sql } from '../../../platform/db/connect.ts'
import { countShard, jsonLines, unindexed } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'

/** The counts of a message that are kept by language, as columns. */
const COUNTS = ['recipients', 'shown', 'read'] as const

/** The numbers of users who got a message in one language, on whose devices it was shown, and who read it in the inbox. */
export interface InAppLanguageCount extends Record<(typeof COUNTS)[number], number> {
  /** The tag of a variant, or `default`. */
  language: string
}

const COUNT_LANGUAGES = prepared<{ lines: string; messageId: number; appId: number }>(
  (kind) =>
    `WITH given (language, ${COUNTS.join(', ')}) AS (${jsonLines(kind, ['text', 'bigint', 'bigint', 'bigint'], ':lines', { isFew: true })})
     INSERT INTO in_app_language_counts (message_id, shard, language, app_id, ${COUNTS.join(', ')})
     SELECT CAST(:messageId AS bigint), ${countShard(kind)}, language, CAST(:appId AS bigint), ${COUNTS.join(', ')} FROM given WHERE true
     ON CONFLICT (message_id, language, shard) DO UPDATE SET
       ${COUNTS.map((column) => `${column} = in_app_language_counts.${column} + excluded.${column}`).join(', ')}`,
)

/** The counts of a message by language. */
const COUNTS_OF = prepared<{ appId: number; messageId: number }, InAppLanguageCount>(
  `SELECT language, ${COUNTS.map((column) => `CAST(SUM(${column}) AS bigint) AS ${column}`).join(', ')} FROM in_app_language_counts
   WHERE message_id = :messageId AND ${unindexed('app_id')} = :appId
   GROUP BY language ORDER BY recipients DESC, language`,
)

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
      await COUNT_LANGUAGES.run(sql, { lines: JSON.stringify(lines), messageId, appId })
    },

    /** The counts of a message by language, the most frequent first; none where it has only one. */
    async languages(appId: number, messageId: number): Promise<InAppLanguageCount[]> {
      return COUNTS_OF.all(sql, { appId, messageId })
    },
  }
}
