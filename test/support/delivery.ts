import { blockOf } from '../../src/domain/crm/store/directory.ts'
import type { Outcome, Prepared, PushMessage, PushRecipient, Sender } from '../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../src/domain/gateways/registry.ts'
import { sendEach } from '../../src/domain/gateways/send/send-each.ts'
import { BufferMemory } from '../../src/domain/notifications/deliver/buffer-memory.ts'
import {
  countInto,
  countingSettled,
  type DeliveryAreas,
  type DeliveryParts,
  type LaneContext,
} from '../../src/domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl, type LaneControl } from '../../src/domain/notifications/deliver/lane-control.ts'
import { deliverLane, type PageSource } from '../../src/domain/notifications/deliver/lane-run.ts'
import { openPages } from '../../src/domain/notifications/deliver/open-pages.ts'
import { stepRun } from '../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { Claim, Most } from '../../src/platform/queue/queue.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { credential } from './gateways.ts'
import type { TestProgram } from './program.ts'

/** Answers each send as a test says; remembers who was sent to. */
export function scriptedSender(answer: (token: string, message: PushMessage) => Outcome | Promise<Outcome>) {
  const sent: string[] = []
  const messages = new Map<Prepared, PushMessage>()
  const send = async (prepared: Prepared, { token }: PushRecipient) => {
    sent.push(token)
    // Answers arrive later, as over a network.
    await new Promise((resolve) => setImmediate(resolve))
    return answer(token, messages.get(prepared)!)
  }
  const sender: Sender = {
    prepare(message) {
      const prepared: Prepared = { brand: 'prepared' }
      messages.set(prepared, message)
      return prepared
    },
    send,
    sendAll: sendEach(send),
    warm: async () => {},
    probe: async () => [],
    close: async () => {},
  }
  return { sender, sent }
}

/** An app with an FCM gateway and `count` subscribed Android installs `install-0` …, whose tokens are `token-0` …; there may be some of them. */
export async function withAndroids(test: TestProgram, count: number): Promise<void> {
  const { program, first } = test
  const uploaded = (i: number) => ({
    type: 'k.push.deviceRegistered',
    uuid: `u${i}`,
    timestamp: test.clock.now(),
    data: { token: `token-${i}`, type: 2 },
  })
  await program.inTransaction(async (tx) => {
    await tx.gateways.configure(first.id, { android: credential() })
    if (count > 0) await tx.events.ingest(first.id, 'install-0', [uploaded(0)])
  })
  const known = new Set<string>(await program.kernel.db.read('users').where({ app_id: first.id }).pluck('identifier'))
  const isKnown = (i: number) => known.has(`install-${i}`)
  const others = Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 1)
  await program.inTransaction(async (tx) => {
    for (const i of others.filter(isKnown)) await tx.events.ingest(first.id, `install-${i}`, [uploaded(i)])
  })
  const copied = others.filter((i) => !isKnown(i))
  await program.kernel.db.write(async (trx) => {
    for (let from = 0; from < copied.length; from += MOST_COPIES) {
      const numbers = copied.slice(from, from + MOST_COPIES)
      await copyInstall(
        trx,
        first.id,
        numbers.map((i) => ({ installId: `install-${i}`, token: `token-${i}`, upload: uploaded(i) })),
      )
    }
  })
}

/** Rows in one statement: their values are bound. */
const MOST_COPIES = 500

/**
 * Stores installs as `install-0` was stored when it registered its token: they differ in their names alone. To upload each would
 * take a dozen statements.
 */
async function copyInstall(
  trx: Sql,
  appId: number,
  copies: readonly { installId: string; token: string; upload: { uuid: string; data: object } }[],
): Promise<void> {
  const rowOf = async (table: string, where: object) => {
    const { id, ...row } = (await trx(table)
      .where({ app_id: appId, ...where })
      .first()) as { id: number }
    return { id, row }
  }
  const install = await rowOf('installs', { install_id: 'install-0' })
  const user = await rowOf('users', { identifier: 'install-0' })
  const event = await rowOf('events', { install_row: install.id })
  const users = (await trx('users')
    .insert(copies.map(({ installId }) => ({ ...user.row, identifier: installId })))
    .returning(['id', 'identifier'])) as { id: number; identifier: string }[]
  const userIds = new Map(users.map(({ id, identifier }) => [identifier, id]))
  const installs = (await trx('installs')
    .insert(
      copies.map(({ installId, token }) => ({
        ...install.row,
        install_id: installId,
        token,
        user_id: userIds.get(installId),
      })),
    )
    .returning(['id', 'install_id'])) as { id: number; install_id: string }[]
  const rows = new Map(installs.map(({ id, install_id }) => [install_id, id]))
  await trx('events').insert(
    copies.map(({ installId, upload }) => ({
      ...event.row,
      install_row: rows.get(installId),
      uuid: upload.uuid,
      user_identifier: installId,
      data: JSON.stringify(upload.data),
    })),
  )
  for (const [block, { length }] of Map.groupBy(userIds.values(), blockOf)) {
    await trx('user_blocks')
      .insert({ app_id: appId, block, listed: length })
      .onConflict(['app_id', 'block'])
      .merge({ listed: trx.raw('user_blocks.listed + ?', [length]) })
  }
}

