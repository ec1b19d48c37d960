import type { Checkin, Contact } from '../../domain/checkins/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/clock.ts'

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

const AT = Date.parse('2026-03-01T12:00:00Z')
const named: Contact = {
  id: 12,
  checkinId: 7,
  lastName: 'Kelly',
  firstName: 'Anna',
  emailAddress: 'anna@example.com',
  smsNumber: '+491701234567',
  meta: { table: '4' },
  checkedOutAt: AT,
}
const unnamed: Contact = {
  ...named,
  id: 13,
  firstName: null,
  emailAddress: null,
  smsNumber: null,
  meta: null,
  checkedOutAt: null,
}
const open: Checkin = {
  id: 7,
  appId: 1,
  userIdentifier: 'anna',
  location: 'cafe',
  partySize: 3,
  timezone: 'Europe/Berlin',
  checkedInAt: AT,
  checkedOutAt: null,
  contacts: [named, unnamed],
}

/** For the OpenAPI document: one group that is there, and one that left. */
export const checkinExamples = [open, { ...open, checkedOutAt: AT }].map(presentCheckin)
