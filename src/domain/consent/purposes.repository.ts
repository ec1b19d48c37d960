import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, type LockPurpose, rowLocked, unindexed } from '../../platform/db/dialect.ts'
import { boolean, integer, table, text } from '../../platform/db/table.ts'
import { lockApp } from '../apps/repository.ts'
import { type Choice, type ChoiceSource, PURPOSES, type Purpose } from './types.ts'

const CHOICES = table('user_purposes', {
  userId: integer('user_id'),
  purposeId: integer('purpose_id'),
  appId: integer('app_id'),
  allowed: boolean('allowed'),
  source: text('source').as<ChoiceSource>(),
  at: integer('at'),
})

export type PurposesRepository = ReturnType<typeof purposesRepository>

/** Purposes of an app, and the choices of its users. Tables: docs/reference/schema.md#purposes, #user_purposes, #deleted_purposes. */
export function purposesRepository(sql: Sql) {
  const purposes = () => PURPOSES.in(sql)

  return {
    /**
     * The purposes of an app, at most `MAX_PURPOSES`, in the order of their creation; with `keep` locked until the
     * commit against deletion.
     */
    async list(appId: number, { keep = false } = {}): Promise<Purpose[]> {
      const listed = purposes().where({ app_id: appId }).orderBy('id')
      if (keep && isPostgres(sql)) void listed.forKeyShare()
      return (await listed).map(PURPOSES.fromRow)
    },

    async find(appId: number, uid: string): Promise<Purpose | undefined> {
      const row = await purposes().where({ app_id: appId, uid }).first()
      return row && PURPOSES.fromRow(row)
    },

    /** The purpose, locked until the commit: to change or to delete it, or against deletion (`keep`). SQLite has a single writer. */
    async lock(appId: number, uid: string, why: LockPurpose | 'keep'): Promise<Purpose | undefined> {
      const row = await purposes()
        .where({ app_id: appId, uid })
        .modify((query) => {
          if (why !== 'keep') rowLocked(sql, why)(query)
          else if (isPostgres(sql)) void query.forKeyShare()
        })
        .first()
      return row && PURPOSES.fromRow(row)
    },

    /** Locks the app until the commit, so that its purposes are counted right. */
    async lockAll(appId: number): Promise<void> {
      await lockApp(sql, appId)
    },

    async insert(given: Omit<Purpose, 'id'>): Promise<Purpose> {
      const [row] = await purposes().insert(PURPOSES.toRow(given)).returning('*')
      return PURPOSES.fromRow(row!)
    },

    async update({ appId, id, ...purpose }: Purpose): Promise<void> {
      await purposes().where({ app_id: appId, id }).update(PURPOSES.toRow(purpose))
    },

    /** Deletes a purpose. The choices of users have no effect any more and are deleted later. */
    async delete(appId: number, id: number): Promise<void> {
      await purposes().where({ app_id: appId, id }).delete()
      await sql('deleted_purposes').insert({ purpose_id: id, app_id: appId })
    },

    /**
     * Deletes at most `limit` choices for purposes that are gone; returns how many. Fewer than the limit when none are
     * left.
     */
    async forgetDeleted(limit: number): Promise<number> {
      let left = limit
      while (left > 0) {
        const gone: { purpose_id: number } | undefined = await sql('deleted_purposes')
          .orderBy('purpose_id')
          .first('purpose_id')
        if (!gone) break
        const some = CHOICES.in(sql).where({ purpose_id: gone.purpose_id }).orderBy('user_id').limit(left)
        const deleted = await deleteSome(sql, 'user_purposes', some)
        if (deleted < left) await sql('deleted_purposes').where({ purpose_id: gone.purpose_id }).delete()
        left -= deleted
      }
      return limit - left
    },

    /** The choices of a user, by id of the purpose. */
    async choicesOf(appId: number, userId: number): Promise<Map<number, Choice>> {
      const rows = await CHOICES.in(sql)
        .where({ user_id: userId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
      return new Map(rows.map((row) => [row.purpose_id, CHOICES.fromRow(row)]))
    },

    async choose(appId: number, userId: number, purposeId: number, choice: Choice): Promise<void> {
      await CHOICES.in(sql)
        .insert(CHOICES.toRow({ appId, userId, purposeId, ...choice }) as never)
        .onConflict(['user_id', 'purpose_id'] as never)
        .merge()
    },

    /** Forgets the choice of a user for a purpose: its default decides again. */
    async forgetChoice(appId: number, userId: number, purposeId: number): Promise<void> {
      await CHOICES.in(sql)
        .where({ user_id: userId, purpose_id: purposeId })
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .delete()
    },
  }
}
