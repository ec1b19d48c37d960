import type { Outcome, Prepared, PushRecipient, Sender } from '../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../src/domain/gateways/registry.ts'
import { deliverPage } from '../../src/domain/notifications/deliver/deliver.ts'
import {
  countInto,
  countingSettled,
  type DeliveryParts,
} from '../../src/domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl, type LaneControl } from '../../src/domain/notifications/deliver/lane-control.ts'
import { stepRun } from '../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { silentLog } from '../../src/platform/log.ts'
import { parseJson } from '../../src/platform/parse.ts'
import type { TestApp } from './app.ts'

/** Answers each send as a test says; remembers who was sent to. */
export function scriptedSender(answer: (token: string) => Outcome | Promise<Outcome>) {
  const sent: string[] = []
  const sender: Sender = {
    prepare: () => ({ brand: 'prepared' }),
    async send(_prepared: Prepared, { token }: PushRecipient) {
      sent.push(token)
      // Answers arrive later, as over a network.
      await new Promise((resolve) => setImmediate(resolve))
      return answer(token)
    },
    probe: async () => [],
    close: async () => {},
  }
  return { sender, sent }
}

/** An app with an FCM gateway and `count` subscribed Android installs, whose tokens are `token-0` … */
export async function withAndroids(test: TestApp, count: number): Promise<void> {
  const { app, first } = test
  await app.inTransaction(async (tx) => {
    await tx.gateways.configure(first.id, { android: { secret: {}, facts: { warnings: [] }, sendable: true } })
    for (let i = 0; i < count; i++) {
      await tx.events.ingest(first.id, `install-${i}`, [
        {
          type: 'k.push.deviceRegistered',
          uuid: `u${i}`,
          timestamp: test.clock.now(),
          data: { token: `token-${i}`, type: 2 },
        },
      ])
    }
  })
}

/** Accepts a broadcast and fans it out completely; returns the notification's id. */
export async function broadcast(test: TestApp, extra: object = {}): Promise<number> {
  const { app, first } = test
  const body = parseJson(messagesForm, { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...extra })
  const { notification } = await app.inTransaction((tx) =>
    tx.notifications.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
  )
  await fanOut(test)
  return notification!.id
}

/** Steps every due run to its end. */
export async function fanOut({ app, clock }: TestApp): Promise<void> {
  const inTransaction = countingSettled(app.inTransaction, countInto(app.kernel.outcomes))
  for (;;) {
    const runs = await app.ledger.dueRuns(clock.now(), 10)
    if (runs.length === 0) return
    for (const run of runs) await stepRun({ read: app, inTransaction }, run)
  }
}

export function deliveryParts({ app, clock }: TestApp, chunk = 10): DeliveryParts {
  return {
    read: app,
    inTransaction: (work) => app.inTransaction(work),
    clock,
    log: silentLog,
    chunk,
    count: countInto(app.kernel.outcomes),
    random: () => 0.5,
  }
}

export interface DeliverOptions {
  chunk?: number
  signal?: AbortSignal
  owner?: string
  /** What is known of the lane; anew for each page without it. */
  control?: LaneControl
}

/** Delivers what is due now, page after page, like a delivery thread; returns how many pages it worked. */
export async function deliverDue(test: TestApp, sender: Sender, options: DeliverOptions = {}): Promise<number> {
  const { app, clock } = test
  const { chunk = 10, signal, owner = 'test' } = options
  let pages = 0
  while (!signal?.aborted) {
    const [laneId] = await app.queue.dueLanes(clock.now(), 1)
    if (laneId === undefined) break
    const claim = await app.inTransaction((tx) => tx.queue.claim(laneId, owner, clock.now(), 30_000))
    if (!claim) break
    const lane = (await app.gateways.lanes.find(laneId))!
    const control = options.control ?? createLaneControl({ refusalLimit: 30, holds: lane.holds })
    const context = { laneId, platform: PLATFORM_TYPES[lane.platform], sender, control, holds: lane.holds }
    await deliverPage(deliveryParts(test, chunk), claim, context, signal ?? new AbortController().signal)
    pages++
  }
  return pages
}
