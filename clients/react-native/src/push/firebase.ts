import { type Push, readPush } from './payload.ts'
import type { Permission, PushSource, PushToken } from './source.ts'

interface Message {
  messageId?: string
  data?: object
}

/** The parts of `@react-native-firebase/messaging` that the client uses: `import * as messaging from '@react-native-firebase/messaging'`. */
export interface FirebaseMessaging<Instance = unknown> {
  getMessaging(): Instance
  hasPermission(messaging: Instance): Promise<number>
  requestPermission(messaging: Instance): Promise<number>
  getToken(messaging: Instance): Promise<string>
  getAPNSToken(messaging: Instance): Promise<string | null>
  onTokenRefresh(messaging: Instance, hear: (token: string) => unknown): () => void
  onMessage(messaging: Instance, hear: (message: Message) => unknown): () => void
  onNotificationOpenedApp(messaging: Instance, hear: (message: Message) => unknown): () => void
  getInitialNotification(messaging: Instance): Promise<Message | null>
  setBackgroundMessageHandler(messaging: Instance, handle: (message: Message) => Promise<unknown>): void
}

/** Options of `firebase()`. */
export interface FirebaseOptions {
  /**
   * Shows a notification on Android, with a library such as Notifee: Google's messages of appsvc are data, which nobody else shows. Give it
   * `payload` as its data, and call `push.opened(payload)` when it is tapped.
   */
  show?: (push: Push, payload: unknown) => Promise<void>
}

/** `AuthorizationStatus` of the library. */
const NOT_DETERMINED = -1
const DENIED = 0

/**
 * Takes tokens and pushes from `@react-native-firebase/messaging`. On iOS it has the token only: the library hears of pushes that came
 * through Google, and appsvc sends through Apple (github.com/invertase/react-native-firebase/issues/4350).
 */
export function firebase<Instance>(
  library: FirebaseMessaging<Instance>,
  os: string,
  { show }: FirebaseOptions = {},
): PushSource {
  const instance = library.getMessaging()
  const token = async (): Promise<PushToken | undefined> => {
    const text = os === 'ios' ? await library.getAPNSToken(instance) : await library.getToken(instance)
    if (!text) return undefined
    return os === 'ios' ? { type: 1, token: text.toLowerCase() } : { type: 2, token: text }
  }
  return {
    permission: async () => permissionOf(await library.hasPermission(instance)),
    ask: async () => permissionOf(await library.requestPermission(instance)),
    token,
    listen(hearing) {
      library.setBackgroundMessageHandler(instance, ({ data }) => hearing.received(data))
      const ends = [
        // On iOS it is Google's token that was renewed; Apple's may be another one, too.
        library.onTokenRefresh(instance, () => token().then((one) => one && hearing.token(one))),
        library.onMessage(instance, ({ data }) => hearing.received(data)),
        library.onNotificationOpenedApp(instance, (message) => hearing.opened(message.data, undefined, keyOf(message))),
      ]
      return () => {
        for (const end of ends) end()
      }
    },
    async opening() {
      const message = await library.getInitialNotification(instance)
      return message ? { payload: message.data, action: undefined, key: keyOf(message) } : undefined
    },
    ...(show && { show }),
  }
}

const keyOf = ({ messageId, data }: Message) => `${readPush(data)?.id} ${messageId ?? ''}`

function permissionOf(status: number): Permission {
  if (status === NOT_DETERMINED) return 'askable'
  return status === DENIED ? 'denied' : 'granted'
}
