import { flag, type Infer, judged, parseJson, present, shape } from '../../../platform/values/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import { consentOf } from '../../consent/schema.ts'
import { labelsOf } from '../../labels/schema.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import { contentOf, judgeNested, nestedFields, unfinishedNested } from './nested.ts'
import { extensionFields, type NotificationRequest, userMetaField } from './request.ts'

/** `POST {messages_url}/v2/notifications`, field by field as in the contract. */
export const messagesForm = judged(
  shape({
    target: messagesTarget.defined(),
    ...nestedFields,
    schedule: messagesSchedule,
    intelligentDelivery: flag(),
    userMeta: userMetaField(),
    ...extensionFields,
  }),
  (body) => ({ ...judgeNested(body), ...judgeDeliveryTime(body) }),
)

/** Converts a checked request to the product's own terms. */
export function fromMessagesForm(body: Infer<typeof messagesForm>): NotificationRequest {
  const targeting = present(body.target)
  return {
    targeting,
    content: contentOf(body),
    ...present({
      userMeta: body.userMeta,
      reportingMeta: body.reportingMeta,
      labels: labelsOf(body),
      ttl: body.ttl,
      rateLimit: body.rateLimit,
      confirm: body.confirm,
      consent: consentOf(body),
      isTest: body.isTest,
      ...deliveryTimeOf(body),
      unfinished: unfinishedNested(body, (whole) => fromMessagesForm(parseJson(messagesForm, whole))),
    }),
    contentPath: 'content',
    targetPath: 'target.',
  }
}
