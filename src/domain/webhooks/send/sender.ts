import type { Log } from '../../../platform/log/log.ts'
import { failpoint } from '../../../platform/process/failpoints.ts'
import type { EventLog } from '../../followers/log/service.ts'
import { isBefore, laterOf, type Position, readCursor, START, writeCursor } from '../../followers/position.ts'
import type { LoggedEvent } from '../../followers/types.ts'
import type { Held } from '../cursors.repository.ts'
import type { DeliveriesService, Endpoint } from '../deliveries.service.ts'
import type { Batch, WebhookCursor } from '../types.ts'
import { type Composing, composeMessage, type EventJson, messageId } from './message.ts'
import { type RequestParts, requestEndpoint } from './request.ts'

/** The areas that sending needs, of the whole database or of a transaction. */
export interface SenderAreas {
  eventLog: Pick<EventLog, 'read'>
  webhookDeliveries: DeliveriesService
}

export interface SenderParts<A extends SenderAreas> extends RequestParts {
  read: A
  inTransaction<T>(work: (areas: A) => Promise<T>): Promise<T>
  /** The JSON of an event, as the cursor API has it. */
  present(event: LoggedEvent): EventJson
  log: Log
  random(): number
  /** The name of this worker; unique to this start. */
  owner: string
}

/** Requests of this worker that are under way at most; each has a body of `MAX_BODY_BYTES` or one event. */
const MAX_UNDER_WAY = 128
/** Of one app: it cannot take all of them. */
const MAX_OF_APP = 48
/** An endpoint lets others have its place after this time, if there is no other place. */
const TURN_MS = 1000
/** A batch that waits for more events is looked at so often. */
const FILL_MS = 250
/** Cursors that one look reads. */
const LOOKED_AT = 1000
/** Cursors of which more is remembered than is stored; all is forgotten when there are more. */
const MAX_REMEMBERED = 20_000
/** The pause of a cursor after a failure on our side, which doubles up to ten minutes. */
const FAILED_MS = 1000
const FAILED_MOST_MS = 600_000
/** How often it is stored how far the log has no events that an endpoint wants. */
const SKIP_MS = 10_000

/** What one step came to: there may be more to send, or not now. */
type Step = 'sent' | 'idle'

/** The next message of a cursor, and where the cursor stands before it. */
interface Chosen {
  batch: Batch
  message: Composing
  from: string
}

/** A message of a cursor that this worker holds. */
interface Sending extends Omit<Chosen, 'from'> {
  cursor: WebhookCursor
  endpoint: Endpoint
  held: Held
}

/** How far this worker has looked for a cursor, beyond what is stored. */
interface Ahead {
  fence: number
  place: Position
  storedAt: number
  /** When it was last looked at, on the steady clock. */
  lookedAt: number
  /** Nothing is to be done before this time (ms): a batch waits for more events. */
  notBefore: number
}

const keyOf = ({ webhookId, kind }: WebhookCursor) => `${webhookId} ${kind}`

/**
 * Sends events to the endpoints of webhooks. Each has at most one request under way, so that its events arrive in
 * order; endpoints do not wait for each other.
 */
