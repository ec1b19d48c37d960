import type { Vault } from '../../platform/crypto/vault.ts'
import { readPage } from '../../platform/db/pages.ts'
import { AppError, invalid, messageOf } from '../../platform/errors.ts'
import { type AllowPrivate, checkOutboundUrl } from '../../platform/net/outbound.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { EventLog } from '../followers/log/service.ts'
import { isBefore, type Position, readCursor, START, writeCursor } from '../followers/position.ts'
import type { AttemptsRepository } from './attempts.repository.ts'
import type { WebhookCursorsRepository } from './cursors.repository.ts'
import { positionAt } from './position-at.ts'
import type { SealedWebhook, WebhooksRepository } from './repository.ts'
import { readEdge } from './schema.ts'
import { sealContext } from './secrets.ts'
import { mintSecret } from './send/signature.ts'
import type { Attempt, BatchRule, WebhookCursor, WebhookReport } from './types.ts'

interface Parts {
  repo: WebhooksRepository
  cursors: WebhookCursorsRepository
  attempts: AttemptsRepository
  log: EventLog
  vault: Vault
  clock: Clock
  allowPrivate: AllowPrivate
  /** The setting `limits.webhooks`. */
  most: number
}

export interface NewWebhook {
  url: string
  types?: readonly string[] | null | undefined
  include?: readonly 'deliveries'[] | null | undefined
  batch?: { [Name in keyof BatchRule]?: number | undefined } | undefined
}

export interface WebhookChanges extends Partial<Omit<NewWebhook, 'url'>> {
  url?: string | undefined
  enabled?: boolean | undefined
}

const DEFAULT_BATCH: BatchRule = { max: 1, waitMs: 0 }
const HINT = 4

