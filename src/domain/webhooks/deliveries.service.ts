import type { Vault } from '../../platform/crypto/vault.ts'
import { LEASE_MS } from '../../platform/queue/leases.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type AttemptsRepository } from './attempts.repository.ts'
import type { Held, WebhookCursorsRepository } from './cursors.repository.ts'
import type { SealedWebhook, WebhooksRepository } from './repository.ts'
import { retryDelay } from './retry-schedule.ts'
import { sealContext } from './secrets.ts'
import type { Attempt, Batch, WebhookCursor } from './types.ts'

/** The time for which attempts are kept. */
const KEPT_MS = 7 * 86_400_000

/** The address to send to, and the secrets to sign with. */
export interface Endpoint {
  url: string
  types: string[] | null
  deliveries: boolean
  batch: { max: number; waitMs: number }
  secrets: string[]
}

/** The result of one request. */
export interface Result {
  /** Status of the answer; null: there was none. */
  status: number | null
  /** Reason of the failure; null: the endpoint took the message. */
  reason: string | null
  /** The time for which the endpoint wants to be left alone (ms). */
  retryAfterMs: number | undefined
  tookMs: number
}

/** The effect of a recorded result. `lost`: another worker has the cursor. */
export type Recorded = 'taken' | 'again' | 'off' | 'lost'

interface Parts {
  webhooks: WebhooksRepository
  cursors: WebhookCursorsRepository
  attempts: AttemptsRepository
  vault: Vault
  clock: Clock
}

/** The reads and writes of workers that send to endpoints. */
export function deliveriesService({ webhooks, cursors, attempts, vault, clock }: Parts) {
  function secretsOf({ id, sealed, formerSealed, formerUntil }: SealedWebhook): string[] {
    const former = formerSealed !== null && (formerUntil ?? 0) > clock.now() ? [formerSealed] : []
    return [sealed, ...former].map((one) => vault.open(one, sealContext(id)))
  }

  async function switchOff({ appId, webhookId }: WebhookCursor, offReason: string): Promise<void> {
    await webhooks.update(appId, webhookId, { state: 'off', offReason }, clock.now())
  }

  return {
    due: (after: number, limit: number): Promise<WebhookCursor[]> => cursors.due(clock.now(), after, limit),

    /** The cursor as it stands now; undefined when it is gone, or not due. */
    async again({ webhookId, kind }: WebhookCursor): Promise<WebhookCursor | undefined> {
      return (await cursors.due(clock.now(), webhookId - 1, 2)).find(
        (one) => one.webhookId === webhookId && one.kind === kind,
      )
    },

    /** The endpoint of a webhook; undefined when the webhook is off, or is gone. */
    async endpoint({ appId, webhookId }: WebhookCursor): Promise<Endpoint | undefined> {
      const found = await webhooks.find(appId, webhookId)
      if (found?.state !== 'on') return undefined
      const { url, types, deliveries, batch } = found
      return { url, types, deliveries, batch, secrets: secretsOf(found) }
    },

    /** Takes the cursor and stores the bounds of the message; undefined when another worker was faster. */
    async hold(from: WebhookCursor, owner: string, cursor: string, batch: Batch): Promise<Held | undefined> {
      const fence = await cursors.hold(from, { owner, leaseMs: LEASE_MS, cursor, batch })
      return fence === undefined ? undefined : { webhookId: from.webhookId, kind: from.kind, fence }
    },

    /** Moves past events that the webhook does not want. */
    skip: (from: WebhookCursor, cursor: string): Promise<void> => cursors.skip(from, cursor),

    /** All of its events are sent. */
    endReplay: ({ webhookId }: Pick<WebhookCursor, 'webhookId'>) => cursors.remove(webhookId, 'replay'),

    /** Lets go of a message whose request was broken off: it comes again as if it had not been tried. */
    release: (held: Held, { attempt }: Pick<WebhookCursor, 'attempt'>): Promise<boolean> =>
      cursors.retry(held, attempt, clock.now()),

    /** Goes on behind a message of which nothing is left in the log: nothing waits for the endpoint any more. */
    async drop(held: Held, { appId, webhookId, kind }: WebhookCursor, batch: Batch): Promise<void> {
      if ((await cursors.advance(held, batch.until)) && kind === 'live') await webhooks.endFailing(appId, webhookId)
    },

    /**
     * Stores the result of a request, and its consequence: the cursor moves, or the message comes again, or the
     * endpoint is switched off. Nothing is stored when another worker has taken the cursor over.
     */
    async record(
      held: Held,
      of: WebhookCursor & { batch: Batch; events: number },
      result: Result,
      random: number,
    ): Promise<Recorded> {
      const { appId, webhookId, kind, batch } = of
      const { status, reason, tookMs, retryAfterMs } = result
      const now = clock.now()
      const attempt = of.attempt + 1
      const store = (one: Omit<Attempt, 'id' | 'kind' | 'messageId' | 'at' | 'events'>) =>
        attempts.insert({ webhookId, appId, kind, messageId: batch.id, events: of.events, at: now, ...one })

      if (reason === null) {
        if (!(await cursors.advance(held, batch.until))) return 'lost'
        await store({ attempt, status, reason: null, tookMs })
        if (of.kind === 'live') await webhooks.endFailing(appId, webhookId)
        return 'taken'
      }
      const delay = retryDelay(attempt, retryAfterMs, random)
      const isOver = status === 410 || delay === undefined
      // What is switched off begins anew when somebody switches it on.
      if (!(await cursors.retry(held, isOver ? 0 : attempt, isOver ? now : now + delay))) return 'lost'
      await store({ attempt, status, reason, tookMs })
      await webhooks.beginFailing(appId, webhookId, now)
      if (!isOver) return 'again'
      await switchOff(
        of,
        status === 410
          ? 'the endpoint answered 410 Gone: it wants no more events'
          : `no success in ${attempt} attempts; the last one: ${reason}`.slice(0, 255).toWellFormed(),
      )
      return 'off'
    },

    /** Frees the cursors that an earlier start of the only process held. */
    freeAll: (): Promise<void> => cursors.freeAll(),

    /** Deletes at most `limit` old attempts of all apps; returns how many. */
    forget: (limit: number): Promise<number> => attempts.forget(clock.now() - KEPT_MS, limit),
  }
}

export type DeliveriesService = ReturnType<typeof deliveriesService>