/** Accepts a broadcast, of which nothing is fanned out yet; returns the notification's id. */
export async function acceptBroadcast({ program, first }: TestProgram, extra: object = {}): Promise<number> {
  const body = parseJson(messagesForm, { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...extra })
  const { notification } = await program.inTransaction((tx) =>
    tx.sends.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
  )
  return notification!.id
}

/** Accepts a broadcast and fans it out completely; returns the notification's id. */
export async function broadcast(test: TestProgram, extra: object = {}): Promise<number> {
  const id = await acceptBroadcast(test, extra)
  await fanOut(test)
  return id
}

/** Steps every due run to its end. */
export async function fanOut({ program, clock }: TestProgram): Promise<void> {
  const inTransaction = countingSettled(program.inTransaction, countInto(program.kernel.outcomes))
  for (;;) {
    const runs = await program.ledger.dueRuns(clock.now(), 10)
    if (runs.length === 0) return
    for (const run of runs) await stepRun({ read: program, inTransaction }, run)
  }
}

export function deliveryParts({ program, clock }: TestProgram, chunk = 10): DeliveryParts {
  return {
    read: program,
    inTransaction: (work) => program.inTransaction(work),
    clock,
    log: silentLog,
    chunk,
    count: countInto(program.kernel.outcomes),
    random: () => 0.5,
  }
}

export interface DeliverOptions {
  chunk?: number
  signal?: AbortSignal
  owner?: string
  /** State of the lane; anew for each run without it. */
  control?: LaneControl
  parts?: DeliveryParts
  /** Maximum number of pages that are claimed at a time. */
  maxRecipients?: number
}

/** Delivers what is due now, like a delivery thread; returns how many pages it claimed. */
export async function deliverDue(
  test: TestProgram,
  sender: Sender | undefined,
  options: DeliverOptions = {},
): Promise<number> {
  const { program, clock } = test
  const { chunk = 10, signal = new AbortController().signal, owner = 'test', maxRecipients } = options
  const parts = options.parts ?? deliveryParts(test, chunk)
  let pages = 0
  while (!signal.aborted) {
    const [laneId] = await program.queue.dueLanes(clock.now(), 1)
    if (laneId === undefined) break
    const claim = ({ queue }: Pick<DeliveryAreas, 'queue'>, most: Most) =>
      queue.claimSome(laneId, owner, clock.now(), 30_000, most)
    const first = await program.inTransaction(({ queue }) => queue.claim(laneId, owner, clock.now(), 30_000))
    if (!first) break
    const lane = (await program.gateways.lanes.find(laneId))!
    const control = options.control ?? createLaneControl({ refusalLimit: 30, holds: lane.holds })
    const platform = PLATFORM_TYPES[lane.platform]
    const context = { laneId, platform, sender, control, holds: lane.holds, memory: new BufferMemory() }
    const keep = () => void pages++
    await deliverPages(parts, first, context, signal, {
      claim,
      keep,
      ...(maxRecipients !== undefined && { maxRecipients }),
    })
  }
  return pages
}

/** Delivers a claimed page, and those that `source` claims: none without it. Throws what would put a page back. */
export async function deliverPages(
  parts: DeliveryParts,
  first: Claim,
  lane: LaneContext,
  signal: AbortSignal = new AbortController().signal,
  source: Partial<PageSource> = {},
): Promise<void> {
  const errors: unknown[] = []
  const whole: PageSource = {
    claim: async () => [],
    keep: () => {},
    drop: () => {},
    open: (claims, begun) => openPages(parts, claims, lane, begun),
    putBack: async (_claim, error) => void errors.push(error),
    ...source,
  }
  await deliverLane(parts, lane, whole, first, signal)
  if (errors.length > 0) throw errors[0]
}

/**
 * A worker that has sent to `count` recipients, whose answers arrive only when `release` is called. Then it stops, and
 * `release` resolves when it has.
 */
export async function sendWithoutAnswers(
  test: TestProgram,
  count: number,
  answer: (token: string) => Outcome,
  options: DeliverOptions,
): Promise<{ sent: string[]; release(): Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { sender, sent } = scriptedSender((token) => promise.then(() => answer(token)))
  const stop = new AbortController()
  const done = deliverDue(test, sender, { ...options, signal: stop.signal })
  while (sent.length < count) await new Promise((turn) => setImmediate(turn))
  return {
    sent,
    async release() {
      stop.abort()
      resolve()
      await done
    },
  }
}

/** Delivers while the answer to the commit with this number, from 1, gets lost on the way, as when a connection breaks. */
export async function deliverLosingCommit(
  test: TestProgram,
  nth: number,
  sender: Sender,
  options: DeliverOptions,
): Promise<void> {
  let left = nth
  // An app cannot be spread: its areas are getters of its class.
  const { inTransaction } = test.program
  test.program.inTransaction = async (work) => {
    const done = await inTransaction(work)
    if (--left === 0) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    return done
  }
  await deliverDue(test, sender, options)
  test.program.inTransaction = inTransaction
}
