import type * as Firebase from '@react-native-firebase/messaging'
import type * as Expo from 'expo-notifications'
import type {
  ExpoNotifications,
  FirebaseMessaging,
  KeyValue,
  ReactNative,
} from '../../../clients/react-native/src/index.ts'

/**
 * Doubles of what an app has on a phone. Those of libraries implement their published types: when a library changes what the client uses, they do
 * not compile.
 */

type Heard<T> = (what: T) => void

/** Listeners of one kind. */
function listeners<T>() {
  const all = new Set<Heard<T>>()
  const add = (hear: Heard<T>) => {
    all.add(hear)
    return { remove: () => void all.delete(hear) }
  }
  return { add, count: () => all.size, tell: (what: T) => [...all].map((hear) => hear(what)) }
}

/** The published modules fit what the client asks of them. */
export const fits = (
  expo: typeof Expo,
  messaging: typeof Firebase,
): [ExpoNotifications, FirebaseMessaging<Firebase.Messaging>] => [expo, messaging]

type Notification = Expo.Notification
/** The members of `expo-notifications` that the client uses, with the types that the library publishes. */
type ExpoDouble = Pick<typeof Expo, keyof ExpoNotifications & keyof typeof Expo>

/** A phone with `expo-notifications`, which shows what the library would. */
export function expoPhone(os: 'ios' | 'android') {
  const tokens = listeners<Expo.DevicePushToken>()
  const received = listeners<Notification>()
  const responses = listeners<Expo.NotificationResponse>()
  /** The notifications on the screen, by identifier. */
  const tray = new Map<string, Notification>()
  let handler: Expo.NotificationHandler | null = null
  let last: Expo.NotificationResponse | null = null
  const phone = {
    granted: os === 'android',
    canAskAgain: true,
    /** The answer of the person. */
    answer: true,
    token: os === 'ios' ? 'ABCDEF0123456789' : 'token-of-fcm',
    badge: 0,
    tray,
    listening: () => tokens.count() + received.count() + responses.count(),
    renew(token: string) {
      phone.token = token
      tokens.tell({ type: os, data: token })
    },
    /** A push arrives in the foreground, as `FirebaseMessagingDelegate` and `UNUserNotificationCenter` hand it on. */
    async receive(carried: object, id = 'message-1') {
      const notification = remote(carried, id)
      received.tell(notification)
      await present(notification)
    },
    /** A push arrives in the background: what a task gets. The system shows what it would. */
    receiveInBackground(carried: object, id = 'message-1'): unknown {
      const notification = remote(carried, id)
      if (notification.request.content.title) tray.set(id, notification)
      // `BackgroundEventTransformer` of the library.
      const { aps, ...data } = carried as { aps?: { alert?: object } }
      if (os === 'ios') return { data: { ...data, dataString: undefined }, aps, notification: aps?.alert ?? null }
      return { messageId: id, data: { ...carried, dataString: null }, notification: null, from: '1', priority: 1 }
    },
    /** A person taps a notification; without JavaScript it is there at the next start. */
    tap(id: string, action = module.DEFAULT_ACTION_IDENTIFIER) {
      const notification = tray.get(id)!
      tray.delete(id)
      last = { notification, actionIdentifier: action }
      responses.tell(last)
    },
  }

  /** Reads a push as the library does: of a data message it shows `title` and `message`. */
  function remote(carried: object, identifier: string): Notification {
    const { title, message, aps } = carried as {
      title?: string
      message?: string
      aps?: { alert?: { title: string; body: string } }
    }
    const content = contentOf({ title: aps?.alert?.title ?? title ?? null, body: aps?.alert?.body ?? message ?? null })
    const trigger: Expo.PushNotificationTrigger =
      os === 'ios'
        ? { type: 'push', payload: carried as Record<string, unknown> }
        : { type: 'push', remoteMessage: remoteMessage(carried as Record<string, string>, identifier) }
    return { date: 1_772_366_400, request: { identifier, content, trigger } }
  }

  async function present(notification: Notification): Promise<void> {
    const behavior = await handler?.handleNotification(notification)
    if (behavior?.shouldShowList) tray.set(notification.request.identifier, notification)
  }

  const permission = () =>
    ({
      granted: phone.granted,
      canAskAgain: phone.canAskAgain,
      status: phone.granted ? 'granted' : 'denied',
      expires: 'never',
    }) as Expo.NotificationPermissionsStatus

  const module: ExpoDouble = {
    DEFAULT_ACTION_IDENTIFIER: 'expo.modules.notifications.actions.DEFAULT',
    getPermissionsAsync: async () => permission(),
    async requestPermissionsAsync() {
      phone.granted = phone.answer
      phone.canAskAgain = phone.answer
      return permission()
    },
    async getDevicePushTokenAsync() {
      if (phone.token === '') throw new Error('no valid aps-environment entitlement')
      return { type: os, data: phone.token }
    },
    addPushTokenListener: tokens.add,
    addNotificationReceivedListener: received.add,
    addNotificationResponseReceivedListener: responses.add,
    getLastNotificationResponseAsync: async () => last,
    setNotificationHandler: (given) => {
      handler = given
    },
    async scheduleNotificationAsync({ identifier = 'made', content, trigger }) {
      const made: Notification = { date: 1_772_366_401, request: { identifier, content: contentOf(content), trigger } }
      received.tell(made)
      await present(made)
      return identifier
    },
    async setBadgeCountAsync(count) {
      phone.badge = count
      return true
    },
  }
  return { phone, module }
}

