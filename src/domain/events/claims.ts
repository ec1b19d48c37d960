import type { Claims } from '../crm/signed-ids.service.ts'
import { TOKEN_PREFIX } from '../crm/signed-ids.ts'
import { CRM_EVENTS } from './handlers.ts'
import type { DeviceEvent, EventData } from './types.ts'

/** The events whose data name a user, and where. */
const NAMED_IN: Readonly<Record<string, string>> = {
  [CRM_EVENTS.userAssociated]: 'id',
  [CRM_EVENTS.userAssociationCleared]: 'oldUserIdentifier',
}

/** The users of an event, once it is known for whom the device may speak. */
export interface JudgedUsers {
  /** Whose event it is; undefined when the device did not say, null when it said somebody it may not speak for. */
  speaker: string | undefined | null
  /** False when the event is about a user whom the device may not name: it is stored without its effect. */
  names: boolean
  /** The event's data without tokens: the users that they name stand there instead. */
  data: EventData | null
  /** Why a user was refused. */
  refused?: string
}

/** Tokens -> the users that they name, in the envelope and in the data. What is stored never holds a token. */
export function judgeUsers(event: DeviceEvent, installId: string, claims: Claims): JudgedUsers {
  const judged: JudgedUsers = { speaker: event.userIdentifier, names: true, data: event.data }
  if (event.userIdentifier !== undefined) {
    const claim = claims(event.userIdentifier, installId)
    judged.speaker = 'refused' in claim ? null : claim.identifier
    if ('refused' in claim) judged.refused = claim.refused
  }
  const field = NAMED_IN[event.type]
  const named = field === undefined ? undefined : event.data?.[field]
  if (field === undefined || (typeof named !== 'string' && typeof named !== 'number')) return judged
  const claim = claims(String(named), installId)
  if (!('refused' in claim)) {
    // Written anew only where it says something else: most events are stored as they came.
    if (claim.identifier !== named) judged.data = { ...event.data, [field]: claim.identifier }
    return judged
  }
  // Who was logged in before is only a remark.
  if (event.type === CRM_EVENTS.userAssociated) judged.names = false
  if (String(named).startsWith(TOKEN_PREFIX)) judged.data = { ...event.data, [field]: null }
  return { ...judged, refused: claim.refused }
}
