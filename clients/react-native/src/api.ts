/** The interface of the client for React Native. */
import type { Push } from './push/payload.ts'
import type { PushSource } from './push/source.ts'
import type { KeyValue } from './store.ts'

/** JSON data of an app. */
export type Data = Record<string, unknown>

/** The parts of `react-native` that the client uses: `import { AppState, Linking, Platform } from 'react-native'`. */
export interface ReactNative {
  Platform: { OS: string; Version: string | number; constants?: object }
  AppState: {
    addEventListener(event: 'change', hear: (state: string) => void): { remove(): void }
  }
  Linking: {
    /** React Native 0.88 says undefined, too. */
    getInitialURL(): Promise<string | null | undefined>
    addEventListener(event: 'url', hear: (event: { url: string }) => void): { remove(): void }
    openURL(url: string): Promise<unknown>
  }
}

export interface StartOptions {
  /** Address of the server: `https://app.example.com`. */
  url: string
  apiKey: string
  secretKey: string
  /** `{ AppState, Linking, Platform }` of `react-native`. */
  native: ReactNative
  /** Keeps things over restarts: `AsyncStorage`, or `mmkv(new MMKV())`. */
  storage: KeyValue
  /** The app: bundle id or package name, version, and whether it is a debug build (`__DEV__`). */
  app: { bundle: string; version: string; isDebug?: boolean }
  /** The source of push tokens: `expo(Notifications)` or `firebase(messaging, Platform.OS)`. Without it there are no pushes. */
  push?: PushSource
  /** Model of the device, such as `expo-device` tells it. */
  deviceModel?: string
  /** False: no in-app messages, and the server is told so. */
  inApp?: boolean
  /** Hosts whose links are deep links of the app: its link host. */
  linkHosts?: readonly string[]
  /** The text on the clipboard, for a link that was copied before the app was installed. It is asked once, at the first start. */
  clipboard?: () => Promise<string>
  /** Makes random UUIDs: `randomUUID` of `expo-crypto`. Needed where there is no global `crypto`. */
  randomUUID?: () => string
}

/** The state of push on this phone; `why` is a sentence for a developer or a person. */
export type PushState =
  | { state: 'subscribed'; why?: undefined }
  | { state: 'askable' | 'denied' | 'unsupported' | 'stopped' | 'failed'; why: string }

export interface Channel {
  uuid: string
  name: string | null
  subscribed: boolean
  meta?: Data | null
}

export interface InboxItem {
  id: number
  title: string
  subtitle: string
  imageUrl: string | null
  sentAt: Date
  isRead: boolean
  data: Data
}

export interface Purpose {
  uid: string
  name: string
  description: string | null
  required: boolean
  allowed: boolean
  choice: { allowed: boolean; at: string; source: 'device' | 'server' } | null
}

/** The fate of a link. */
export type LinkMatch =
  | { state: 'matched'; url: string; data: Data; isDeferred: boolean; title?: string; description?: string }
  | { state: 'none' | 'expired' | 'used-up' | 'failed'; url: string; why: string }

/** The parts of a view of `react-native-webview` that the client uses. */
export interface WebViewHandle {
  injectJavaScript(script: string): void
}

/** Properties of a `<WebView>` that shows in-app messages, the whole screen and transparent. */
export interface FrameProps {
  source: { uri: string }
  originWhitelist: string[]
  injectedJavaScriptBeforeContentLoaded: string
  style: { flex: 1; backgroundColor: 'transparent' }
  ref(view: WebViewHandle | null): void
  onMessage(event: { nativeEvent: { data: string; url: string } }): void
  onShouldStartLoadWithRequest(request: { url: string }): boolean
  onError(): void
  onHttpError(event: { nativeEvent: { url: string; statusCode: number } }): void
}

/** The events of the client, with what handlers get. */
export interface AppEvents {
  /** A push arrived while JavaScript runs: in the foreground, or in a background task. */
  'push.received': Push
  /** A person opened a push. One that started the app is told to the first handler. */
  'push.opened': Push
  'push.changed': PushState
  'inbox.changed': { unread: number }
  /** `inApp.frame` has changed: a message is to be shown, or none any more. */
  'in-app.changed': FrameProps | null
  /** A button of an in-app message has a deep link for the app, or asks for a rating in the store. */
  'in-app.action': { messageId: number; type: 'deepLink' | 'requestAppStoreRating'; data: Data }
  /** A link opened the app, or was on the clipboard at its first start. The first handler gets what came before it. */
  link: LinkMatch
}

export interface App {
  /** Reports something that happened. Never throws, and does not wait. */
  track(type: string, data?: Data): void
  /** Calls a handler for an event of the client. Returns a function that ends it. */
  on<E extends keyof AppEvents>(event: E, handler: (what: AppEvents[E]) => void): () => void
  /** The id under which the server knows this install. */
  installId(): Promise<string>
  user: {
    /** Says who uses the app. `token` is the user token of an app with signed users. May be called at every start. */
    is(id: string, given?: { token?: string; attributes?: Data }): Promise<void>
    isNobody(): Promise<void>
  }
  push: {
    /** Asks the person if need be, and hands the token over. Never throws. */
    ask(): Promise<PushState>
    state(): Promise<PushState>
    /** Takes the token from the server. */
    stop(): Promise<void>
    /** Handles a push in a background task (`expo-task-manager`): reports it, and shows it if nobody else does. */
    inBackground(payload: unknown): Promise<void>
    /** Reports the opening of a notification that the app shows by itself. `payload` is what the push carried. */
    opened(payload: unknown, action?: string): Promise<void>
  }
  channels: {
    list(): Promise<Channel[]>
    subscribe(...uuids: string[]): Promise<void>
    unsubscribe(...uuids: string[]): Promise<void>
  }
  inApp: {
    /** Properties of the `<WebView>` to show now; null: none. */
    readonly frame: FrameProps | null
  }
  inbox: {
    list(): Promise<InboxItem[]>
    unread(): Promise<number>
    /** Shows the message, and marks it as read. */
    open(id: number): Promise<void>
    markRead(id: number): Promise<void>
    remove(id: number): Promise<void>
    /** Asks the server for messages now. It is asked at the start, each hour in the foreground, and when a push announces one. */
    refresh(): Promise<void>
  }
  consent: {
    list(): Promise<Purpose[]>
    /** Allows or refuses a purpose; null goes back to its default. A choice that cannot be sent now is sent later. */
    set(purpose: string, isAllowed: boolean | null): Promise<void>
  }
  badge: {
    set(count: number): Promise<void>
  }
  /** Reports the position of the phone, for geofences. The client never asks for it by itself. */
  location(position: { latitude: number; longitude: number }): void
  /** Sends what waits. Resolves when the server has it, or cannot be reached. */
  flush(): Promise<void>
  /** Ends all listening. What waits is kept. */
  stop(): Promise<void>
}
