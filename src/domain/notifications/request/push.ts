import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { closedShape, type Infer, judged, parseJson, present, shape } from '../../../platform/values/parse.ts'
import { pushTargetFields, pushTargetRules } from '../../audience/schema.ts'
import { consentOf } from '../../consent/schema.ts'
import { labelsOf } from '../../labels/schema.ts'
import { fromScheduleForm, judgeOtherTimes, pushSchedule } from '../../schedules/schema.ts'
import { contentOf, judgeNested, nestedFields, unfinishedNested } from './nested.ts'
import { extensionFields, type NotificationRequest, userMetaField } from './request.ts'

/** The target of this form, with `userMeta` inside. */
const pushTarget = judged(closedShape({ ...pushTargetFields, userMeta: userMetaField() }), pushTargetRules)

/** `POST {push_url}/v2/notifications`, field by field as in the contract; pictures and buttons are extensions. */
export const pushForm = judged(
  shape({
    target: pushTarget.defined(),
    ...nestedFields,
    schedule: pushSchedule,
    ...extensionFields,
  }),
  (body) => ({ ...judgeNested(body), ...judgeOtherTimes(body), ...misplacedMeta(body) }),
)

/** Metadata beside the target would be ignored, and the texts that show them be missing for everybody. */
function misplacedMeta({ personalize, content, userMeta }: Record<string, unknown>): FieldErrors {
  const isPersonal = isPlainObject(personalize) || (isPlainObject(content) && content.template != null)
  const isEmpty = isPlainObject(userMeta) && Object.keys(userMeta).length === 0
  if (!isPersonal || userMeta === undefined || userMeta === null || isEmpty) return {}
  return { userMeta: ['belongs into target in this form: target.userMeta'] }
}

/** Converts a checked request to the product's own terms. */
export function fromPushForm(body: Infer<typeof pushForm>): NotificationRequest {
  const { userMeta, ...targetFields } = body.target
  const targeting = present(targetFields)
  return {
    targeting,
    content: contentOf(body),
    ...present({
      userMeta,
      reportingMeta: body.reportingMeta,
      labels: labelsOf(body),
      ttl: body.ttl,
      rateLimit: body.rateLimit,
      confirm: body.confirm,
      consent: consentOf(body),
      isTest: body.isTest,
      schedule: fromScheduleForm(body.schedule),
      unfinished: unfinishedNested(body, (whole) => fromPushForm(parseJson(pushForm, whole))),
    }),
    contentPath: 'content',
    targetPath: 'target.',
  }
}
