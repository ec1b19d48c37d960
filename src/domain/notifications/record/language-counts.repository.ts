import type { Sql } from '../../../platform/db/connect.ts'
import { among, countShard, jsonLines, type List, listOf, unindexed } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'

/** Counts of a notification in one language: recipients that got it, and recipients that opened it. */
export interface LanguageCount {
  /** The tag of a variant, or `default`. */
  language: string
  accepted: number
  opened: number
}

/** Numbers to add, by language. */
export type LanguageAdditions = Readonly<Partial<Record<'accepted' | 'opened', ReadonlyMap<string, number>>>>

const COUNT_LANGUAGES = prepared<{ lines: string; notificationId: number; appId: number }>(
  (kind) =>
    `WITH given (language, accepted, opened) AS (${jsonLines(kind, ['text', 'bigint', 'bigint'], ':lines', { isFew: true })})
     INSERT INTO language_counts (notification_id, shard, language, app_id, accepted, opened)
     SELECT CAST(:notificationId AS bigint), ${countShard(kind)}, language, CAST(:appId AS bigint), accepted, opened FROM given WHERE true
     ON CONFLICT (notification_id, language, shard) DO UPDATE SET
       accepted = language_counts.accepted + excluded.accepted, opened = language_counts.opened + excluded.opened`,
)

/** The counts of a notification by language. */
const COUNTS_OF = prepared<{ appId: number; notificationId: number }, LanguageCount>(
  `SELECT language, CAST(SUM(accepted) AS bigint) AS accepted, CAST(SUM(opened) AS bigint) AS opened FROM language_counts
   WHERE notification_id = :notificationId AND ${unindexed('app_id')} = :appId
   GROUP BY language ORDER BY accepted DESC, language`,
)

/** The languages of notifications in which somebody got them. */
const LANGUAGES_OF = prepared<{ appId: number; ids: List }, { id: number; language: string }>(
  (kind) =>
    `SELECT DISTINCT notification_id AS id, language FROM language_counts
     WHERE ${among(kind, 'notification_id', 'ids')} AND ${unindexed('app_id')} = :appId`,
)

export type LanguageCounts = ReturnType<typeof languageCountsRepository>

/** Recipients by language. Tables: docs/reference/schema.md#language_counts. */
export function languageCountsRepository(sql: Sql) {
  return {
    /** Adds to the counts of a notification, in the transaction that stores what is counted. */
    async countLanguages(
      { appId, notificationId }: { appId: number; notificationId: number },
      { accepted = new Map(), opened = new Map() }: LanguageAdditions,
    ): Promise<void> {
      // Sorted, so that two connections that share a shard cannot deadlock.
      const languages = [...new Set([...accepted.keys(), ...opened.keys()])].sort()
      const lines = languages.map((language) => [language, accepted.get(language) ?? 0, opened.get(language) ?? 0])
      await COUNT_LANGUAGES.run(sql, { lines: JSON.stringify(lines), notificationId, appId })
    },

    /** The counts of a notification by language, the most frequent first; none where it has only one. */
    async languages(appId: number, notificationId: number): Promise<LanguageCount[]> {
      return COUNTS_OF.all(sql, { appId, notificationId })
    },

    /** The languages in which somebody got these notifications, by id; those with only one language are missing. */
    async languagesOf(appId: number, ids: readonly number[]): Promise<Map<number, string[]>> {
      const rows = await LANGUAGES_OF.all(sql, { appId, ids: listOf(sql, ids) })
      const byId = Map.groupBy(rows, ({ id }) => id)
      return new Map([...byId].map(([id, some]) => [id, some.map(({ language }) => language)]))
    },
  }
}
