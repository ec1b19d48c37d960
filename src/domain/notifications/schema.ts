import { readInstant, WITH_OFFSET } from '../../platform/time/instants.ts'
import { type Infer, instant, integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import { ORDERS } from '../audience/sends.ts'
import { labelField, labelOf } from '../labels/schema.ts'
import { RECIPIENT_STATES } from './record/page.ts'
import { type NotificationFilter, STATUS, type Status } from './types.ts'

export { askedPersonOf, personQuery, previewQuery, sampleQuery } from '../personalization/request/person.ts'
export {
  estimateForm,
  fromEstimateForm,
  fromSayingForm,
  fromTestPushForm,
  sayingForm,
  sayingOfEstimate,
  testPushForm,
} from './request/draft.ts'
/** The three forms of a request; each has a file of its own. */
export { fromLegacyForm, legacyForm } from './request/legacy.ts'
export { fromMessagesForm, messagesForm } from './request/messages.ts'
export { fromPushForm, pushForm } from './request/push.ts'

/** Pages of the list are short, because a record holds its whole targeting. */
const MAX_PAGE = 100

const STATUS_NAMES = Object.keys(STATUS) as (keyof typeof STATUS)[]
const STATUS_NUMBERS = Object.values(STATUS).map(String)

/** Query of the list: `after` is the `next` of the page before. */
export const listNotifications = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: MAX_PAGE }).default(50),
  status: oneOf([...STATUS_NAMES, ...STATUS_NUMBERS]),
  createdSince: instant(),
  createdBefore: instant(),
  q: text({ max: 255 }),
  label: labelField(),
  order: oneOf(ORDERS),
})

/** The filter of a checked query; undefined for the whole list. */
export function readNotificationFilter({
  status,
  createdSince,
  createdBefore,
  q,
  label,
  order = 'created',
}: Omit<Infer<typeof listNotifications>, 'after' | 'limit'>): NotificationFilter | undefined {
  if ([status, createdSince, createdBefore, q, label].every((one) => one === undefined) && order === 'created')
    return undefined
  const at = (given: string | undefined) => (given === undefined ? undefined : readInstant(given, WITH_OFFSET))
  const number =
    status === undefined ? undefined : (STATUS[status as keyof typeof STATUS] ?? (Number(status) as Status))
  return {
    status: number,
    createdSince: at(createdSince),
    createdBefore: at(createdBefore),
    q,
    ...(label !== undefined && { label: labelOf(label) }),
    ...(order !== 'created' && { order }),
  }
}

/** Query of the list of scheduled notifications. */
export const listSchedules = shape({ limit: integer({ min: 1, max: MAX_PAGE }).default(50) })

/** Query of those who opened a notification. */
export const listOpeners = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: MAX_PAGE }).default(50),
})

/** Query of the recipients of a notification. */
export const listRecipients = shape({ outcome: oneOf(RECIPIENT_STATES) })
