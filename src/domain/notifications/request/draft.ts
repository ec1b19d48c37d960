import { flag, type Infer, integer, judged, list, parseJson, present, shape } from '../../../platform/values/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import type { Targeting } from '../../audience/target.ts'
import { consentFields, consentOf } from '../../consent/schema.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import type { Recurrence } from '../../schedules/recurrence.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import { fromMessagesForm, messagesForm } from './messages.ts'
import { judgeNested, nestedFields } from './nested.ts'
import { extensionFields, type NotificationRequest } from './request.ts'

/** The target of a push, and its time. */
export interface EstimateInput {
  targeting: Targeting
  /** Absent: at once, or as `recurrence` says. */
  schedule?: Schedule | undefined
  recurrence?: Recurrence | undefined
  consent: ConsentOfSend | undefined
}

/** Parts of a push that is still being written: its target and time, or its content. */

/** Body of an estimate: the target and time of a push, as the body of the messages host has them; the content is not needed. */
export const estimateForm = judged(
  shape({
    target: messagesTarget.defined(),
    schedule: messagesSchedule,
    intelligentDelivery: flag(),
    ...consentFields,
  }),
  judgeDeliveryTime,
)

/** The target and time of a checked form. */
export function fromEstimateForm(body: Infer<typeof estimateForm>): EstimateInput {
  return { targeting: present(body.target), consent: consentOf(body), ...deliveryTimeOf(body) }
}

const says = shape({ ...nestedFields, ttl: extensionFields.ttl })

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
  shape({ ...nestedFields, devices: list(integer({ min: 1 }).required(), { min: 1, max: MOST_DEVICES }).required() }),
  judgeNested,
)

/** The push of a checked `testPushForm` to these installs: for `ttl` seconds, past quiet hours, caps and purposes. */
export function fromTestPushForm(
  body: Infer<typeof testPushForm>,
  installIds: string[],
  ttl: number,
): NotificationRequest {
  const whole = { ...body, target: { installIds }, ttl, priority: 'transactional' }
  return fromMessagesForm(parseJson(messagesForm, whole))
}
