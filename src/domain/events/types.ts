import { integer, json, table, text, type Value } from '../../platform/db/table.ts'
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

export const EVENTS = table('events', {
  id: integer('id'),
  appId: integer('app_id'),
  /** Row of the install; null for events that no device made. */
  installRow: integer('install_row').orNull,
  uuid: text('uuid'),
  type: text('type'),
  userIdentifier: text('user_identifier').orNull,
  data: json('data').as<EventData>().orNull,
  happenedAt: integer('happened_at'),
  receivedAt: integer('received_at'),
})

/** One stored event. Ids ascend in the order of storing; `data` is the data of the device and the additions of handlers. */
export type StoredEvent = Value<typeof EVENTS>

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
