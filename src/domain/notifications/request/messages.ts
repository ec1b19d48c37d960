import { address, flag, type Infer, judged, list, present, shape, text } from '../../../platform/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import { deliveryTimeOf, judgeDeliveryTime, messagesSchedule } from '../../schedules/schema.ts'
import { androidFields, contentOf, iosFields, judgeNested, nestedFields } from './nested.ts'
import { extensionFields, type NotificationRequest, userMetaField } from './request.ts'

/** No gateway's payload has room for more buttons. */
const MAX_BUTTONS = 200

const picture = () => address(['http', 'https'])

/** `POST {messages_url}/v2/notifications`, field by field as in the contract. */
export const messagesForm = judged(
  shape({
    target: messagesTarget.defined(),
    ...nestedFields,
    ios: shape({ ...iosFields, media: shape({ pictureUrl: picture() }) }),
    android: shape({ ...androidFields, pictureUrl: picture() }),
    schedule: messagesSchedule,
    intelligentDelivery: flag(),
    userMeta: userMetaField(),
    buttons: list(shape({ id: text().defined(), text: text().defined() }), { max: MAX_BUTTONS }),
    ...extensionFields,
  }),
  (body) => ({ ...judgeNested(body), ...judgeDeliveryTime(body) }),
)

/** Converts a checked request to the product's own terms. */
export function fromMessagesForm(body: Infer<typeof messagesForm>): NotificationRequest {
  const targeting = present(body.target)
  const content = contentOf(body)
  return {
    targeting,
    content: {
      ...content,
      ...present({ buttons: body.buttons?.map(({ id, text }) => ({ id, text })) }),
      ios: { ...content.ios, ...present({ pictureUrl: body.ios?.media?.pictureUrl }) },
      android: { ...content.android, ...present({ pictureUrl: body.android?.pictureUrl }) },
    },
    ...present({
      userMeta: body.userMeta,
      reportingMeta: body.reportingMeta,
      ttl: body.ttl,
      rateLimit: body.rateLimit,
      confirm: body.confirm,
      schedule: deliveryTimeOf(body),
    }),
    contentPath: 'content',
    targetPath: 'target.',
  }
}
