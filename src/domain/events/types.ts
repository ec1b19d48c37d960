import type { FieldErrors } from '../../platform/errors.ts'

/** One event as a device sent it, checked. `at` is when it happened (ms, device clock). */
export interface DeviceEvent {
  uuid: string
  /** `k.…` are the SDKs' own, anything else is the app's. */
  type: string
  at: number
  data: EventData | null
  /** The user when it happened, as the device says; undefined when it does not say. */
  userIdentifier: string | undefined
}

export type EventData = Record<string, unknown>

/** One event as it is kept. `id` grows with storing; `data` is the device's plus what handlers added. */
export interface StoredEvent {
  id: number
  appId: number
  /** Null for events that no device made. */
  installRow: number | null
  uuid: string
  type: string
  userIdentifier: string | null
  data: EventData | null
  happenedAt: number
  receivedAt: number
}

/** An event that was not taken: its place in the batch and what is wrong with it. */
export interface RefusedEvent {
  index: number
  errors: FieldErrors
}

/** What became of a batch. Every event is in exactly one of accepted, duplicates and refused. */
export interface IngestReport {
  /** The install was not known before. */
  isNew: boolean
  /** Stored now. */
  accepted: number
  /** Stored already: an upload whose answer got lost. */
  duplicates: number
  refused: RefusedEvent[]
  /** Taken, but without the part that is named, which is too large; absent when there are none. */
  trimmed?: RefusedEvent[]
}
