import type { FieldErrors } from '../../platform/errors.ts'
import { closedShape, flag, ids, integer, judged, list, text } from '../../platform/values/parse.ts'
import { judgeTargeting, type Mixing } from './target.ts'

/** Targeting fields of every request form. */
const commonTargetFields = {
  broadcast: flag(),
  installIds: ids(),
  userIds: ids(),
  segmentUuid: text({ max: 255 }),
  channelUuids: list(text({ max: 255 })),
  excludeInstallIds: ids(),
}

/** Both forms of the push host also accept the numeric ids of segments and channels. */
export const pushTargetFields = { ...commonTargetFields, segmentId: integer(), channelIds: list(integer()) }

const messagesTargetFields = {
  ...commonTargetFields,
  geofenceIds: list(integer()),
  geofenceTags: list(text({ max: 255 })),
  geofenceBroadcast: flag(),
}

/** The rules for combining targeting fields, for an object with these `fields`. */
function targetRules(fields: object, mixing: Mixing) {
  const names = Object.keys(fields)
  return (given: Record<string, unknown>): FieldErrors => {
    const wrong = judgeTargeting(given, names, mixing)
    return wrong.length > 0 ? { '': wrong } : {}
  }
}

/**
 * `target` of the messages host: notifications and in-app messages. Its groups cannot be mixed (rule 2 of the
 * contract).
 */
export const messagesTarget = judged(closedShape(messagesTargetFields), targetRules(messagesTargetFields, 'refused'))

/**
 * The contract asks the forms of the push host for at least one group: several groups mean everybody who is in any of
 * them.
 */
export const pushTargetRules = targetRules(pushTargetFields, 'union')
