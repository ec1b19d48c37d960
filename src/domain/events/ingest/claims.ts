import { isWrongIdNumber } from '../../crm/schema.ts'
import type { Claims } from '../../crm/signed-ids/service.ts'
import { TOKEN_PREFIX } from '../../crm/signed-ids/signed-ids.ts'
import type { EventType } from '../event-types.ts'
import type { DeviceEvent, EventData } from '../types.ts'

/** The users that an event names, after the check whether the device may speak for them. */
export interface JudgedUsers {
  /** The user of the event; undefined when the device named none, null when it named one for whom it may not speak. */
  speaker: string | undefined | null
  /** False when the event needs a user for whom the device may not speak: it is stored without its effect. */
  hasEffect: boolean
  /** The event's data with each token replaced by the user that it names. */
  data: EventData | null
  /** Reason why a user was refused. */
  refused?: string
}

/** Replaces tokens with the users that they name, in the envelope and in the data: tokens are never stored. */
export function judgeUsers(
  event: DeviceEvent,
  { namesUser: field, needsNamedUser }: EventType,
  installId: string,
  claims: Claims,
): JudgedUsers {
  const judged: JudgedUsers = { speaker: event.userIdentifier, hasEffect: true, data: event.data }
  if (event.userIdentifier !== undefined) {
    const claim = claims(event.userIdentifier, installId)
    judged.speaker = 'refused' in claim ? null : claim.identifier
    if ('refused' in claim) judged.refused = claim.refused
  }
  const named = field === undefined ? undefined : event.data?.[field]
  const isName = typeof named === 'string' || (typeof named === 'number' && !isWrongIdNumber(named))
  if (field === undefined || !isName) return judged
  const claim = claims(String(named), installId)
  if (!('refused' in claim)) {
    // Most events are stored as they came: the data is copied only when the token is replaced.
    if (claim.identifier !== named) judged.data = { ...event.data, [field]: claim.identifier }
    return judged
  }
  if (needsNamedUser) judged.hasEffect = false
  if (String(named).startsWith(TOKEN_PREFIX)) judged.data = { ...event.data, [field]: null }
  return { ...judged, refused: claim.refused }
}
