/** A person of a group that checked in. Times are milliseconds since the epoch. */
export interface Contact {
  id: number
  checkinId: number
  lastName: string
  firstName: string | null
  emailAddress: string | null
  smsNumber: string | null
  /** Further data from the app. */
  meta: Record<string, string> | null
  checkedOutAt: number | null
}

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
