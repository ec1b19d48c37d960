/**
 * The types of `expo` that the published types of expo-notifications refer to, so that `expo` with all of React Native need not be installed
 * (docs.expo.dev: `PermissionResponse`, `EventSubscription`).
 */
declare module 'expo' {
  export interface EventSubscription {
    remove(): void
  }
  export enum PermissionStatus {
    DENIED = 'denied',
    GRANTED = 'granted',
    UNDETERMINED = 'undetermined',
  }
  export type PermissionExpiration = 'never' | number
  export interface PermissionResponse {
    status: PermissionStatus
    expires: PermissionExpiration
    granted: boolean
    canAskAgain: boolean
  }
  export const Platform: { OS: 'ios' | 'android' | 'web' }
  export interface NativeModule {
    addListener(name: string, hear: (what: never) => void): EventSubscription
  }
  export class CodedError extends Error {}
}
