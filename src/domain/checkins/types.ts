import { integer, json, table, text, type Value } from '../../platform/db/table.ts'

export const CONTACTS = table('checkin_contacts', {
  id: integer('id'),
  checkinId: integer('checkin_id'),
  lastName: text('last_name'),
  firstName: text('first_name').orNull,
  emailAddress: text('email_address').orNull,
  smsNumber: text('sms_number').orNull,
  /** Further data from the app. */
  meta: json('meta').as<Record<string, string>>().orNull,
  checkedOutAt: integer('checked_out_at').orNull,
})

/** A person of a group that checked in. Times are milliseconds since the epoch. */
export type Contact = Value<typeof CONTACTS>

/** A group of people at a place. It is closed when all of them have checked out. */
export interface Checkin {
  id: number
  appId: number
  userIdentifier: string
  location: string
  /** Number of people, named or not. */
  partySize: number
  /** The time zone as the device reports it, or null. */
  timezone: string | null
  checkedInAt: number
  checkedOutAt: number | null
  contacts: Contact[]
}

export type NewContact = Omit<Contact, 'id' | 'checkinId' | 'checkedOutAt'>

/** The arrival of a group. */
export interface NewCheckin extends Pick<Checkin, 'location' | 'partySize' | 'timezone'> {
  /** A secret of the device. A caller who presents it may close the check-in. */
  deviceKey: string
  contacts: NewContact[]
}

/** Selects check-ins of an app. */
export interface CheckinFilter {
  /** True: somebody is still there. False: nobody is. */
  isOpen?: boolean | undefined
  userIdentifier?: string | undefined
}

/** The caller: the user of the path with the key of their device. */
export interface Holder {
  appId: number
  userIdentifier: string
  deviceKey: string
}
