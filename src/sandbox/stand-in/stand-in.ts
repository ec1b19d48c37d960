import type { Clock } from '../../platform/time/clock.ts'
import type { Devices } from './devices.ts'
import { perform, settleWith } from './effects.ts'
import type { Answer, Exchange } from './exchange.ts'
import type { Faults } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Listener, ListenerOptions } from './listener.ts'
import type { Effect, Place } from './plan.ts'
import type { Quota } from './quota.ts'

/**
 * A stand-in that the sandbox runs from its declaration: everything that differs between vendors. It loads with the
 * command line, so `start` imports what listens. `C` is the credential that an operator configures.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list holds stand-ins with different credentials
export interface StandIn<C = any> {
  /** For people. */
  label: string
  /**
   * What the page shows: the gateway's short name, the kind of device, what `topic` is, and two colours of the icon.
   */
  page: { gateway: string; device: string; topic: string; colors: readonly [string, string] }
  /** Streams of one HTTP/2 connection. */
  maxStreams: number
  /** The reason that a quota answers with. */
  tooMany: string
  /** Whether a rule may name this reason for the send call, or for the token call. */
  isReason(reason: string): boolean
  isTokenReason(reason: string): boolean
  /** Path of the token call. */
  tokenPath: string
  /** The credential; `secret` is random, and the same at every start from one directory. */
  credential(secret: string): C
  /** The credential as the files that the vendor would hand out: name -> text. */
  files(credential: C): Record<string, string>
  /** Flags of `gateways set` for this credential; `path` is where a file is. */
  setFlags(credential: C, path: (file: string) => string): string
  /** A send call's `message` in FCM's words, whose client SDK reads it. Never throws. */
  toFcm(message: Record<string, unknown>): Record<string, unknown>
  /** Starts listening. `setLife` changes the life of access tokens, in seconds. */
  start(
    options: StandInOptions,
    credential: C,
    lifeSeconds: number,
  ): Promise<{ listener: Listener; setLife(seconds: number): void }>
  /** A phone for `appsvc demo`; numbers are codes of docs/reference/device-protocol.md section 5. */
  demo: {
    name: string
    user: string
    os: { id: number; version: string }
    sdk: { id: number; version: string }
    model: string
    tz: string
    locale: string
    makeToken(): string
  }
}

/** Parts that every stand-in uses. */
export interface StandInOptions extends Pick<ListenerOptions, 'host' | 'port' | 'manners'> {
  devices: Devices
  faults(): Faults
  quota(): Quota | undefined
  ledger: Ledger
  clock: Clock
}

/** Answers an OAuth token call: with the effect of a rule for `place`, else with the result of `grant`. */
export function answerTokenCall(
  { faults, ledger }: Pick<StandInOptions, 'faults' | 'ledger'>,
  exchange: Exchange,
  place: Place,
  { scripted, grant }: { scripted(effect: Effect): Answer | undefined; grant(): Answer },
): void {
  const effect = faults().pick({ place })
  settleWith(exchange, effect, () => {
    const answer = (effect && scripted(effect)) ?? grant()
    if (answer.status === 200) ledger.countAccessToken()
    perform(exchange, answer, effect)
  })
}
