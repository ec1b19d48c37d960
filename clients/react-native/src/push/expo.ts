import { isDataMessage, type Push, readPush } from './payload.ts'
import type { Hearing, Permission, PushSource, PushToken } from './source.ts'

interface Subscription {
  remove(): void
}
interface ExpoPermission {
  granted: boolean
  canAskAgain: boolean
}
interface ExpoNotification {
  request: {
    identifier: string
    content: { data?: Record<string, unknown> }
    trigger: unknown
  }
}
interface ExpoResponse {
  actionIdentifier: string
  notification: ExpoNotification & { date: number }
}
interface ExpoBehavior {
  shouldShowBanner: boolean
  shouldShowList: boolean
  shouldPlaySound: boolean
  shouldSetBadge: boolean
}

/** The parts of `expo-notifications` that the client uses: `import * as Notifications from 'expo-notifications'`. */
export interface ExpoNotifications {
  DEFAULT_ACTION_IDENTIFIER: string
  getPermissionsAsync(): Promise<ExpoPermission>
  requestPermissionsAsync(): Promise<ExpoPermission>
  getDevicePushTokenAsync(): Promise<{ type: string; data: unknown }>
  addPushTokenListener(hear: (token: { type: string; data: unknown }) => void): Subscription
  addNotificationReceivedListener(hear: (notification: ExpoNotification) => void): Subscription
  addNotificationResponseReceivedListener(hear: (response: ExpoResponse) => void): Subscription
  getLastNotificationResponseAsync(): Promise<ExpoResponse | null>
  setNotificationHandler(
    handler: { handleNotification(notification: ExpoNotification): Promise<ExpoBehavior> } | null,
  ): void
  scheduleNotificationAsync(request: {
    identifier?: string
    content: { title: string; body: string; data: Record<string, unknown> }
    trigger: { channelId: string } | null
  }): Promise<string>
  setBadgeCountAsync(count: number): Promise<boolean>
}

/** Options of `expo()`. */
export interface ExpoOptions {
  /** The notification channel of Android for pushes that name none. Default: that of expo-notifications. */
  channel?: string
  /** False: the app calls `setNotificationHandler` itself, and asks `isOursToShow`. */
  handler?: boolean
}

const SHOWN: ExpoBehavior = {
  shouldShowBanner: true,
  shouldShowList: true,
  shouldPlaySound: true,
  shouldSetBadge: true,
}
const HIDDEN: ExpoBehavior = {
  shouldShowBanner: false,
  shouldShowList: false,
  shouldPlaySound: false,
  shouldSetBadge: false,
}

/**
 * Takes tokens and pushes from `expo-notifications`. Google's data messages have their text under a name of appsvc, so expo-notifications shows
 * them with the title alone; the client shows them itself, under the same identifier, which replaces that one.
 */
export function expo(notifications: ExpoNotifications, { channel, handler = true }: ExpoOptions = {}): PushSource {
  return {
    permission: async () => permissionOf(await notifications.getPermissionsAsync()),
    ask: async () => permissionOf(await notifications.requestPermissionsAsync()),
    token: async () => tokenOf(await notifications.getDevicePushTokenAsync()),
    listen(hearing) {
      if (handler) notifications.setNotificationHandler({ handleNotification: async (one) => behaviorOf(one) })
      return listen(notifications, hearing)
    },
    async opening() {
      const response = await notifications.getLastNotificationResponseAsync()
      return response ? readResponse(notifications, response) : undefined
    },
    async show(push, payload) {
      const name = push.channel ?? channel
      await notifications.scheduleNotificationAsync({
        identifier: identifierOf(push, payload),
        content: { title: push.title, body: push.message, data: { custom: (payload as { custom: unknown }).custom } },
        trigger: name === undefined ? null : { channelId: name },
      })
    },
    badge: async (count) => void (await notifications.setBadgeCountAsync(count)),
  }
}

/** Tells whether the client shows a notification itself, so that the handler of the app must not. */
export const isOursToShow = (notification: ExpoNotification): boolean => isDataMessage(remoteOf(notification)?.data)

const behaviorOf = (notification: ExpoNotification) => (isOursToShow(notification) ? HIDDEN : SHOWN)

function listen(notifications: ExpoNotifications, hearing: Hearing): () => void {
  const subscriptions = [
    notifications.addPushTokenListener((given) => {
      const token = tokenOf(given)
      if (token) hearing.token(token)
    }),
    notifications.addNotificationReceivedListener((one) => {
      // A notification that the client shows comes again, and was reported when its push came.
      if (remoteOf(one)) void hearing.received(payloadOf(one))
    }),
    notifications.addNotificationResponseReceivedListener((response) => {
      const { payload, action, key } = readResponse(notifications, response)
      void hearing.opened(payload, action, key)
    }),
  ]
  return () => {
    for (const one of subscriptions) one.remove()
  }
}

function permissionOf({ granted, canAskAgain }: ExpoPermission): Permission {
  if (granted) return 'granted'
  return canAskAgain ? 'askable' : 'denied'
}

function tokenOf({ type, data }: { type: string; data: unknown }): PushToken | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  if (type === 'ios') return { type: 1, token: data.toLowerCase() }
  return type === 'android' ? { type: 2, token: data } : undefined
}

interface Remote {
  data: unknown
  messageId: unknown
}

/** The push behind a notification: `payload` on iOS, `remoteMessage` on Android. Undefined for one that an app made. */
function remoteOf({ request }: ExpoNotification): Remote | undefined {
  const trigger = request.trigger as { type?: unknown; payload?: unknown; remoteMessage?: Partial<Remote> } | null
  if (trigger?.type !== 'push') return undefined
  const { payload, remoteMessage } = trigger
  return { data: remoteMessage?.data ?? payload, messageId: remoteMessage?.messageId }
}

/** The payload of a notification, with the id under which expo-notifications knows its push. */
function payloadOf(notification: ExpoNotification): unknown {
  const remote = remoteOf(notification)
  if (!remote) return notification.request.content.data
  return isDataMessage(remote.data) ? { ...(remote.data as object), messageId: remote.messageId } : remote.data
}

/** The identifier of a notification: the one that expo-notifications gives the push (`tag`, else the id of the message). */
function identifierOf({ id }: Push, payload: unknown): string {
  const { tag, messageId } = payload as { tag?: unknown; messageId?: unknown }
  return ([tag, messageId].find((one) => typeof one === 'string' && one !== '') as string | undefined) ?? `appsvc-${id}`
}

function readResponse(notifications: ExpoNotifications, { actionIdentifier, notification }: ExpoResponse) {
  const action = actionIdentifier === notifications.DEFAULT_ACTION_IDENTIFIER ? undefined : actionIdentifier
  const payload = payloadOf(notification)
  return { payload, action, key: `${readPush(payload)?.id} ${notification.request.identifier} ${notification.date}` }
}

/**
 * The payload in what `expo-task-manager` hands to a background task (`NotificationTaskPayload`): the message of Google, or `userInfo` of
 * iOS. Undefined for an opening, which listeners hear of.
 */
export function taskPayload(given: unknown): unknown {
  const { actionIdentifier, data, messageId, ...rest } = given as Record<string, unknown>
  if (actionIdentifier !== undefined) return undefined
  return isDataMessage(data) ? { ...(data as object), messageId } : { ...rest, ...(data as object | undefined) }
}
