import type { FieldErrors } from '../../platform/errors.ts'

/** One event as a device sent it, after checking. `at` is the time at which it happened (ms, device clock). */
export interface DeviceEvent {
  uuid: string
  /** `k.…` are the SDKs' own, anything else is the app's. */
  type: string
  at: number
  data: EventData | null
  /** The user at the time of the event, as the device says; undefined when the device does not say. */
  userIdentifier: string | undefined
}

export type EventData = Record<string, unknown>

/** One stored event. Ids ascend in the order of storing; `data` is the data of the device and the additions of handlers. */
export interface StoredEvent {
  id: number
  appId: number
  /** Row of the install; null for events that no device made. */
  installRow: number | null
  uuid: string
  type: string
  userIdentifier: string | null
  data: EventData | null
  happenedAt: number
  receivedAt: number
}

/** An event that was not stored: its position in the batch and its errors. */
export interface RefusedEvent {
  index: number
  errors: FieldErrors
}

/** The result of an upload. Every event counts as exactly one of accepted, duplicates and refused. */
export interface IngestReport {
  /** The install was unknown before. */
  isNew: boolean
  /** Events stored by this upload. */
  accepted: number
  /** Events stored before: the device repeats an upload when the response is lost. */
  duplicates: number
  refused: RefusedEvent[]
  /** Events stored without the named part, which is too large; absent when there are none. */
  trimmed?: RefusedEvent[]
}
