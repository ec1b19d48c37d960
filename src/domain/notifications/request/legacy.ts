import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import {
  flag,
  type Infer,
  integer,
  jsonObject,
  judged,
  oneOf,
  parseJson,
  present,
  shape,
  text,
} from '../../../platform/values/parse.ts'
import { pushTargetFields, pushTargetRules } from '../../audience/schema.ts'
import { consentOf } from '../../consent/schema.ts'
import { labelsOf } from '../../labels/schema.ts'
import { missingTexts, templateField } from '../../personalization/request/push-template.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { fromScheduleForm, judgeOtherTimes, legacySchedule, SCHEDULE_KEYS } from '../../schedules/schema.ts'
import { androidFields, buttonsField, iosFields, judgePriority, presentationOf } from './presentation.ts'
import {
  dataField,
  emptyTexts,
  extensionFields,
  missingBlock,
  type NotificationRequest,
  saysNothing,
  urlField,
  userMetaField,
} from './request.ts'
import { flatWith, unfinished } from './template.ts'
import { judgePersonal, languagesField, personalFields, personalPartsOf } from './variants.ts'

/**
 * `POST {push_url}/notifications`, the flat form, which includes the earlier flat form. In `ios` and `android` the
 * contract has badge and priority only; the other fields are extensions, and `buttons` too.
 */
export const legacyForm = judged(
  shape({
    ...pushTargetFields,
    userMeta: userMetaField(),
    title: text({ empty: true }),
    message: text({ empty: true }),
    template: templateField(),
    isBackground: flag(),
    url: urlField(),
    data: dataField(),
    ios: shape({
      hasBadge: flag(),
      badgeType: oneOf(['incrementBy', 'setTo']),
      badgeCount: integer(),
      ...iosFields,
    }),
    android: shape(androidFields),
    buttons: buttonsField(),
    scheduled: flag(),
    schedule: legacySchedule,
    collapseId: text(),
    soundConfig: shape({ iosSound: text() }),
    reportingMeta: jsonObject(),
    languages: languagesField(),
    ...personalFields,
    ...extensionFields,
  }),
  (body) => ({
    ...pushTargetRules(body),
    ...missingTexts(body, ''),
    ...emptyTexts(body, body.isBackground, ''),
    ...judgePriority(body.ios, saysNothing(body)),
    ...missingBadge(body.ios),
    ...twoSounds(body),
    ...judgeOtherTimes(body),
    ...missingScheduled(body),
    ...missingSchedule(body),
    ...judgePersonal(body, ''),
  }),
)

function missingBadge(ios: unknown): FieldErrors {
  if (!isPlainObject(ios) || ios.hasBadge !== true) return {}
  const missing = ['badgeType', 'badgeCount'].filter((key) => ios[key] === undefined)
  return Object.fromEntries(missing.map((key) => [`ios.${key}`, ['is required when ios.hasBadge is true']]))
}

function twoSounds({ ios, soundConfig }: Record<string, unknown>): FieldErrors {
  const isTwice = isPlainObject(ios) && isPlainObject(soundConfig) && ios.sound !== undefined
  if (!isTwice || soundConfig.iosSound === undefined) return {}
  return { 'soundConfig.iosSound': ['and ios.sound exclude each other: give one of them'] }
}

/** Requires `scheduled`: without it a request with a schedule would be sent at once, which nobody expects. */
function missingScheduled({ scheduled, schedule }: Record<string, unknown>): FieldErrors {
  if (scheduled !== undefined || !isPlainObject(schedule)) return {}
  return { scheduled: ['is required with schedule: true sends at the time in schedule, false at once'] }
}

function missingSchedule(body: Record<string, unknown>): FieldErrors {
  if (body.scheduled !== true) return {}
  const why = 'is required when scheduled is true'
  const { schedule } = body
  if (!isPlainObject(schedule)) return missingBlock(body, 'schedule', SCHEDULE_KEYS, why)
  const missing = SCHEDULE_KEYS.filter((key) => schedule[key] === undefined)
  return Object.fromEntries(missing.map((key) => [`schedule.${key}`, [why]]))
}

/** Converts a checked request to the product's own terms. */
export function fromLegacyForm(body: Infer<typeof legacyForm>): NotificationRequest {
  const { ios, soundConfig } = body
  const presentation = presentationOf(body)
  const { broadcast, installIds, userIds, segmentId, segmentUuid, channelIds, channelUuids, excludeInstallIds } = body
  const targeting = present({
    broadcast,
    installIds,
    userIds,
    segmentId,
    segmentUuid,
    channelIds,
    channelUuids,
    excludeInstallIds,
  })
  return {
    targeting,
    content: {
      title: body.title ?? '',
      message: body.message ?? '',
      background: body.isBackground ?? false,
      ...present({ url: body.url, data: body.data ?? undefined, collapseId: body.collapseId }),
      ...presentation,
      ios: {
        ...presentation.ios,
        // Without `hasBadge` the other two are ignored; with it the form requires them.
        ...(ios?.hasBadge && { badge: { type: ios.badgeType!, count: ios.badgeCount! } }),
        ...present({ sound: soundConfig?.iosSound }),
      },
      ...personalPartsOf(body),
    },
    ...present({
      userMeta: body.userMeta,
      reportingMeta: body.reportingMeta,
      labels: labelsOf(body),
      ttl: body.ttl,
      rateLimit: body.rateLimit,
      confirm: body.confirm,
      consent: consentOf(body),
      isTest: body.isTest,
      schedule: timeOf(body),
      unfinished: unfinished(body.template, 'template', {
        merge: (template) => flatWith(template, body),
        read: (whole) => fromLegacyForm(parseJson(legacyForm, whole)),
      }),
    }),
    contentPath: 'message',
    targetPath: '',
  }
}

/**
 * The schedule of a checked form. When `scheduled` is false, the block `schedule` is ignored; when it is true, the form
 * requires all of its fields.
 */
function timeOf({ scheduled, schedule }: Infer<typeof legacyForm>): Schedule | undefined {
  if (!scheduled) return undefined
  const { sendAt, strategy, pastTimes } = schedule
  return fromScheduleForm({ sendAt: sendAt!, strategy: strategy!, pastTimes: pastTimes! })
}
