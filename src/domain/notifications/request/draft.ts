import { flag, type Infer, integer, judged, list, present, shape } from '../../../platform/values/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import type { Targeting } from '../../audience/target.ts'
import { consentFields, consentOf } from '../../consent/schema.ts'
import type { ConsentOfSend } from '../../consent/types.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import type { StoredContent } from '../types.ts'
import { contentOf, judgeNested, nestedFields } from './nested.ts'
import { extensionFields } from './request.ts'

/** Whom a push would be for, and when. */
export interface EstimateInput {
  targeting: Targeting
  /** Null: at once. */
  schedule: Schedule | null
  consent: ConsentOfSend | undefined
}

/** Parts of a push that is still being written: whom it is for and when, or what it says. */

/** Whom a push is for and when it is sent, as the body of the messages host has them; what it says is not needed. */
export const estimateForm = judged(
  shape({
    target: messagesTarget.defined(),
    schedule: messagesSchedule,
    intelligentDelivery: flag(),
    ...consentFields,
  }),
  judgeDeliveryTime,
)

/** What an estimate counts, of a checked form. */
export function fromEstimateForm(body: Infer<typeof estimateForm>): EstimateInput {
  return { targeting: present(body.target), schedule: deliveryTimeOf(body) ?? null, consent: consentOf(body) }
}

const says = shape({ ...nestedFields, ttl: extensionFields.ttl })

/** What a push says, without saying to whom. */
export const sayingForm = judged(says, judgeNested)

/** The content of a checked `sayingForm`, and how long it lives (seconds). */
export function fromSayingForm(body: Infer<typeof sayingForm>): { content: StoredContent; ttl: number | undefined } {
  return { content: contentOf(body), ttl: body.ttl }
}

/** Test devices of one test. */
const MOST_DEVICES = 10

/** What a push says, and to which test devices it goes. */
export const testPushForm = judged(
  shape({ ...nestedFields, devices: list(integer({ min: 1 }).required(), { min: 1, max: MOST_DEVICES }).required() }),
  judgeNested,
)