function contentOf({ title, body, data }: Expo.NotificationContentInput): Expo.NotificationContent {
  const empty = { subtitle: null, categoryIdentifier: null, sound: null }
  return { ...empty, title: title ?? null, body: body ?? null, data: data ?? {} }
}

function remoteMessage(data: Record<string, string>, messageId: string): Expo.FirebaseRemoteMessage {
  const rest = {
    collapseKey: null,
    from: null,
    messageType: null,
    originalPriority: 1,
    priority: 1,
    sentTime: 0,
    to: null,
    ttl: 60,
  }
  return { ...rest, data, messageId, notification: null }
}

/** The members of `@react-native-firebase/messaging` that the client uses, with the types that the library publishes. */
type FirebaseDouble = Pick<typeof Firebase, keyof FirebaseMessaging & keyof typeof Firebase>

/** A phone with `@react-native-firebase/messaging`. */
export function firebasePhone() {
  const tokens = listeners<string>()
  const messages = listeners<Firebase.RemoteMessage>()
  const openings = listeners<Firebase.RemoteMessage>()
  let background: ((message: Firebase.RemoteMessage) => Promise<unknown>) | undefined
  const phone = {
    status: -1,
    token: 'token-of-fcm',
    appleToken: 'ABCDEF0123456789' as string | null,
    renew(token: string) {
      phone.token = token
      tokens.tell(token)
    },
    receive: (data: Record<string, string>) => messages.tell({ data, messageId: 'm1' }),
    receiveInBackground: (data: Record<string, string>) => background!({ data, messageId: 'm1' }),
    open: (data: Record<string, string>) => openings.tell({ data, messageId: 'm1' }),
  }
  const until = <T>(all: ReturnType<typeof listeners<T>>, hear: (what: T) => unknown) => {
    const { remove } = all.add(hear)
    return remove
  }
  const instance = {} as Firebase.Messaging
  const module: FirebaseDouble = {
    getMessaging: () => instance,
    hasPermission: async () => phone.status as never,
    requestPermission: async () => (phone.status = 1) as never,
    getToken: async () => phone.token,
    getAPNSToken: async () => phone.appleToken,
    onTokenRefresh: (_, hear) => until(tokens, hear),
    onMessage: (_, hear) => until(messages, hear),
    onNotificationOpenedApp: (_, hear) => until(openings, hear),
    getInitialNotification: async () => null,
    setBackgroundMessageHandler: (_, handle) => {
      background = handle
    },
  }
  return { phone, module }
}

/** The parts of React Native, and what a test does with them. */
export function reactNative(os: 'ios' | 'android', opened: string | null = null) {
  const states = listeners<string>()
  const links = listeners<{ url: string }>()
  const visited: string[] = []
  const constants = os === 'android' ? { Model: 'Pixel 8', Release: '14' } : { systemName: 'iOS' }
  const native: ReactNative = {
    Platform: { OS: os, Version: os === 'ios' ? '18.3' : 34, constants },
    AppState: { addEventListener: (_, hear) => states.add(hear) },
    Linking: {
      getInitialURL: async () => opened,
      addEventListener: (_, hear) => links.add(hear),
      openURL: async (url) => visited.push(url),
    },
  }
  return {
    native,
    visited,
    become: (state: string) => states.tell(state),
    follow: (url: string) => links.tell({ url }),
    listening: () => states.count() + links.count(),
  }
}

/** `AsyncStorage`, and what is in it. */
export function asyncStorage(texts = new Map<string, string>()): KeyValue & { texts: Map<string, string> } {
  return {
    texts,
    getItem: async (name) => texts.get(name) ?? null,
    setItem: async (name, text) => void texts.set(name, text),
    removeItem: async (name) => void texts.delete(name),
  }
}
