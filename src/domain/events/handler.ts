import type { InstallRef } from '../crm/types.ts'
import type { EventData } from './types.ts'

/** The event that a handler acts on. */
export interface HandledEvent {
  type: string
  uuid: string
  /** The time at which it happened (ms); never later than now. */
  at: number
  /** `{}` when the device sent none. */
  data: EventData
}

/** The sender of an event. */
export interface EventContext {
  appId: number
  install: InstallRef
  /** The user at the time of the event, as the device says; otherwise the install's current user. */
  userIdentifier: string
  /**
   * False when the device named a user for whom it may not speak. `userIdentifier` is then the install's current user.
   */
  speaksForUser: boolean
  now: number
}

/**
 * An area's effects of events (event-types.ts lists which), in addition to storing them. A handler runs inside the
 * transaction of the uploads and gets each event once, in the order of the uploads. A failure undoes the handler's own
 * changes only: the event is stored all the same.
 */
export interface EventHandler<T = unknown, Type extends string = string> {
  /**
   * The effect of an event, by type; undefined: none. It must not use the database. It may throw `invalid`: then the
   * event has no effect, and the log says why.
   */
  readonly read: Readonly<Record<Type, (event: HandledEvent, context: EventContext) => T | undefined>>
  /** The fields to add to the stored data of each event, in the same order; undefined: none. It must not write. */
  adds?(appId: number, all: readonly T[]): Promise<readonly (EventData | undefined)[]>
  /** Takes effect. When it fails with several events, its changes are undone and it gets the events one by one. */
  act?(appId: number, all: readonly T[]): Promise<void>
}
