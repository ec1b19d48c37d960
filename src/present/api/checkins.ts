import type { Checkin, Contact } from '../../domain/checkins/types.ts'
import { answer, free, integer, list, nullable, string, time, told, type Words } from '../schema.ts'
import { ID } from '../words.ts'

export const LAST_NAME: Words = ['Last name.', 'Kelly']
export const FIRST_NAME: Words = ['First name.', 'Anna']
export const EMAIL_ADDRESS: Words = ['E-mail address.', 'anna@example.com']
export const SMS_NUMBER: Words = ['Phone number for text messages.', '+491701234567']
export const CONTACT_META: Words = ['Further facts, all of them text.', { table: '4' }]
export const CHECKED_OUT_AT: Words = ['When the group or person left; null before.', null]
export const LOCATION: Words = ['The place.', 'cafe']
export const PARTY_SIZE: Words = ['Number of people, at least the number of contacts; null if nobody said.', 3]
export const CHECKED_IN_AT: Words = ['When the group was checked in.', '2026-03-01T12:00:00+0000']

const contact = answer<Contact>()('CheckinContact', 'A person of the group.', {
  id: told(integer, ID),
  checkinId: told(integer, 'The check-in.', 7),
  lastName: told(string, LAST_NAME),
  firstName: told(nullable(string), FIRST_NAME),
  emailAddress: told(nullable(string), EMAIL_ADDRESS),
  smsNumber: told(nullable(string), SMS_NUMBER),
  meta: told(nullable(free), CONTACT_META),
  checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
})

/** A check-in as the SDKs read it (docs/reference/device-protocol.md section 16). */
export const checkin = answer<Checkin>()('Checkin', 'A group of people at a place.', {
  id: told(integer, ID),
  location: told(string, LOCATION),
  partySize: told(nullable(integer), PARTY_SIZE),
  checkedInAt: told(time, CHECKED_IN_AT),
  checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
  contacts: told(list(contact), 'The people who are named.'),
})
export const presentCheckin = checkin.present