/** The webhooks of an app: their events, addresses and secrets. */
export function webhooksService({ repo, cursors, attempts, log, vault, clock, allowPrivate, most }: Parts) {
  const unknown = (id: number) => new AppError('not_found', `there is no webhook ${id}`)

  async function find(appId: number, id: number): Promise<SealedWebhook> {
    const found = await repo.find(appId, id)
    if (!found) throw unknown(id)
    return found
  }

  async function lock(appId: number, id: number): Promise<SealedWebhook> {
    const found = await repo.lock(appId, id)
    if (!found) throw unknown(id)
    return found
  }

  /** Throws `invalid` for an address to which nothing would be sent, as far as it shows without a look-up of the name. */
  function checkUrl(url: string): string {
    try {
      return checkOutboundUrl(url, allowPrivate).href
    } catch (error) {
      throw invalid({ url: [messageOf(error)] })
    }
  }

  const uniqueTypes = (types: readonly string[] | null | undefined) => (types ? [...new Set(types)] : types)

  /** Tells whether `include` names deliveries; undefined when the caller left it out. */
  const withDeliveries = (include: NewWebhook['include']) =>
    include === undefined ? undefined : include?.includes('deliveries') === true

  /** A new secret, and its stored form. */
  function makeSecret(id: number) {
    const secret = mintSecret()
    return { secret, sealed: vault.seal(secret, sealContext(id)), hint: `…${secret.slice(-HINT)}` }
  }

  async function report(webhook: SealedWebhook, own: readonly WebhookCursor[]): Promise<WebhookReport> {
    const { sealed: _, formerSealed: __, ...shown } = webhook
    const formerUntil = (webhook.formerUntil ?? 0) > clock.now() ? webhook.formerUntil : null
    const live = own.find(({ kind }) => kind === 'live')
    const span = own.find(({ kind }) => kind === 'replay')?.span
    const types = webhook.types === null ? {} : { types: webhook.types }
    const after = readCursor(live?.cursor ?? '') ?? START
    const { appId, deliveries } = webhook
    const waitingSince = await log.nextReceivedAt({ appId, after, ...types, deliveries })
    return {
      ...shown,
      formerUntil,
      waitingSince: waitingSince ?? null,
      replay: span ? { from: span.from, to: span.to } : null,
    }
  }

  async function reports(webhooks: readonly SealedWebhook[]): Promise<WebhookReport[]> {
    const all = await cursors.of(webhooks.map(({ id }) => id))
    const made: WebhookReport[] = []
    for (const one of webhooks) {
      const own = all.filter(({ webhookId }) => webhookId === one.id)
      made.push(await report(one, own))
    }
    return made
  }

  /** The place in the log where a replay begins or ends, and the exact time, where one was given. */
  async function edgeOf(appId: number, given: string): Promise<{ place: Position; at: number | null }> {
    const edge = readEdge(given)!
    if ('cursor' in edge) return { place: readCursor(edge.cursor)!, at: null }
    return { place: await positionAt(log, appId, edge.at), at: edge.at }
  }

  return {
    /**
     * Creates a webhook, which gets the events that are stored from now on. Returns its secret, this once. Throws
     * `conflict` when the app has the maximum number, `invalid` for an address that is refused.
     */
    async create(
      appId: number,
      { url, types, include, batch }: NewWebhook,
    ): Promise<{ webhook: WebhookReport; secret: string }> {
      const now = clock.now()
      const address = checkUrl(url)
      if ((await repo.count(appId)) >= most) {
        throw new AppError('conflict', `the app has ${most} webhooks, the maximum (limits.webhooks): delete one`)
      }
      const values = {
        url: address,
        types: uniqueTypes(types) ?? null,
        deliveries: withDeliveries(include) ?? false,
        batch: { max: batch?.max ?? DEFAULT_BATCH.max, waitMs: batch?.waitMs ?? DEFAULT_BATCH.waitMs },
      }
      const id = await repo.insert({
        appId,
        ...values,
        hint: '',
        formerUntil: null,
        state: 'on',
        offReason: null,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      })
      const { secret, sealed, hint } = makeSecret(id)
      await repo.update(appId, id, { sealed, hint }, now)
      const cursor = writeCursor(await log.end())
      await cursors.insert({ webhookId: id, kind: 'live', appId, cursor, span: null }, now)
      const [webhook] = await reports([await find(appId, id)])
      return { webhook: webhook!, secret }
    },

    /** Webhooks in the order of their creation. */
    list: async (appId: number): Promise<WebhookReport[]> => reports(await repo.list(appId)),

    /** Throws `not_found`. */
    async get(appId: number, id: number): Promise<WebhookReport> {
      return (await reports([await find(appId, id)]))[0]!
    },

    /** Locks a webhook until the commit, as a change of it does first. */
    lock: (appId: number, id: number) => repo.lock(appId, id),

    /**
     * Changes the given fields. Switching on makes it go on where it stopped, with all attempts before it. A message
     * that is under way keeps its events. Throws `not_found`, `invalid`.
     */
    async update(appId: number, id: number, changes: WebhookChanges): Promise<WebhookReport> {
      const { url, types, include, batch, enabled } = changes
      const { state } = await lock(appId, id)
      const now = clock.now()
      const change = {
        url: url === undefined ? undefined : checkUrl(url),
        types: uniqueTypes(types),
        deliveries: withDeliveries(include),
        batchMax: batch?.max,
        batchWaitMs: batch?.waitMs,
      }
      await repo.update(appId, id, change, now)
      if (enabled === true && state === 'off') {
        await repo.update(appId, id, { state: 'on', offReason: null, failingSince: null }, now)
        await cursors.refresh(id, now)
      }
      if (enabled === false && state === 'on') {
        await repo.update(appId, id, { state: 'off', offReason: 'switched off by hand' }, now)
      }
      return this.get(appId, id)
    },

    /** Throws `not_found`. */
    async remove(appId: number, id: number): Promise<void> {
      if (!(await repo.remove(appId, id))) throw unknown(id)
    },

    /**
     * Makes a new secret and returns it, this once. Messages are signed with both for `overlapSeconds`. Throws
     * `not_found`.
     */
    async rotate(
      appId: number,
      id: number,
      overlapSeconds: number,
    ): Promise<{ webhook: WebhookReport; secret: string }> {
      const { sealed: formerSealed } = await lock(appId, id)
      const { secret, sealed, hint } = makeSecret(id)
      const now = clock.now()
      const former = overlapSeconds > 0 ? { formerSealed, formerUntil: now + overlapSeconds * 1000 } : undefined
      const change = { sealed, hint, ...(former ?? { formerSealed: null, formerUntil: null }) }
      await repo.update(appId, id, change, now)
      return { webhook: await this.get(appId, id), secret }
    },

    /**
     * Sends events once more, beside new ones. `from` and `to` are times or ids of events; events received from `from`
     * on, or behind it, are sent, up to `to`. Throws `not_found`, `conflict` while one is under way.
     */
    async replay(
      appId: number,
      id: number,
      { from, to }: { from: string; to?: string | undefined },
    ): Promise<WebhookReport> {
      await lock(appId, id)
      if ((await cursors.of([id])).some(({ kind }) => kind === 'replay')) {
        throw new AppError('conflict', `webhook ${id} is being replayed: wait for its end, or stop it`)
      }
      const end = await log.end()
      const begin = await edgeOf(appId, from)
      const last = to === undefined ? { place: end, at: null } : await edgeOf(appId, to)
      // By times, a few events near an edge stand on its other side: the span has them, and the times decide.
      const place = last.at === null ? last.place : await positionAt(log, appId, last.at + REPLAY_SLACK_MS)
      const until = isBefore(place, end) ? place : end
      const number = await repo.nextReplay(appId, id)
      const span = { until: writeCursor(until), from: begin.at, to: last.at, number }
      const start = begin.at === null ? begin.place : await positionAt(log, appId, begin.at - REPLAY_SLACK_MS)
      await cursors.insert({ webhookId: id, kind: 'replay', appId, cursor: writeCursor(start), span }, clock.now())
      return this.get(appId, id)
    },

    /** Ends a replay. Throws `not_found`, also when there is none. */
    async stopReplay(appId: number, id: number): Promise<void> {
      await lock(appId, id)
      if (await cursors.remove(id, 'replay')) return
      throw new AppError('not_found', `webhook ${id} is not being replayed`)
    },

    /** Tells whether a webhook of the app, on or off, gets pages of notifications: then they enter the log. */
    anyWithDeliveries: (appId: number): Promise<boolean> => repo.anyWithDeliveries(appId),

    /** Attempts, newest first. Throws `not_found`. */
    async attempts(
      appId: number,
      id: number,
      { after, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ attempts: Attempt[]; next: number | null }> {
      await find(appId, id)
      const { rows, last } = await readPage(limit, (most) => attempts.list(appId, id, after, most))
      return { attempts: rows, next: last?.id ?? null }
    },

    /** The secrets that sign now, newest first, for a test from the command line. Throws `not_found`. */
    async secrets(appId: number, id: number): Promise<string[]> {
      const { sealed } = await find(appId, id)
      return [vault.open(sealed, sealContext(id))]
    },

    /** Webhooks of all apps, the newest first, for metrics. */
    newest: async (limit: number): Promise<WebhookReport[]> => reports(await repo.newest(limit)),

    /** Some sealed secrets of any app, with the context that opens them. */
    async sealed(limit: number): Promise<{ value: string; context: string }[]> {
      const some = await repo.newest(limit)
      return some.map(({ id, sealed }) => ({ value: sealed, context: sealContext(id) }))
    },
  }
}

/** Clocks of nodes differ, and transactions take a while: `receivedAt` is not quite in the order of the log. */
const REPLAY_SLACK_MS = 60_000
