import {
  flag,
  type Infer,
  integer,
  jsonObject,
  judged,
  list,
  parseJson,
  present,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import type { Targeting } from '../../audience/target.ts'
import { consentFields, consentOf } from '../../consent/schema.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import type { Recurrence } from '../../schedules/recurrence.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import type { StoredContent } from '../types.ts'
import { fromMessagesForm, messagesForm } from './messages.ts'
import { judgeNested, nestedFields } from './nested.ts'
import { extensionFields, type NotificationRequest, userMetaField } from './request.ts'

/** A content that is not sent yet, and was judged. */
export interface Draft {
  content: StoredContent
  userMeta?: Readonly<Record<string, unknown>> | undefined
  /** The time at which vendors stop trying if it is sent now (ms); 0: they try once. */
  expiresAt: number
}

/** The target of a push, and its time. */
export interface EstimateInput {
  targeting: Targeting
  /** Absent: at once, or as `recurrence` says. */
  schedule?: Schedule | undefined
  recurrence?: Recurrence | undefined
  consent: ConsentOfSend | undefined
  /** The content, to be rendered for a sample of at most so many; absent: it is not known. */
  saying?: (Draft & { sample: number }) | undefined
}

/** Parts of a push that is still being written: its target and time, or its content. */

/**
 * Body of an estimate: the target and time of a push, as the body of the messages host has them. The content is not needed; where it
 * is given, it is checked as in a send.
 */
export const estimateForm = judged(
  shape({
    target: messagesTarget.defined(),
    schedule: messagesSchedule,
    intelligentDelivery: flag(),
    ...consentFields,
    // As in the body of a send: `sayingOfEstimate` judges them.
    content: jsonObject(),
    personalize: jsonObject(),
    lookup: jsonObject(),
    ios: jsonObject(),
    android: jsonObject(),
    buttons: list(jsonObject().defined()),
    runBackgroundHandler: flag(),
    collapseId: text(),
    userMeta: userMetaField(),
    ttl: extensionFields.ttl,
  }),
  judgeDeliveryTime,
)

/** The target and time of a checked form. */
export function fromEstimateForm(body: Infer<typeof estimateForm>): EstimateInput {
  return { targeting: present(body.target), consent: consentOf(body), ...deliveryTimeOf(body) }
}

/** The request with the content of a checked estimate; undefined when it has none. Throws `invalid` as a send does. */
export function sayingOfEstimate(body: Infer<typeof estimateForm>): NotificationRequest | undefined {
  const { schedule: _schedule, intelligentDelivery: _intelligent, ...rest } = body
  return body.content === undefined ? undefined : fromMessagesForm(parseJson(messagesForm, rest))
}

const says = shape({ ...nestedFields, userMeta: userMetaField(), ttl: extensionFields.ttl })

/** The content of a push, without its target. */
export const sayingForm = judged(says, judgeNested)

/** A checked `sayingForm` as a request to everybody, which is not sent. */
export function fromSayingForm(body: Infer<typeof sayingForm>): NotificationRequest {
  return fromMessagesForm(parseJson(messagesForm, { ...body, target: { broadcast: true } }))
}

/** Test devices of one test. */
const MOST_DEVICES = 10

/** The content of a push, and the test devices to which it goes. */
export const testPushForm = judged(
  shape({
    ...nestedFields,
    userMeta: userMetaField(),
    devices: list(integer({ min: 1 }).required(), { min: 1, max: MOST_DEVICES }).required(),
  }),
  judgeNested,
)

/** The push of a checked `testPushForm` to these installs: for `ttl` seconds, past quiet hours, caps and purposes. */
export function fromTestPushForm(
  body: Infer<typeof testPushForm>,
  installIds: string[],
  ttl: number,
): NotificationRequest {
  const whole = { ...body, target: { installIds }, ttl, priority: 'transactional', isTest: true }
  return fromMessagesForm(parseJson(messagesForm, whole))
}
