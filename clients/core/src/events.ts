/** Types of the events that clients send (docs/reference/device-protocol.md section 4). */
export const INSTALL_TRACKED = 'k.stats.installTracked'
export const USER_ASSOCIATED = 'k.stats.userAssociated'
export const USER_CLEARED = 'k.stats.userAssociationCleared'
export const DEVICE_REGISTERED = 'k.push.deviceRegistered'
export const DEVICE_UNSUBSCRIBED = 'k.push.deviceUnsubscribed'
export const MESSAGE_DELIVERED = 'k.message.delivered'
export const MESSAGE_OPENED = 'k.message.opened'
export const MESSAGE_DISMISSED = 'k.message.dismissed'
export const MESSAGE_READ = 'k.message.read'
export const INBOX_DELETED = 'k.message.inbox.deleted'
export const IN_APP_CONSENT = 'k.inApp.statusUpdated'
export const LINK_MATCHED = 'k.deepLink.matched'
export const PAGE_VIEWED = 'k.pageViewed'

/** `type` in the data of an event about a message: a push. */
export const PUSH = 1
/** `type` in the data of an event about a message: an in-app message. */
export const IN_APP = 2

export type Json = Record<string, unknown>

/** An event as the server takes it. */
export interface DeviceEvent {
  type: string
  /** The server stores an event once, however often it is sent. */
  uuid: string
  /** The time at which it happened (ms). */
  timestamp: number
  data?: Json
  /** The user at that time: an identifier, a user token, or the install id of nobody in particular. */
  userId: string
}

/** The most events of one upload: what the mobile SDKs send. */
const MOST = 100

/** The events at the beginning of a list that go into one upload: at most a hundred, and together at most so many characters of JSON. */
export function batchOf<T>(waiting: readonly T[], maxCharacters: number): T[] {
  let length = 0
  const end = waiting.slice(0, MOST).findIndex((event, i) => {
    length += JSON.stringify(event).length
    // One alone always goes: the server says what is wrong with it.
    return i > 0 && length > maxCharacters
  })
  return waiting.slice(0, end < 0 ? MOST : end)
}
