import { isAppError } from '../../../platform/errors.ts'
import { readDetails } from '../../crm/details.ts'
import type { FirstReports, TokenRegistration } from '../../crm/types.ts'
import { CRM_EVENTS } from '../event-types.ts'
import type { DeviceEvent } from '../types.ts'
import type { Upload } from './envelope.ts'

/** Reports that take effect as their install is created, and the uuids of their events. */
export interface EarlyReports {
  reports: FirstReports
  uuids: ReadonlySet<string>
}

const TOKEN_EVENTS: ReadonlySet<string> = new Set([
  CRM_EVENTS.deviceRegistered,
  CRM_EVENTS.deviceUnsubscribed,
  CRM_EVENTS.notificationEnablementChanged,
])

/**
 * The first details and the first token of each install in these uploads, by its id: a new install is created with them, which saves four
 * statements. What would come out otherwise than event by event is left out: a token that is unusable, that is not the first that
 * the install says of its pushes, or that two of these installs register.
 */
export function findEarlyReports(
  uploads: readonly Upload[],
  now: number,
  readToken: (data: unknown) => TokenRegistration,
): Map<string, EarlyReports> {
  const found = new Map<string, EarlyReports>()
  const registrations = registrationsIn(uploads, readToken)
  const byToken = Map.groupBy(registrations.values(), ({ token }) => token)
  for (const [installId, some] of Map.groupBy(uploads, (upload) => upload.installId)) {
    const details = firstOf(some, (type) => type === CRM_EVENTS.installTracked)
    const token = firstOf(some, (type) => TOKEN_EVENTS.has(type))
    const registration = token && registrations.get(token)
    const isOwn = registration !== undefined && byToken.get(registration.token)!.length === 1
    const uuids = new Set<string>()
    const reports: FirstReports = {}
    if (details) {
      reports.details = { data: readDetails(details.data ?? {}), at: Math.min(details.at, now) }
      uuids.add(details.uuid)
    }
    if (token && isOwn) {
      reports.token = { registration, at: Math.min(token.at, now) }
      uuids.add(token.uuid)
    }
    if (uuids.size > 0) found.set(installId, { reports, uuids })
  }
  return found
}

/** The first event of such a type, unless an earlier event has its uuid: then it counts as sent. */
function firstOf(uploads: readonly Upload[], isMeant: (type: string) => boolean): DeviceEvent | undefined {
  const before = new Set<string>()
  for (const { batch } of uploads) {
    for (const { event } of batch.events) {
      if (isMeant(event.type)) return before.has(event.uuid) || event.at < 0 ? undefined : event
      before.add(event.uuid)
    }
  }
  return undefined
}

/** The registrations of tokens that can be used, by their events. */
function registrationsIn(
  uploads: readonly Upload[],
  readToken: (data: unknown) => TokenRegistration,
): Map<DeviceEvent, TokenRegistration> {
  const found = new Map<DeviceEvent, TokenRegistration>()
  for (const { batch } of uploads) {
    for (const { event } of batch.events) {
      const registration = event.type === CRM_EVENTS.deviceRegistered ? read(readToken, event.data) : undefined
      if (registration) found.set(event, registration)
    }
  }
  return found
}

function read(readToken: (data: unknown) => TokenRegistration, data: unknown): TokenRegistration | undefined {
  try {
    return readToken(data ?? {})
  } catch (error) {
    // The handler of the event says why.
    if (isAppError(error)) return undefined
    throw error
  }
}
