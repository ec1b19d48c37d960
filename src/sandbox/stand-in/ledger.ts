import { EventEmitter } from 'node:events'
import { type Tally, type TallySummary, tally } from './tally.ts'

/** One send call as the sandbox saw it; for a call with many recipients, one of them. */
export interface Received {
  /** 1, 2, 3 ... over all gateways. */
  seq: number
  /** Milliseconds since the epoch. */
  at: number
  gateway: string
  /** APNs only. */
  environment?: 'production' | 'sandbox'
  /** Device token, or endpoint of a web push subscription; for FCM also `/topics/...` or a condition. */
  token: string
  /**
   * The gateway's id of the message: the apns-id, FCM's `projects/.../messages/...`, Push Kit's requestId, or the
   * `Location` of Web Push.
   */
  id: string
  /** The id of the notification inside the payload (`k.message`), as text. */
  notificationId?: string | undefined
  /**
   * APNs topic, FCM project, app id of Push Kit, or the push service that is imitated (`google`, `mozilla`, `apple`).
   */
  topic: string
  /** Whether the device got it: true for every 200, and for faults that only lose the answer. */
  taken: boolean
  /** What the sender was told: `200`, `410 Unregistered`, `no answer` ... */
  answer: string
  /** The headers that matter to the device (APNs, Web Push). */
  headers: Record<string, string>
  /** The body as it arrived. For Web Push: the text that the browser decrypts, or base64 if it cannot. */
  payload: string
}

/** Which messages to list. */
export interface ReceivedFilter {
  token?: string | undefined
  notificationId?: string | undefined
  gateway?: string | undefined
  /** Only messages that reached the device, or only those that did not. */
  taken?: boolean | undefined
  /** Only messages after this one. */
  afterSeq?: number | undefined
  /** Only messages before this one: the next page of a list that starts with the newest. */
  beforeSeq?: number | undefined
  limit?: number | undefined
}

export interface GatewayCounts {
  requests: number
  taken: number
  refused: number
  /** Answers by what the sender was told. */
  answers: Record<string, number>
}

export type Counts<G extends string = string> = Totals & Record<G, GatewayCounts>

interface Totals {
  requests: number
  /** Messages that reached a device. */
  taken: number
  refused: number
  /** How often tokens received any message. */
  tokens: TallySummary
  /** How often tokens received the same notification: `repeated` is 0 if everything is sent exactly once. */
  deliveries: TallySummary
  /** Examples of tokens that received the same notification more than once. */
  repeatedExamples: { token: string; notificationId: string }[]
  /** Messages taken per notification; the first 10 000 notifications. */
  notifications: Record<string, number>
  /** Access tokens issued by the OAuth token calls. */
  accessTokens: number
}

const EXAMPLES = 100
const NOTIFICATIONS = 10_000

export type Ledger = ReturnType<typeof startLedger<never>>

/**
 * Counters over everything that arrived, and the newest messages in full. Memory does not grow with the number of
 * messages, and grows by about 25 bytes for each token.
 *
 * `keep` is the number of messages to keep; 0 only counts.
 */
export function startLedger<G extends string>(gateways: readonly G[], { keep = 1000 }: { keep?: number } = {}) {
  const events = new EventEmitter<{ message: [Received]; reset: [] }>()
  events.setMaxListeners(0)
  const tokens: Tally = tally()
  const deliveries: Tally = tally()
  const notifications = new Map<string, number>()
  let by = emptyByGateway(gateways)
  let repeated: Totals['repeatedExamples'] = []
  let accessTokens = 0
  let seq = 0
  /** A ring: the message with number s is at s % keep. */
  let ring: Received[] = []

  return {
    events,
    add(message: Omit<Received, 'seq'>): void {
      const of = by[message.gateway as G]
      of.requests++
      if (message.taken) of.taken++
      else of.refused++
      of.answers[message.answer] = (of.answers[message.answer] ?? 0) + 1
      if (message.taken) countDelivery(message)
      seq++
      const listeners = events.listenerCount('message') > 0
      if (keep === 0 && !listeners) return
      const received = { seq, ...message }
      if (keep > 0) ring[seq % keep] = received
      if (listeners) events.emit('message', received)
    },
    countAccessToken(): void {
      accessTokens++
    },
    /** The newest first. */
    list({ limit = 50, afterSeq = 0, beforeSeq = seq + 1, ...filter }: ReceivedFilter = {}): Received[] {
      const found: Received[] = []
      const oldest = Math.max(seq - keep, afterSeq)
      for (let s = Math.min(beforeSeq - 1, seq); s > oldest && found.length < limit; s--) {
        const message = ring[s % keep]
        if (message && fits(message, filter)) found.push(message)
      }
      return found
    },
    /** How often the device got a message; with a notification id, how often that one. */
    countOf(token: string, notificationId?: string): number {
      return notificationId === undefined ? tokens.count(token) : deliveries.count(token, notificationId)
    },
    counts(): Counts<G> {
      return {
        requests: sum('requests'),
        taken: sum('taken'),
        refused: sum('refused'),
        ...structuredClone(by),
        tokens: tokens.summary(),
        deliveries: deliveries.summary(),
        repeatedExamples: [...repeated],
        notifications: Object.fromEntries(notifications),
        accessTokens,
      }
    },
    reset(): void {
      tokens.clear()
      deliveries.clear()
      notifications.clear()
      by = emptyByGateway(gateways)
      repeated = []
      accessTokens = 0
      ring = []
      events.emit('reset')
    },
  }

  function sum(what: 'requests' | 'taken' | 'refused'): number {
    return Object.values<GatewayCounts>(by).reduce((total, counts) => total + counts[what], 0)
  }

  function countDelivery({ token, notificationId }: Omit<Received, 'seq'>): void {
    tokens.add(token)
    if (notificationId === undefined) return
    const times = deliveries.add(token, notificationId)
    if (times === 2 && repeated.length < EXAMPLES) repeated.push({ token, notificationId })
    const before = notifications.get(notificationId)
    if (before !== undefined || notifications.size < NOTIFICATIONS) notifications.set(notificationId, (before ?? 0) + 1)
  }
}

function fits(
  message: Received,
  filter: Pick<ReceivedFilter, 'token' | 'notificationId' | 'gateway' | 'taken'>,
): boolean {
  if (filter.token !== undefined && message.token !== filter.token) return false
  if (filter.notificationId !== undefined && message.notificationId !== filter.notificationId) return false
  if (filter.gateway !== undefined && message.gateway !== filter.gateway) return false
  return filter.taken === undefined || message.taken === filter.taken
}

function emptyByGateway<G extends string>(gateways: readonly G[]): Record<G, GatewayCounts> {
  return Object.fromEntries(gateways.map((gateway) => [gateway, emptyCounts()])) as Record<G, GatewayCounts>
}

function emptyCounts(): GatewayCounts {
  return { requests: 0, taken: 0, refused: 0, answers: {} }
}
