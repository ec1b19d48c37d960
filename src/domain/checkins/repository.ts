import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome } from '../../platform/db/delete-some.ts'
import { isPostgres, whereAmong } from '../../platform/db/dialect.ts'
import { newestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import type { Checkin, Contact, Holder, NewContact } from './types.ts'

interface CheckinRow {
  id: number
  app_id: number
  user_identifier: string
  device_key: string
  location: string
  party_size: number
  timezone: string | null
  checked_in_at: number
  checked_out_at: number | null
}

interface ContactRow {
  id: number
  checkin_id: number
  last_name: string
  first_name: string | null
  email_address: string | null
  sms_number: string | null
  meta: string | null
  checked_out_at: number | null
}

const toContact = (row: ContactRow): Contact => ({
  id: row.id,
  checkinId: row.checkin_id,
  lastName: row.last_name,
  firstName: row.first_name,
  emailAddress: row.email_address,
  smsNumber: row.sms_number,
  meta: row.meta === null ? null : (JSON.parse(row.meta) as Record<string, string>),
  checkedOutAt: row.checked_out_at,
})

const toCheckin = (row: CheckinRow, contacts: Contact[]): Checkin => ({
  id: row.id,
  appId: row.app_id,
  userIdentifier: row.user_identifier,
  location: row.location,
  partySize: row.party_size,
  timezone: row.timezone,
  checkedInAt: row.checked_in_at,
  checkedOutAt: row.checked_out_at,
  contacts,
})

/** Who a check-in belongs to. */
export interface KeyHolder extends Omit<Holder, 'deviceKey'> {
  /** Digest of the device's key. */
  keyDigest: string
}

const heldBy = ({ appId, userIdentifier, keyDigest }: KeyHolder) => ({
  app_id: appId,
  user_identifier: userIdentifier,
  device_key: keyDigest,
})

export type CheckinsRepository = ReturnType<typeof checkinsRepository>

export function checkinsRepository(sql: Sql) {
  const checkins = () => sql<CheckinRow>('checkins')
  const contacts = () => sql<ContactRow>('checkin_contacts')

  async function withContacts(rows: readonly CheckinRow[]): Promise<Checkin[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const byCheckin = Map.groupBy(
      (await contacts().whereIn('checkin_id', ids).orderBy('id')).map(toContact),
      ({ checkinId }) => checkinId,
    )
    return rows.map((row) => toCheckin(row, byCheckin.get(row.id) ?? []))
  }

  function weighed(where: object, before: number | undefined, limit: number): Promise<WeighedRow[]> {
    const people = sql('checkin_contacts').whereRaw('checkin_contacts.checkin_id = checkins.id')
    return sql('checkins')
      .where(where)
      .modify(newestFirst(before, limit))
      .select('id', people.sum({ bytes: sql.raw('COALESCE(octet_length(meta), 0)') }).as('bytes'))
  }

  return {
    /** Stores a check-in and its people; returns its id. */
    async create(
      checkin: Omit<Checkin, 'id' | 'checkedOutAt' | 'contacts'> & KeyHolder,
      people: readonly NewContact[],
    ): Promise<number> {
      const [made] = await checkins()
        .insert({
          app_id: checkin.appId,
          user_identifier: checkin.userIdentifier,
          device_key: checkin.keyDigest,
          location: checkin.location,
          party_size: checkin.partySize,
          timezone: checkin.timezone,
          checked_in_at: checkin.checkedInAt,
        })
        .returning('id')
      await contacts().insert(
        people.map((contact) => ({
          checkin_id: made!.id,
          last_name: contact.lastName,
          first_name: contact.firstName,
          email_address: contact.emailAddress,
          sms_number: contact.smsNumber,
          meta: contact.meta === null ? null : JSON.stringify(contact.meta),
        })),
      )
      return made!.id
    },

    /** One of a user and a device. */
    async find(of: KeyHolder, id: number): Promise<Checkin | undefined> {
      return (await withContacts(await checkins().where({ id, ...heldBy(of) })))[0]
    },

    /**
     * `find`, and nobody else changes it or who is there until the commit: two who leave at once would each see the other still there,
     * and the group would stay open.
     */
    async lock(of: KeyHolder, id: number): Promise<Checkin | undefined> {
      const found = checkins().where({ id, ...heldBy(of) })
      return (await withContacts(await (isPostgres(sql) ? found.forNoKeyUpdate() : found)))[0]
    },

    /** Those of a user and a device that are not closed, newest first, with what they weigh. */
    open(of: KeyHolder, limit: number): Promise<WeighedRow[]> {
      return weighed({ ...heldBy(of), checked_out_at: null }, undefined, limit)
    },

    /** Newest first, those before the id `before`, with what they weigh. */
    list(appId: number, before: number | undefined, limit: number): Promise<WeighedRow[]> {
      return weighed({ app_id: appId }, before, limit)
    },

    /** Those with these ids; unknown ones are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Checkin[]> {
      // The plus keeps SQLite from walking all of the app instead of fetching these by id.
      return withContacts(await whereAmong(checkins().whereRaw('+app_id = ?', [appId]), sql, 'id', ids))
    },

    /** Checks people out who are still there: one, or all of the group. */
    async checkOut(checkinId: number, contactId: number | undefined, now: number): Promise<void> {
      await contacts()
        .where({ checkin_id: checkinId, checked_out_at: null })
        .modify((query) => {
          if (contactId !== undefined) void query.where({ id: contactId })
        })
        .update({ checked_out_at: now })
    },

    /** Closes the group unless somebody is still there. */
    async closeIfEmpty(checkinId: number, now: number): Promise<void> {
      await checkins()
        .where({ id: checkinId, checked_out_at: null })
        .whereNotExists(
          sql('checkin_contacts').where({ checkin_id: checkinId, checked_out_at: null }).select(sql.raw('1')),
        )
        .update({ checked_out_at: now })
    },

    /** Deletes at most `limit` check-ins of any app from before `before`, with their people; returns how many. */
    async forget(before: number, limit: number): Promise<number> {
      const old = sql('checkins').where('checked_in_at', '<', before).orderBy('checked_in_at').limit(limit).select('id')
      return sql('checkins').whereIn('id', old).delete()
    },

    /** Deletes at most `limit` check-ins of an app, with their people; returns how many. */
    clearApp(appId: number, limit: number): Promise<number> {
      return deleteSome(sql, 'checkins', sql('checkins').where({ app_id: appId }).orderBy('id').limit(limit))
    },
  }
}
