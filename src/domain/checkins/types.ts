/** A person of a group that checked in. Times are milliseconds since the epoch. */
export interface Contact {
  id: number
  checkinId: number
  lastName: string
  firstName: string | null
  emailAddress: string | null
  smsNumber: string | null
  /** What else the app says of the person. */
  meta: Record<string, string> | null
  checkedOutAt: number | null
}

/** A group of people at a place. It is closed once all of them checked out. */
export interface Checkin {
  id: number
  appId: number
  userIdentifier: string
  location: string
  /** How many people it is, named ones and others. */
  partySize: number
  /** As the device says it; null when it does not. */
  timezone: string | null
  checkedInAt: number
  checkedOutAt: number | null
  contacts: Contact[]
}

export type NewContact = Omit<Contact, 'id' | 'checkinId' | 'checkedOutAt'>

/** What a device says when a group arrives. */
export interface NewCheckin extends Pick<Checkin, 'location' | 'partySize' | 'timezone'> {
  /** Kept by the device: who shows it may close the check-in. */
  deviceKey: string
  contacts: NewContact[]
}

/** Who asks: the user of the path, with the key of his device. */
export interface Holder {
  appId: number
  userIdentifier: string
  deviceKey: string
}
