import type { FieldErrors } from '../../../platform/errors.ts'
import { address, flag, type Infer, judged, list, present, shape, text } from '../../../platform/parse.ts'
import { messagesTarget } from '../../audience/schema.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { fromScheduleForm, messagesSchedule } from '../../schedules/schema.ts'
import { androidFields, contentOf, iosFields, judgeNested, nestedFields } from './nested.ts'
import { extensionFields, type NotificationRequest, userMetaField } from './request.ts'

/** No gateway's payload has room for more. */
const MOST_BUTTONS = 200

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
    buttons: list(shape({ id: text().defined(), text: text().defined() }), { max: MOST_BUTTONS }),
    ...extensionFields,
  }),
  (body) => ({ ...judgeNested(body), ...judgeDelivery(body) }),
)

function judgeDelivery({ schedule, intelligentDelivery }: Record<string, unknown>): FieldErrors {
  if (intelligentDelivery !== true || schedule === undefined) return {}
  const why = ['schedule and intelligentDelivery exclude each other: give one of them']
  return { schedule: why, intelligentDelivery: why }
}

/** A checked request in the words of the product. */
export function fromMessagesForm(body: Infer<typeof messagesForm>): NotificationRequest {
  const targeting = present(body.target)
  const content = contentOf(body)
  const schedule: Schedule | undefined = body.intelligentDelivery
    ? { strategy: 'preferredHour' }
    : fromScheduleForm(body.schedule)
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
      schedule,
    }),
    contentPath: 'content',
    targetPath: 'target.',
  }
}
