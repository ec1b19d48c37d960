import type { Checkin, Contact } from '../../domain/checkins/types.ts'
import {
  CHECKED_IN_AT,
  CHECKED_OUT_AT,
  CONTACT_META,
  EMAIL_ADDRESS,
  FIRST_NAME,
  LAST_NAME,
  LOCATION,
  PARTY_SIZE,
  SMS_NUMBER,
} from '../api/checkins.ts'
import { answer, free, integer, list, nullable, pageOf, string, time, told } from '../schema.ts'
import { ID, TIMEZONE } from '../words.ts'

/** A check-in as people see it: with the user. */
const shownCheckin = answer<Checkin>()('ShownCheckin', 'A check-in with its people.', {
  id: told(integer, ID),
  location: told(string, LOCATION),
  partySize: told(nullable(integer), PARTY_SIZE),
  checkedInAt: told(time, CHECKED_IN_AT),
  checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
  userIdentifier: told(string, 'The user who checked in.', 'user-17'),
  timezone: told(nullable(string), TIMEZONE),
  contacts: told(
    list(
      answer<Contact>()('ShownContact', 'A person of a check-in.', {
        id: told(integer, ID),
        firstName: told(nullable(string), FIRST_NAME),
        lastName: told(string, LAST_NAME),
        emailAddress: told(nullable(string), EMAIL_ADDRESS),
        smsNumber: told(nullable(string), SMS_NUMBER),
        meta: told(nullable(free), CONTACT_META),
        checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
      }),
    ),
    'The people of the group who gave their names.',
    [],
  ),
})
export const presentShownCheckin = shownCheckin.present
export const checkinPage = pageOf('items', 'A page of check-ins.', 'Check-ins of this page.', shownCheckin)
