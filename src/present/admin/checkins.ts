import type { Checkin } from '../../domain/checkins/types.ts'
import { isoOffsetOrNull } from '../../platform/time/clock.ts'
import {
  CHECKED_IN_AT,
  CHECKED_OUT_AT,
  CHECKIN_CONTACT_META,
  EMAIL_ADDRESS,
  FIRST_NAME,
  LAST_NAME,
  LOCATION,
  presentCheckin,
  SMS_NUMBER,
} from '../api/checkins.ts'
import { answerOf, free, integer, list, nullable, object, pageOf, string, time, told } from '../schema.ts'
import { ID, TIMEZONE } from '../words.ts'

/** A check-in as people see it: with the user. */
export function presentShownCheckin(checkin: Checkin) {
  const { contacts: _, ...shown } = presentCheckin(checkin)
  return {
    ...shown,
    userIdentifier: checkin.userIdentifier,
    timezone: checkin.timezone,
    contacts: checkin.contacts.map(({ id, firstName, lastName, emailAddress, smsNumber, meta, checkedOutAt }) => ({
      id,
      firstName,
      lastName,
      emailAddress,
      smsNumber,
      meta,
      checkedOutAt: isoOffsetOrNull(checkedOutAt),
    })),
  }
}

export const checkinPage = pageOf(
  'items',
  'A page of check-ins.',
  'Check-ins of this page.',
  answerOf<typeof presentShownCheckin>('ShownCheckin', 'A check-in with its people.', {
    id: told(integer, ID),
    location: told(string, LOCATION),
    partySize: told(nullable(integer), 'Number of people. It is at least the number of contacts.', 3),
    checkedInAt: told(time, CHECKED_IN_AT),
    checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
    userIdentifier: told(string, 'The user who checked in.', 'user-17'),
    timezone: told(nullable(string), TIMEZONE),
    contacts: told(
      list(
        object('ShownContact', 'A person of a check-in.', {
          id: told(integer, ID),
          firstName: told(nullable(string), FIRST_NAME),
          lastName: told(string, LAST_NAME),
          emailAddress: told(nullable(string), EMAIL_ADDRESS),
          smsNumber: told(nullable(string), SMS_NUMBER),
          meta: told(nullable(free), CHECKIN_CONTACT_META),
          checkedOutAt: told(nullable(time), CHECKED_OUT_AT),
        }),
      ),
      'The people of the group who gave their names.',
      [],
    ),
  }),
)
