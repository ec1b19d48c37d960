import type { Checkin, Contact } from '../../domain/checkins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/time/clock.ts'
import { answerOf, free, integer, list, nullable, string, time } from '../schema.ts'

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

const contact = answerOf<typeof presentContact>('CheckinContact', {
  id: integer,
  checkinId: integer,
  lastName: string,
  firstName: nullable(string),
  emailAddress: nullable(string),
  smsNumber: nullable(string),
  meta: nullable(free),
  checkedOutAt: nullable(time),
})

export const checkin = answerOf<typeof presentCheckin>('Checkin', {
  id: integer,
  location: string,
  partySize: nullable(integer),
  checkedInAt: time,
  checkedOutAt: nullable(time),
  contacts: list(contact),
})
