import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, whereIds } from '../../platform/db/dialect.ts'
import { newestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { integer, type Row, table, text } from '../../platform/db/table.ts'
import { type Checkin, type CheckinFilter, CONTACTS, type Holder, type NewContact } from './types.ts'

const CHECKINS = table('checkins', {
  id: integer('id'),
  appId: integer('app_id'),
  userIdentifier: text('user_identifier'),
  location: text('location'),
  partySize: integer('party_size'),
  timezone: text('timezone').orNull,
  checkedInAt: integer('checked_in_at'),
  checkedOutAt: integer('checked_out_at').orNull,
})

type CheckinRow = Row<typeof CHECKINS>

/** The owner of a check-in. */
export interface KeyHolder extends Omit<Holder, 'deviceKey'> {
  /** Digest of the device key. */
  keyDigest: string
}

const heldBy = ({ appId, userIdentifier, keyDigest }: KeyHolder) => ({
  app_id: appId,
  user_identifier: userIdentifier,
  device_key: keyDigest,
})

export type CheckinsRepository = ReturnType<typeof checkinsRepository>

/** Tables: docs/reference/schema.md#checkins, #checkin_contacts. */
export function checkinsRepository(sql: Sql) {
  const checkins = () => sql('checkins')
  const contacts = () => CONTACTS.in(sql)

  async function withContacts(rows: readonly CheckinRow[]): Promise<Checkin[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const byCheckin = Map.groupBy(
      (await contacts().whereIn('checkin_id', ids).orderBy('id')).map(CONTACTS.fromRow),
      ({ checkinId }) => checkinId,
    )
    return rows.map((row) => ({ ...CHECKINS.fromRow(row), contacts: byCheckin.get(row.id) ?? [] }))
  }

  function weighed(where: object, before: number | undefined, limit: number, isOpen?: boolean): Promise<WeighedRow[]> {
    const people = sql('checkin_contacts').whereRaw('checkin_contacts.checkin_id = checkins.id')
    return sql('checkins')
      .where(where)
      .modify((query) => {
        // As the partial index of open ones has it.
        if (isOpen !== undefined) void query.whereRaw(`checked_out_at IS ${isOpen ? '' : 'NOT '}NULL`)
      })
      .modify(newestFirst(before, limit))
      .select('id', people.sum({ bytes: sql.raw('COALESCE(octet_length(meta), 0)') }).as('bytes'))
  }

  return {
    /** Stores a check-in with its contacts. Returns its id. */
    async create(
      checkin: Omit<Checkin, 'id' | 'checkedOutAt' | 'contacts'> & KeyHolder,
      people: readonly NewContact[],
    ): Promise<number> {
      const [made] = await checkins()
        .insert({ ...CHECKINS.toRow(checkin), device_key: checkin.keyDigest })
        .returning('id')
      await contacts().insert(people.map((contact) => CONTACTS.toRow({ ...contact, checkinId: made!.id })))
      return made!.id
    },

    /** A check-in of this user and device. */
    async find(of: KeyHolder, id: number): Promise<Checkin | undefined> {
      return (await withContacts(await checkins().where({ id, ...heldBy(of) })))[0]
    },

    /**
     * The same as `find`, locked until the commit. Without the lock, two people who check out at once would each see
     * the other as present, and the group would stay open.
     */
    async lock(of: KeyHolder, id: number): Promise<Checkin | undefined> {
      const found = checkins().where({ id, ...heldBy(of) })
      return (await withContacts(await (isPostgres(sql) ? found.forNoKeyUpdate() : found)))[0]
    },

    /** Ids and sizes of the open check-ins of a user and device, newest first. */
    open(of: KeyHolder, limit: number): Promise<WeighedRow[]> {
      return weighed({ ...heldBy(of), checked_out_at: null }, undefined, limit)
    },

    /** Ids and sizes of check-ins, newest first, before the id `before`. */
    list(
      appId: number,
      { isOpen, userIdentifier }: CheckinFilter,
      before: number | undefined,
      limit: number,
    ): Promise<WeighedRow[]> {
      const where = { app_id: appId, ...(userIdentifier !== undefined && { user_identifier: userIdentifier }) }
      return weighed(where, before, limit, isOpen)
    },

    /** The check-ins with these ids; unknown ids are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Checkin[]> {
      return withContacts(await whereIds(checkins(), sql, appId, ids))
    },

    /** Checks out one person, or everyone in the group who is still present. */
    async checkOut(checkinId: number, contactId: number | undefined, now: number): Promise<void> {
      await contacts()
        .where({ checkin_id: checkinId, checked_out_at: null })
        .modify((query) => {
          if (contactId !== undefined) void query.where({ id: contactId })
        })
        .update({ checked_out_at: now })
    },

    /** Closes the check-in unless somebody is still present. */
    async closeIfEmpty(checkinId: number, now: number): Promise<void> {
      await checkins()
        .where({ id: checkinId, checked_out_at: null })
        .whereNotExists(
          sql('checkin_contacts').where({ checkin_id: checkinId, checked_out_at: null }).select(sql.raw('1')),
        )
        .update({ checked_out_at: now })
    },

    /** Deletes at most `limit` check-ins of all apps from before `before`, with their contacts. Returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('checkins').where('checked_in_at', '<', before).orderBy('checked_in_at').limit(limit).select('id')
      return sql('checkins').whereIn('id', old).delete()
    },

    /** Deletes at most `limit` check-ins of an app with their contacts. Returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'checkins', sql('checkins').where({ app_id: appId }).orderBy('id').limit(limit))
    },
  }
}
