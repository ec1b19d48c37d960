import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json.ts'
import { flag, type Infer, integer, jsonObject, judged, oneOf, present, shape, text } from '../../../platform/parse.ts'
import { pushTargetFields, pushTargetRules } from '../../audience/schema.ts'
import type { Schedule } from '../../schedules/schedule.ts'
import { fromScheduleForm, legacySchedule, SCHEDULE_KEYS } from '../../schedules/schema.ts'
import {
  dataField,
  emptyTexts,
  extensionFields,
  missingBlock,
  type NotificationRequest,
  urlField,
  userMetaField,
} from './request.ts'

/** `POST {push_url}/notifications`, the flat form, which includes the earlier flat form. */
export const legacyForm = judged(
  shape({
    ...pushTargetFields,
    userMeta: userMetaField(),
    title: text({ empty: true }).defined(),
    message: text({ empty: true }).defined(),
    isBackground: flag(),
    url: urlField(),
    data: dataField(),
    ios: shape({ hasBadge: flag(), badgeType: oneOf(['incrementBy', 'setTo']), badgeCount: integer() }),
    android: shape({ highPriority: flag() }),
    scheduled: flag(),
    schedule: legacySchedule,
    collapseId: text(),
    soundConfig: shape({ iosSound: text() }),
    reportingMeta: jsonObject(),
    ...extensionFields,
  }),
  (body) => ({
    ...pushTargetRules(body),
    ...emptyTexts(body, body.isBackground, ''),
    ...missingBadge(body.ios),
    ...missingSchedule(body),
  }),
)

function missingBadge(ios: unknown): FieldErrors {
  if (!isPlainObject(ios) || ios.hasBadge !== true) return {}
  const missing = ['badgeType', 'badgeCount'].filter((key) => ios[key] === undefined)
  return Object.fromEntries(missing.map((key) => [`ios.${key}`, ['is required when ios.hasBadge is true']]))
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
  const { ios, android, soundConfig } = body
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
      title: body.title,
      message: body.message,
      background: body.isBackground ?? false,
      ...present({ url: body.url, data: body.data ?? undefined, collapseId: body.collapseId }),
      ios: {
        // Without `hasBadge` the other two are ignored; with it the form requires them.
        ...(ios?.hasBadge && { badge: { type: ios.badgeType!, count: ios.badgeCount! } }),
        ...present({ sound: soundConfig?.iosSound }),
      },
      android: present({ highPriority: android?.highPriority }),
    },
    ...present({
      userMeta: body.userMeta,
      reportingMeta: body.reportingMeta,
      ttl: body.ttl,
      rateLimit: body.rateLimit,
      confirm: body.confirm,
      schedule: timeOf(body),
    }),
    contentPath: 'message',
    targetPath: '',
  }
}

/** Without `scheduled` the block `schedule` is ignored; with it the form requires all of its fields. */
function timeOf({ scheduled, schedule }: Infer<typeof legacyForm>): Schedule | undefined {
  if (!scheduled) return undefined
  const { sendAt, strategy, pastTimes } = schedule
  return fromScheduleForm({ sendAt: sendAt!, strategy: strategy!, pastTimes: pastTimes! })
}
