import type { FieldErrors } from '../../platform/errors.ts'
import { closedShape, flag, ids, integer, judged, list, text } from '../../platform/parse.ts'
import { judgeTargeting } from './target.ts'

/** Targeting fields that every form has. */
export const commonTargetFields = {
  broadcast: flag(),
  installIds: ids(),
  userIds: ids(),
  segmentUuid: text({ max: 255 }),
  channelUuids: list(text({ max: 255 })),
  excludeInstallIds: ids(),
}

/** Both forms of the push host also take the numbers of segments and channels. */
export const pushTargetFields = { ...commonTargetFields, segmentId: integer(), channelIds: list(integer()) }

const messagesTargetFields = {
  ...commonTargetFields,
  geofenceIds: list(integer()),
  geofenceTags: list(text({ max: 255 })),
  geofenceBroadcast: flag(),
}

/** The rules about combinations, for an object that holds `fields`. */
export function targetRules(fields: object) {
  const names = Object.keys(fields)
  return (given: Record<string, unknown>): FieldErrors => {
    const wrong = judgeTargeting(given, names)
    return wrong.length > 0 ? { '': wrong } : {}
  }
}

/** `target` of the messages host: notifications and in-app messages. */
export const messagesTarget = judged(closedShape(messagesTargetFields), targetRules(messagesTargetFields))
