import type { Checkin } from '../../domain/checkins/types.ts'
import { isoOffsetOrNull } from '../../platform/time/clock.ts'
import { presentCheckin } from '../api/checkins.ts'
import { answerOf, free, integer, list, nullable, object, pageOf, string, time } from '../schema.ts'

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
  answerOf<typeof presentShownCheckin>('ShownCheckin', {
    id: integer,
    location: string,
    partySize: nullable(integer),
    checkedInAt: time,
    checkedOutAt: nullable(time),
    userIdentifier: string,
    timezone: nullable(string),
    contacts: list(
      object(
        {
          id: integer,
          firstName: nullable(string),
          lastName: string,
          emailAddress: nullable(string),
          smsNumber: nullable(string),
          meta: nullable(free),
          checkedOutAt: nullable(time),
        },
        'ShownContact',
      ),
    ),
  }),
)
