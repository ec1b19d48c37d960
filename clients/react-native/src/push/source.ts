import type { Push } from './payload.ts'

/** A push token, with its kind as the server numbers it (docs/reference/device-protocol.md section 6). */
export interface PushToken {
  type: 1 | 2
  token: string
}

/** `granted`: the app may show notifications. `askable`: nobody was asked, or may be asked again. */
export type Permission = 'granted' | 'askable' | 'denied'

/** Hearers of a source. Payloads are as they came, of anybody. */
export interface Hearing {
  token(token: PushToken): void
  received(payload: unknown): Promise<void>
  /** `key` tells one opening from another, because a system tells the last one again at the next start. */
  opened(payload: unknown, action: string | undefined, key: string): Promise<void>
}

/** A library that the app has for pushes. */
export interface PushSource {
  permission(): Promise<Permission>
  ask(): Promise<Permission>
  /** The token of the phone; undefined when it has none. May reject. */
  token(): Promise<PushToken | undefined>
  /** Tells what comes, until the returned function is called. */
  listen(hearing: Hearing): () => void
  /** The opening that started the app, if one did. */
  opening(): Promise<{ payload: unknown; action: string | undefined; key: string } | undefined>
  /** Shows a notification that no system shows: a data message of Google. `payload` is what it carried. */
  show?(push: Push, payload: unknown): Promise<void>
  badge?(count: number): Promise<void>
}
