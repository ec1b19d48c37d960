import { invalid } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json.ts'
import { yesOrNo } from '../../platform/lenient.ts'
import type { CrmService } from '../crm/service.ts'
import type { InstallRef } from '../crm/types.ts'
import type { EventData } from './types.ts'

/** The event a handler acts on. `at` is when it happened, never later than now. */
export interface HandledEvent {
  type: string
  uuid: string
  at: number
  /** `{}` when the device sent none. */
  data: EventData
}

/** Who sent it. */
export interface EventContext {
  appId: number
  install: InstallRef
  /** The user when it happened as the device says, else the install's current one. */
  userIdentifier: string
  /** False when the device named a user for whom it may not speak; `userIdentifier` is the install's current one then. */
  speaksForUser: boolean
  now: number
}

/**
 * What an event does besides being stored; runs inside the batch's transaction, in the order of the batch, once for an event. The
 * fields it returns are added to the stored data. What it throws undoes its own changes only: the event is stored all the same.
 */
export type EventHandler = (event: HandledEvent, context: EventContext) => Promise<EventData | void>

/** Event type -> what it does. Types that are in neither table are only stored; one that is in both does both. */
export type EventHandlers = Readonly<Record<string, EventHandler>>

/**
 * What the events of a type do, those of several uploads together: after everything else, in the order of the uploads, once for an
 * event; types that share `act` go together. `read` judges one event and may throw `invalid`; it must not touch the database;
 * undefined is an event that does nothing. When `act` fails, its changes are undone and it gets the events one by one.
 */
export interface GatheringHandler<T = unknown> {
  read(event: HandledEvent, context: EventContext): T | undefined
  /** Fields that are added to the stored data of the event that said this, as those that a handler returns. */
  adds?(value: T): EventData
  act(appId: number, all: readonly T[]): Promise<void>
}

/** Event type -> what events of that type do together. */
export type GatheringHandlers = Readonly<Record<string, GatheringHandler>>

/** The types of events that change users and installs (docs/reference/device-protocol.md section 4). */
export const CRM_EVENTS = {
  installTracked: 'k.stats.installTracked',
  userAssociated: 'k.stats.userAssociated',
  userAssociationCleared: 'k.stats.userAssociationCleared',
  deviceRegistered: 'k.push.deviceRegistered',
  deviceUnsubscribed: 'k.push.deviceUnsubscribed',
  notificationEnablementChanged: 'k.push.notificationEnablementChanged',
  inAppStatusUpdated: 'k.inApp.statusUpdated',
} as const

/** The events after which an install may have another user. */
export const CHANGES_USER: ReadonlySet<string> = new Set([CRM_EVENTS.userAssociated, CRM_EVENTS.userAssociationCleared])

/** Effects of the events that change users and installs. Session events (`k.fg`, `k.bg`) have none but activity, as every event. */
export function crmEventHandlers(crm: CrmService): EventHandlers {
  return {
    [CRM_EVENTS.installTracked]: ({ data, at }, { appId, install }) => crm.trackInstall(appId, install, data, at),

    [CRM_EVENTS.userAssociated]({ data, at }, { appId, install }) {
      const id = typeof data.id === 'number' ? String(data.id) : data.id
      if (typeof id !== 'string') throw invalid({ id: ['must be a string'] })
      return crm.associate(appId, install, id, {
        attributes: isPlainObject(data.attributes) ? data.attributes : undefined,
        at,
      })
    },

    [CRM_EVENTS.userAssociationCleared]: ({ at }, { appId, install }) => crm.clearAssociation(appId, install, at),

    [CRM_EVENTS.deviceRegistered]: ({ data, at }, { appId, install }) => crm.registerToken(appId, install, data, at),

    [CRM_EVENTS.deviceUnsubscribed]: ({ at }, { appId, install }) => crm.unregisterToken(appId, install, at),

    [CRM_EVENTS.notificationEnablementChanged]({ data, at }, { appId, install }) {
      const enabled = yesOrNo(data.notificationsEnabled)
      if (enabled === null) throw invalid({ notificationsEnabled: ['must be true or false'] })
      return crm.setNotificationsEnabled(appId, install, enabled, at)
    },

    async [CRM_EVENTS.inAppStatusUpdated]({ data, at }, { appId, install, userIdentifier, speaksForUser }) {
      if (!speaksForUser) return
      const consented = yesOrNo(data.consented)
      if (consented === null) throw invalid({ consented: ['must be true or false'] })
      await crm.setInAppEnabled(appId, install, userIdentifier, consented, at)
    },
  }
}