export function createSender<A extends SenderAreas>(parts: SenderParts<A>) {
  const { read, inTransaction, present, clock, log, random, owner } = parts
  const underWay = new Map<string, { appId: number; done: Promise<void> }>()
  const ahead = new Map<string, Ahead>()
  let after = 0

  function aheadOf(cursor: WebhookCursor): Ahead {
    const known = ahead.get(keyOf(cursor))
    const stored = readCursor(cursor.cursor) ?? START
    if (known?.fence === cursor.fence && !isBefore(known.place, stored)) return known
    const fresh = {
      fence: cursor.fence,
      place: stored,
      storedAt: clock.monotonic(),
      lookedAt: known?.lookedAt ?? 0,
      notBefore: 0,
    }
    ahead.set(keyOf(cursor), fresh)
    return fresh
  }

  const isWanted = ({ span }: WebhookCursor, { receivedAt }: LoggedEvent) =>
    span === null || (receivedAt >= (span.from ?? -Infinity) && receivedAt < (span.to ?? Infinity))

  /** The events of a message, as they were chosen before its first attempt. Those that are forgotten meanwhile are missing. */
  async function gather(cursor: WebhookCursor, batch: Batch, max: number): Promise<Composing> {
    // As many events as were chosen: what is known of recipients may have become longer since.
    const message = composeMessage({ max, kind: cursor.kind, maxBytes: Infinity }, present)
    const until = readCursor(batch.until)!
    let place = readCursor(cursor.cursor) ?? START
    for (;;) {
      const page = await read.eventLog.read({ appId: cursor.appId, after: place, ...wanted(batch), limit: max })
      for (const event of page.events) {
        if (isBefore(until, event.position)) return message
        if (isWanted(cursor, event) && !message.take(event)) return message
      }
      if (page.atEnd || !isBefore(page.next, until)) return message
      place = page.next
    }
  }

  const wanted = ({ types, deliveries }: Pick<Endpoint, 'types'> & { deliveries?: boolean }) => ({
    ...(types !== null && { types }),
    ...(deliveries && { deliveries }),
  })

  /** Chooses the next message; undefined when there is nothing to send, or not yet. */
  async function choose(
    cursor: WebhookCursor,
    { types, deliveries, batch: { max, waitMs } }: Endpoint,
  ): Promise<Chosen | Step> {
    const known = aheadOf(cursor)
    const until = cursor.span === null ? undefined : readCursor(cursor.span.until)
    const message = composeMessage({ max, kind: cursor.kind }, present)
    const from = known.place
    let first: LoggedEvent | undefined
    let isFull = false
    let isOver = false
    let place = from
    let atEnd = false
    while (!isFull && !isOver && !atEnd) {
      const page = await read.eventLog.read({
        appId: cursor.appId,
        after: place,
        ...wanted({ types, deliveries }),
        limit: max,
      })
      for (const event of page.events) {
        isOver ||= until !== undefined && isBefore(until, event.position)
        if (isOver) break
        if (!isWanted(cursor, event)) continue
        isFull ||= !message.take(event)
        if (isFull) break
        first ??= event
      }
      isFull ||= message.count >= max
      place = page.next
      atEnd = page.atEnd
      isOver ||= until !== undefined && !isBefore(place, until)
      // One look takes no more than a page of events that are not wanted.
      if (message.count === 0) break
    }
    if (!first) {
      if (isOver) {
        await inTransaction((tx) => tx.webhookDeliveries.endReplay(cursor))
        return 'idle'
      }
      await moveOn(cursor, known, place)
      return atEnd ? 'idle' : 'sent'
    }
    if (!isFull && !isOver && max > 1 && cursor.kind === 'live') {
      const until = first.receivedAt + waitMs
      if (until > clock.now()) {
        known.notBefore = Math.min(until, clock.now() + FILL_MS)
        return 'idle'
      }
    }
    const id = messageId(cursor.webhookId, cursor.span?.number, first.cursor, message.last!.cursor)
    const batch: Batch = { id, until: message.last!.cursor, types, ...(deliveries && { deliveries }), max }
    return { batch, message, from: writeCursor(from) }
  }

  /** Remembers that nothing up to `place` is wanted, and stores it now and then. */
  async function moveOn(cursor: WebhookCursor, known: Ahead, place: Position): Promise<void> {
    const isFurther = isBefore(known.place, place)
    known.place = laterOf(known.place, place)
    if (!isFurther || clock.monotonic() - known.storedAt < SKIP_MS) return
    known.storedAt = clock.monotonic()
    await inTransaction((tx) => tx.webhookDeliveries.skip(cursor, writeCursor(place)))
  }

  /** Takes the cursor for its next message. */
  async function begin(cursor: WebhookCursor): Promise<Sending | Step> {
    const endpoint = await read.webhookDeliveries.endpoint(cursor)
    if (!endpoint) return 'idle'
    if (cursor.isLost) {
      await inTransaction((tx) => tx.webhookDeliveries.endReplay(cursor))
      return 'idle'
    }
    let chosen: Chosen
    if (cursor.batch) {
      // The rule may have changed since: the message has the events it had.
      const message = await gather(cursor, cursor.batch, cursor.batch.max)
      chosen = { batch: cursor.batch, message, from: cursor.cursor }
    } else {
      const found = await choose(cursor, endpoint)
      if (typeof found === 'string') return found
      chosen = found
    }
    const { batch, message, from } = chosen
    const held = await inTransaction((tx) => tx.webhookDeliveries.hold(cursor, owner, from, batch))
    if (!held) return 'idle'
    failpoint('webhooks.held')
    if (message.count === 0) {
      await inTransaction((tx) => tx.webhookDeliveries.drop(held, cursor, batch))
      return 'sent'
    }
    return { cursor, endpoint, held, batch, message }
  }

  /** The message after one that was taken, if it is there already. A replay ends elsewhere. */
  async function following({ cursor, held, batch }: Sending) {
    const after: WebhookCursor = { ...cursor, fence: held.fence, cursor: batch.until, batch: null, attempt: 0 }
    const endpoint = cursor.kind === 'live' ? await read.webhookDeliveries.endpoint(after) : undefined
    const chosen = endpoint && (await choose(after, endpoint))
    return typeof chosen === 'object' ? { cursor: after, endpoint: endpoint!, ...chosen } : undefined
  }

  /** Sends a message. Stores what came of it, and in the same transaction takes the cursor for the next one, unless it is over. */
  async function finish(sending: Sending, signal: AbortSignal, isOver: () => boolean): Promise<Sending | Step> {
    const { cursor, endpoint, held, batch, message } = sending
    const result = await requestEndpoint(parts, endpoint, batch.id, message.body(), signal)
    failpoint('webhooks.answered')
    // The program stops: it waits for no endpoint. The endpoint may have taken the message, and gets it again.
    if (signal.aborted && result.status === null) {
      await inTransaction((tx) => tx.webhookDeliveries.release(held, cursor))
      return 'idle'
    }
    const chance = random()
    const of = { ...cursor, batch, events: message.count }
    const goesOn = result.reason === null && !signal.aborted && !isOver()
    const next = goesOn ? await following(sending) : undefined
    const [recorded, heldNext] = await inTransaction(async (tx) => {
      const recorded = await tx.webhookDeliveries.record(held, of, result, chance)
      if (recorded !== 'taken' || !next) return [recorded] as const
      return [recorded, await tx.webhookDeliveries.hold(next.cursor, owner, next.from, next.batch)] as const
    })
    failpoint('webhooks.recorded')
    const about = { app: cursor.appId, webhook: cursor.webhookId, reason: result.reason }
    if (recorded === 'off')
      log.error(
        { ...about, remedy: 'repair the endpoint, then appsvc webhooks update --enable' },
        'a webhook was switched off',
      )
    if (next && heldNext) {
      failpoint('webhooks.held')
      return { ...next, held: heldNext }
    }
    return recorded === 'taken' ? 'sent' : 'idle'
  }

  /** Cursors whose last turn failed on our side, such as one whose secret cannot be opened. */
  const resting = new Map<string, { failures: number; until: number }>()

  /** Leaves a cursor alone for a while that doubles. `failed` is told of its first failure only: the others are the same. */
  function rest(key: string, error: unknown, failed: (error: unknown) => void): void {
    if (resting.size > MAX_REMEMBERED) resting.clear()
    const failures = (resting.get(key)?.failures ?? 0) + 1
    const pause = Math.min(FAILED_MS * 2 ** (failures - 1), FAILED_MOST_MS)
    resting.set(key, { failures, until: clock.monotonic() + pause })
    if (failures === 1) failed(error)
  }

  /** Sends one message after the other while there are any. */
  async function run(cursor: WebhookCursor, signal: AbortSignal): Promise<void> {
    const begun = clock.monotonic()
    const isOver = () => underWay.size >= MAX_UNDER_WAY && clock.monotonic() - begun > TURN_MS
    for (let current: WebhookCursor | undefined = cursor; current && !signal.aborted; ) {
      let came = await begin(current)
      while (typeof came === 'object') came = await finish(came, signal, isOver)
      if (came === 'idle' || isOver()) return
      current = await read.webhookDeliveries.again(current)
    }
  }

  return {
    /**
     * Starts requests to the endpoints that have something to get and no request under way, and does not wait for them.
     * `failed` is told what went wrong on our side. When the signal aborts, requests under way are broken off.
     */
    async look(signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
      const due = await read.webhookDeliveries.due(after, LOOKED_AT)
      // Round and round, so that each has its turn however many there are.
      after = due.length < LOOKED_AT ? 0 : due.at(-1)!.webhookId
      const ofApps = new Map<number, number>()
      for (const { appId } of underWay.values()) ofApps.set(appId, (ofApps.get(appId) ?? 0) + 1)
      if (ahead.size > MAX_REMEMBERED) ahead.clear()
      // Those that were looked at last come last.
      const inTurn = due.map((cursor) => ({ cursor, known: aheadOf(cursor) }))
      inTurn.sort((a, b) => a.known.lookedAt - b.known.lookedAt)
      for (const { cursor, known } of inTurn) {
        const key = keyOf(cursor)
        const { appId } = cursor
        const count = ofApps.get(appId) ?? 0
        if (underWay.size >= MAX_UNDER_WAY) return
        if (underWay.has(key) || count >= MAX_OF_APP || known.notBefore > clock.now()) continue
        if ((resting.get(key)?.until ?? 0) > clock.monotonic()) continue
        known.lookedAt = clock.monotonic()
        ofApps.set(appId, count + 1)
        const done = run(cursor, signal)
          .then(() => void resting.delete(key))
          .catch((error: unknown) => rest(key, error, failed))
          .finally(() => underWay.delete(key))
        underWay.set(key, { appId, done })
      }
    },

    /** Resolves when no request is under way. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done))
    },
  }
}
