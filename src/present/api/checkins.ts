import type { Checkin, Contact } from '../../domain/checkins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, free, integer, list, nullable, string, time, told, type Words } from '../schema.ts'
import { ID } from '../words.ts'

export const LAST_NAME: Words = ['Last name.', 'Kelly']
export const FIRST_NAME: Words = ['First name.', 'Anna']
export const EMAIL_ADDRESS: Words = ['E-mail address.', 'anna@example.com']
export const SMS_NUMBER: Words = ['Phone number for text messages.', '+491701234567']
export const CHECKIN_CONTACT_META: Words = ['Further facts, all of them text.', { table: '4' }]
export const CHECKED_OUT_AT: Words = ['When the group or person left; null before.', null]
export const LOCATION: Words = ['The place.', 'cafe']
export const CHECKED_IN_AT: Words = ['When the group was checked in.', '2026-03-01T12:00:00+0000']

/** A check-in as the SDKs read it (docs/reference/device-protocol.md section 16). */
export function presentCheckin(checkin: Checkin) {
  return {
    id: checkin.id,
    location: checkin.location,
    partySize: checkin.partySize,
    checkedInAt: isoOffset(checkin.checkedInAt),
    checkedOutAt: isoOffsetOrNull(checkin.checkedOutAt),
    contacts: checkin.contacts.map(presentContact),
  }
}

function presentContact(contact: Contact) {
  return {
    id: contact.id,
    checkinId: contact.checkinId,
    lastName: contact.lastName,
    firstName: contact.firstName,
    emailAddress: contact.emailAddress,
    smsNumber: contact.smsNumber,
    meta: contact.meta,
    checkedOutAt: isoOffsetOrNull(contact.checkedOutAt),
  }
}

const contact = answerOf<typeof presentContact>('CheckinContact', 'A person of the group.', {
  id: told(integer, ID),
  checkinId: told(integer, 'The check-in.', 7),
  lastName: told(string, LAST_NAME),
  firstName: told(nullable(string), FIRST_NAME),
  emailAddress: told(nullable(string), EMAIL_ADDRESS),
  smsNumber: told(nullable(string), SMS_NUMBER),
  meta: told(nullable(free), CHECKIN_CONTACT_META),
  checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
})

export const checkin = answerOf<typeof presentCheckin>('Checkin', 'A group of people at a place.', {
  id: told(integer, ID),
  location: told(string, LOCATION),
  partySize: told(nullable(integer), 'Number of people, at least the number of contacts; null if nobody said.', 3),
  checkedInAt: told(time, CHECKED_IN_AT),
  checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
  contacts: told(list(contact), 'The people who are named.'),
})
