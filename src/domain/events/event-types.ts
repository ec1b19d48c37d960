/** Events that change users and installs (docs/reference/device-protocol.md section 4). */
export const CRM_EVENTS = {
  installTracked: 'k.stats.installTracked',
  userAssociated: 'k.stats.userAssociated',
  userAssociationCleared: 'k.stats.userAssociationCleared',
  deviceRegistered: 'k.push.deviceRegistered',
  deviceUnsubscribed: 'k.push.deviceUnsubscribed',
  notificationEnablementChanged: 'k.push.notificationEnablementChanged',
  inAppStatusUpdated: 'k.inApp.statusUpdated',
} as const

/** Events that this server itself writes into the log, besides those about links and geofences. */
export const OWN_EVENTS = {
  userCreated: 'user.created',
  installUnreachable: 'install.unreachable',
  notificationSent: 'notification.sent',
  notificationFailed: 'notification.failed',
} as const

/** Properties of a type of event, and the areas that act on it. */
export interface EventType {
  /** The areas that act on it, each with the handler that it registered. */
  readonly handledBy?: readonly string[]
  /**
   * True when the effect must be in place before the next event of the upload is looked at. Other effects wait for the
   * end of the upload.
   */
  readonly atOnce?: boolean
  /** True when the event shows at which hour its user uses the app. */
  readonly signOfUse?: boolean
  /** The field of its data that names a user. */
  readonly namesUser?: string
  /** True when the event has no effect if the device may not speak for the user that it names. */
  readonly needsNamedUser?: boolean
  /** True when the install may have another user afterwards. */
  readonly changesUser?: boolean
}

const CRM = { handledBy: ['crm'], atOnce: true } as const

/** Every type of event that has an effect. Any other is stored, and counts as activity of its user. */
export const EVENT_TYPES = {
  'k.fg': { signOfUse: true },

  [CRM_EVENTS.installTracked]: CRM,
  [CRM_EVENTS.userAssociated]: { ...CRM, changesUser: true, namesUser: 'id', needsNamedUser: true },
  // The user who was logged in before is only mentioned.
  [CRM_EVENTS.userAssociationCleared]: { ...CRM, changesUser: true, namesUser: 'oldUserIdentifier' },
  [CRM_EVENTS.deviceRegistered]: CRM,
  [CRM_EVENTS.deviceUnsubscribed]: CRM,
  [CRM_EVENTS.notificationEnablementChanged]: CRM,
  [CRM_EVENTS.inAppStatusUpdated]: CRM,

  'k.engage.beaconEnteredProximity': { handledBy: ['events'] },
  'k.crash.loggedException': { handledBy: ['crashes'] },
  'k.engage.locationUpdated': { handledBy: ['geofences'] },

  // About a push or an in-app message: the data says which.
  'k.message.delivered': { handledBy: ['in-app', 'notifications'] },
  'k.message.opened': { handledBy: ['in-app', 'notifications'], signOfUse: true },
  'k.message.dismissed': { handledBy: ['in-app', 'notifications'] },
  'k.message.read': { handledBy: ['in-app'] },
  'k.message.inbox.deleted': { handledBy: ['in-app'] },
  // Sent by apps older than in-app messages: always about a push.
  'k.push.opened': { handledBy: ['notifications'], signOfUse: true },
} as const satisfies Record<string, EventType>

type Table = typeof EVENT_TYPES

/** The areas that act on events. */
export type HandlingArea = Extract<Table[keyof Table], { handledBy: unknown }>['handledBy'][number]

/** The types of events that an area acts on. */
export type TypesOf<Area extends HandlingArea> = {
  [Type in keyof Table]: Table[Type] extends { handledBy: readonly (infer Areas)[] }
    ? Area extends Areas
      ? Type
      : never
    : never
}[keyof Table]
