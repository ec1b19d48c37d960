export type {
  App,
  AppEvents,
  Channel,
  Data,
  FrameProps,
  InboxItem,
  LinkMatch,
  Purpose,
  PushState,
  ReactNative,
  StartOptions,
  WebViewHandle,
} from './api.ts'
export { type ExpoNotifications, type ExpoOptions, expo, isOursToShow } from './push/expo.ts'
export { type FirebaseMessaging, type FirebaseOptions, firebase } from './push/firebase.ts'
export { type Push, readPush } from './push/payload.ts'
export type { Hearing, Permission, PushSource, PushToken } from './push/source.ts'
export { start } from './start.ts'
export { type KeyValue, type Mmkv, mmkv } from './store.ts'
