import { ApiError, messageOf } from '../../api/errors.ts'
import { formatNumber } from '../../parts/numbers.ts'
import type { Estimate } from './draft.ts'

type Reason = Estimate['leftOut'][number]['reason']

const REASONS: Record<Reason, string> = {
  unknown_install: 'named as an install, but no device has this id',
  unsubscribed_install: 'named as an install that does not allow pushes',
  unknown_user: 'named as a user whom this app does not know',
  unsubscribed_user: 'named as a user without a device that allows pushes',
  excluded: 'left out by you',
  no_gateway: 'on a platform whose gateway is not set up',
  not_wanted: 'whose person does not want pushes of this purpose',
  on_suppression_list: 'on the suppression list',
  time_passed: 'where the time has passed already',
}

/** The reason why recipients are left out, worded to follow their number. */
export const reasonOf = (reason: Reason): string => REASONS[reason]

/** Rules that can still skip recipients when the push is sent. */
export const RULES: Record<Estimate['mayBeSkipped'][number], string> = {
  quiet_hours:
    'Who is in quiet hours when it is sent gets nothing, or gets it afterwards: the rules of this app say which.',
  frequency_cap: 'Who got as many pushes as this app allows gets nothing.',
}

/** `1 device`, `1,240 devices` */
export const devices = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'device' : 'devices'}`

/** The message of an error of the server, with the names of the fields. */
export function wrongOf(error: unknown): string {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : []
  return fields.length > 0 ? fields.map(([field, why]) => `${field} ${why}.`).join(' ') : messageOf(error)
}
