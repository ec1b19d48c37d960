import { messageOf } from '../../../platform/errors.ts'
import { objectOf, readObject } from '../../../platform/json/json.ts'
import { readRetryAfter } from '../../../platform/net/http.ts'
import { type ExchangeReply, HttpFailure } from '../../../platform/net/http-exchange.ts'
import { type AllowPrivate, type SendOutbound, sendOutbound } from '../../../platform/net/outbound.ts'
import type { Outcome, PushHosts } from '../gateway.ts'
import { WEB } from './limits.ts'
import { dead, type Subscription } from './subscription.ts'

export interface DiscoveryParts {
  ca: readonly string[]
  allowPrivate: AllowPrivate
  now(): number
  sendHttp?: SendOutbound | undefined
}

/** The address of a push. */
type Address = Pick<Subscription, 'origin' | 'path' | 'hostname'>

/** The version that the specification names (UnifiedPush specification, server, "Discovery"). */
const VERSION = 1
/** Statuses that say nothing about what the host is: ask again later. */
const COME_AGAIN = [408, 421, 425, 429]

/**
 * Asks unknown hosts whether they are UnifiedPush servers: `GET` of the whole endpoint is answered with
 * `{"unifiedpush":{"version":1}}`. A yes counts for its host, a no only for its endpoint: anybody can register a wrong
 * endpoint at a right host. Each host is asked once at a time, few hosts are asked at the same time, and while somebody asks,
 * other pushes to the host come back later, so that a slow one holds one request. Remembers a bounded number.
 */
export function createDiscovery({ ca, allowPrivate, now, sendHttp = sendOutbound }: DiscoveryParts) {
  /** Hosts that said yes, by origin, and until when we believe it; the one that was asked longest ago first. */
  const accepted = new Map<string, number>()
  /** Endpoints that were answered with something else, until when, and with what. */
  const refused = new Map<string, { until: number; outcome: Outcome }>()
  /** Hosts that have said nothing but no: how often, and the time of the next question. */
  const doubted = new Map<string, { noes: number; nextAt: number }>()
  const asking = new Set<string>()

  const wait = (reason: string, afterMs: number): Outcome => ({
    kind: 'gateway_down',
    reason,
    afterMs,
    local: 'recipient',
  })

  function saidYes({ origin }: Address): void {
    doubted.delete(origin)
    remember(accepted, origin, now() + WEB.discoveredMs, WEB.discoveredHosts)
  }

  function saidNo(to: Address, reason: string): Outcome {
    accepted.delete(to.origin)
    const noes = (doubted.get(to.origin)?.noes ?? 0) + 1
    const pauseMs = noes < WEB.noesInARow ? 0 : WEB.betweenQuestionsMs
    remember(doubted, to.origin, { noes, nextAt: now() + pauseMs }, WEB.discoveredHosts)
    const outcome: Outcome = { kind: 'payload_error', reason: `refused: ${reason}`, everyone: false }
    remember(refused, to.origin + to.path, { until: now() + WEB.refusedMs, outcome }, WEB.endpoints)
    return outcome
  }

  function read(to: Address, { status, headers, body, isCut }: ExchangeReply): Outcome | undefined {
    if (status >= 500 || COME_AGAIN.includes(status)) {
      const afterMs = readRetryAfter(headers['retry-after'], now())
      const reason = `HTTP ${status} to the discovery of UnifiedPush`
      // Not at once, or it would be asked without end.
      return { kind: 'gateway_down', reason, ...(afterMs && { afterMs }), local: true }
    }
    const isRight = status >= 200 && status < 300 && !isCut && isDiscovery(body.toString('utf8'))
    if (!isRight) {
      return saidNo(to, `${to.hostname} is not a known push service, and no UnifiedPush server (HTTP ${status})`)
    }
    saidYes(to)
    return undefined
  }

  async function ask(to: Address): Promise<Outcome | undefined> {
    asking.add(to.origin)
    try {
      const url = to.origin + to.path
      const { discoveryMs: deadlineMs, discoveryBytes: largestReply } = WEB
      const headers = { accept: 'application/json' }
      return read(to, await sendHttp({ url, headers, ca, allowPrivate, deadlineMs, largestReply }))
    } catch (error) {
      if (error instanceof HttpFailure && error.kind === 'refused') return dead(`refused: ${error.message}`)
      return {
        kind: 'gateway_down',
        reason: `no answer to the discovery of UnifiedPush: ${messageOf(error)}`,
        local: true,
      }
    } finally {
      asking.delete(to.origin)
    }
  }

  return {
    /** Returns `accepted`, `ask` when the host has to be asked, or the outcome of a push that is not sent now. */
    find({ origin, path }: Address): 'accepted' | 'ask' | Outcome {
      const until = accepted.get(origin)
      const isBusy = asking.has(origin) || asking.size >= WEB.strangers
      // A former yes stands while the host is being asked again.
      if (until !== undefined && (isBusy || now() < until)) return 'accepted'
      const no = refused.get(origin + path)
      if (no && now() < no.until) return { ...no.outcome }
      if (asking.has(origin)) return wait('the push service is being asked whether it is one', WEB.discoveryWaitMs)
      const nextAt = doubted.get(origin)?.nextAt ?? 0
      if (now() < nextAt) return wait('no UnifiedPush server so far', nextAt - now())
      if (asking.size >= WEB.strangers) return wait('too many unknown push services at once', WEB.discoveryWaitMs)
      return 'ask'
    },

    /** Asks the host. Returns undefined when it is a UnifiedPush server, else the outcome of the push. Never throws. */
    ask,
  }
}

export type Discovery = ReturnType<typeof createDiscovery>

/** Answers of hosts, shared by the senders of all apps. */
const shared = new WeakMap<PushHosts, Discovery>()

/** The discovery of the settings `hosts`, made on first use. */
export function discoveryOf(hosts: PushHosts, parts: DiscoveryParts): Discovery {
  let discovery = shared.get(hosts)
  if (!discovery) shared.set(hosts, (discovery = createDiscovery(parts)))
  return discovery
}

function isDiscovery(text: string): boolean {
  return objectOf(readObject(text)?.unifiedpush).version === VERSION
}

/** Stores a value as the newest, and forgets the oldest beyond `most`. */
function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
