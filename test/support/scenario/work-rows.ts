import { createIngestion, removeOrphans } from '../../../src/domain/channels/ingest.ts'
import { runErasures } from '../../../src/domain/erasures/run.ts'
import { createFollowing } from '../../../src/domain/followers/follow.ts'
import type { Follower } from '../../../src/domain/followers/types.ts'
import type { Outcome } from '../../../src/domain/gateways/gateway.ts'
import { stepMessage } from '../../../src/domain/in-app/fan-out/step.ts'
import { createLaneControl } from '../../../src/domain/notifications/deliver/lane-control.ts'
import { giveUpPage, recoverPages } from '../../../src/domain/notifications/deliver/recover.ts'
import { stepRun } from '../../../src/domain/notifications/fan-out/step.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import type { Areas } from '../../../src/program.ts'
import { warnOfExpiry } from '../../../src/workers/jobs/sweep.ts'
import { createLoadReporter } from '../../../src/workers/load.ts'
import { followZoneRules } from '../../../src/workers/zone-rules.ts'
import { deliverDue, deliveryParts, fanOut, scriptedSender } from '../delivery.ts'
import { erasing } from '../erasures.ts'
import { addInstall } from '../installs.ts'
import { type Answer, scriptedEndpoints, webhookWorker } from '../webhooks.ts'
import { type Row, row, rowOf } from './row.ts'
import { fileOf } from './server-rows.ts'
import type { Stage } from './stage.ts'

/** The loops of src/workers, each turn by itself: nothing here waits for a timer. */

const DAY_MS = 86_400_000
const CONTENT = { title: 'T', message: 'M' }

/** Accepts a notification; its id. */
async function send(s: Stage, target: object, more: object = {}): Promise<number> {
  const body = { target, content: CONTENT, confirm: 10_000_000, ...more }
  const { notification } = await s.call<{ notification: { id: number } }>('POST', '/messages/v2/notifications', {
    body,
  })
  return notification.id
}

const fewUsers = (s: Stage) => ({ userIds: Array.from({ length: 10 }, () => `user-${s.some()}`) })

/** One turn of the loop: looks for what is due, takes one step of each. */
async function dispatch({ program, clock }: Stage): Promise<void> {
  const inTransaction: typeof program.inTransaction = (work) => program.inTransaction(work)
  await program.instance.hold()
  for (const run of await program.ledger.dueRuns(clock.now(), 16, false))
    await stepRun({ read: program, inTransaction }, run)
  await program.ledger.nextRunAt()
}

/** Ends a notification wherever it is, and forgets its unsent pages. */
async function end({ program }: Stage, id: number): Promise<void> {
  await program.kernel.db.write(async (trx) => {
    await trx('runs').where({ notification_id: id }).update({ state: 'done' })
    await trx('pages').where({ notification_id: id }).delete()
    await trx('notifications').where({ id }).update({ status: 3 })
  })
}

const dispatchOf = (what: string, target: (s: Stage) => object, larger?: string): Row =>
  rowOf('job dispatch', (s) => send(s, target(s)), dispatch, { what, after: end, most: 20, ...(larger && { larger }) })

/** A step ends with a full page. */
const FILLS = 'looks until a page is full, or at everybody'

/** Due two days from now at the time of each place. */
function atLocalTime({ clock }: Stage, strategy: 'local' | 'intelligent') {
  const sendAt = new Date(clock.now() + 2 * DAY_MS).toISOString().slice(0, 16).replace('T', ' ')
  return { sendAt: strategy === 'local' ? sendAt : sendAt.slice(0, 10), strategy, pastTimes: 'nextDay' }
}

/** Due at a local time two days from now; the clock goes there. */
const localRow = (strategy: 'local' | 'intelligent'): Row =>
  rowOf(
    'job dispatch',
    (s) => send(s, { channelUuids: ['news'] }, { schedule: atLocalTime(s, strategy) }),
    async (s) => {
      for (let turn = 0; turn < 3; turn++) {
        await dispatch(s)
        s.clock.set(Math.max(s.clock.now(), (await s.program.ledger.nextRunAt()) ?? 0))
      }
    },
    { what: `a ${strategy} time`, after: end, most: 5, larger: 'plans when each zone and hour is due' },
  )

const DISPATCH: Row[] = [
  row('job dispatch', dispatch, { what: 'nothing is due' }),
  dispatchOf('to ten users', fewUsers),
  dispatchOf('to ten users, not on an install that is unknown yet', (s) => ({
    ...fewUsers(s),
    excludeInstallIds: [`nobody-${s.next()}`, `install-${s.some()}`],
  })),
  dispatchOf('a step to all', () => ({ broadcast: true })),
  dispatchOf('a step to a channel', () => ({ channelUuids: ['news'] }), FILLS),
  dispatchOf('a step to a segment', ({ world }) => ({ segmentUuid: world.segment }), FILLS),
  dispatchOf('a step to a geofence', ({ world }) => ({ geofenceIds: [world.fence] }), FILLS),
  dispatchOf(
    'a step to all three',
    ({ world }) => ({
      channelUuids: ['news'],
      segmentUuid: world.segment,
      geofenceTags: ['settled'],
    }),
    FILLS,
  ),
  localRow('local'),
  localRow('intelligent'),
  rowOf(
    'job dispatch',
    (s) => send(s, { broadcast: true }, { schedule: atLocalTime(s, 'local') }),
    async (s, id) => {
      // Its other runs have passed.
      const others = { state: 'done', begun_at: s.clock.now() }
      await s.program.kernel.db.write((trx) =>
        trx('runs').where({ notification_id: id }).whereNot({ kind: 'rest' }).update(others),
      )
      s.clock.set((await s.program.ledger.nextRunAt())!)
      await dispatch(s)
    },
    { what: 'the rest of a local time', after: end, most: 5, larger: FILLS },
  ),
]

/** Other texts for each user, in two languages. */
const PERSONAL = {
  personalize: {},
  languages: { de: {} },
  data: { plan: "{{ user.attributes.plan | default: 'none' }}", zone: "{{ install.timezone | default: 'none' }}" },
}

const newMessage = (target: (s: Stage) => object, more?: (s: Stage) => object) => async (s: Stage) => {
  const body = {
    target: target(s),
    ...more?.(s),
    template: 'plain',
    presentedWhen: 'next-open',
    ttl: { expiresIn: 1, units: 'd' },
    confirm: 10_000_000,
  }
  const { message } = await s.call<{ message: { id: number } }>('POST', '/messages/v1/in-app-messages', { body })
  return message.id
}

/** One turn of the loop of in-app messages. */
async function handOut({ program, clock }: Stage): Promise<void> {
  const inTransaction: typeof program.inTransaction = (work) => program.inTransaction(work)
  for (const id of await program.inAppWalks.due(clock.now(), 16, false))
    await stepMessage({ read: program, inTransaction }, id)
  await program.inAppWalks.nextAt()
}

const endMessage = ({ program }: Stage, id: number) =>
  program.kernel.db.write((trx) => trx('in_app_messages').where({ id }).update({ next_at: null, status: 3 }))

const IN_APP: Row[] = [
  row('job in-app', handOut, { what: 'nothing is due' }),
  ...(
    [
      ['to ten users', fewUsers],
      ['without an unknown install', (s: Stage) => ({ ...fewUsers(s), excludeInstallIds: [`nobody-${s.next()}`] })],
      ['a step to all', () => ({ broadcast: true })],
      ['a step to a segment', ({ world }: Stage) => ({ segmentUuid: world.segment })],
      ['a step to a channel', () => ({ channelUuids: ['news'] })],
    ] as const
  ).map(([what, target]) =>
    rowOf('job in-app', newMessage(target), handOut, {
      what,
      after: endMessage,
      most: 20,
      ...(what.startsWith('a step') && { larger: FILLS }),
    }),
  ),
  ...(
    [
      ['personalised, to ten users', fewUsers],
      ['a personalised step to all', () => ({ broadcast: true })],
    ] as const
  ).map(([what, target]) =>
    rowOf(
      'job in-app',
      newMessage(target, () => PERSONAL),
      handOut,
      { what, after: endMessage, most: 20, ...(what.includes('step') && { larger: FILLS }) },
    ),
  ),
  rowOf(
    'get push /v1/users/:userId/messages',
    async (s) => {
      const user = `user-${s.some() & ~1 || 2}`
      await newMessage(
        () => ({ userIds: [user] }),
        () => PERSONAL,
      )(s)
      await handOut(s)
      return user
    },
    (s, user) => s.call('GET', `/push/v1/users/${user}/messages`, { auth: 'device' }),
    { what: 'of a personalised message' },
  ),
  ...(['local', 'intelligent'] as const).map((strategy) =>
    rowOf(
      'job in-app',
      newMessage(
        () => ({ broadcast: true }),
        (s) => ({ schedule: atLocalTime(s, strategy) }),
      ),
      async (s) => {
        for (let turn = 0; turn < 3; turn++) {
          s.clock.set(Math.max(s.clock.now(), (await s.program.inAppWalks.nextAt()) ?? 0))
          await handOut(s)
        }
      },
      { what: `to all at a ${strategy} time`, after: endMessage, most: 5, larger: FILLS },
    ),
  ),
]

/** A notification to ten users, its page ready to be claimed. */
async function ready(s: Stage): Promise<number> {
  const id = await send(s, fewUsers(s))
  await fanOut(s)
  return id
}

/** An in-app message to ten users with a push, whose page is ready to be claimed. `more`: other members of its request. */
async function readyLinked(s: Stage, more: object = {}): Promise<number> {
  const body = { target: fewUsers(s), template: 'plain', presentedWhen: 'never', notification: CONTENT, ...more }
  const { message } = await s.call<{ message: { id: number } }>('POST', '/messages/v1/in-app-messages', { body })
  await handOut(s)
  return (await s.program.inAppMessages.find(s.first.id, message.id))!.notificationId!
}

const restrain = ({ program, first }: Stage, quiet: { from: number; to: number; hold?: true } | null) =>
  program.inTransaction((tx) => tx.apps.restrain(first.id, { quiet }))

const CONSENT: Row[] = [
  rowOf(
    'job dispatch',
    (s) => {
      const schedule = {
        sendAt: '2031-01-01 12:00',
        strategy: 'timezone',
        timezone: 'America/Winnipeg',
        pastTimes: 'ignore',
      }
      return send(s, fewUsers(s), { schedule })
    },
    async (s, id) => {
      await s.program.kernel.db.write((trx) => trx('runs').where({ notification_id: id }).increment('due_at', 1))
      await followZoneRules(s.program, silentLog, `release ${s.next()}`)
    },
    { what: 'plans schedules by other time zone rules', after: end, most: 20 },
  ),
  rowOf(
    'job deliver',
    async (s) => {
      const id = await send(s, fewUsers(s), { purpose: 'news' })
      await fanOut(s)
      return id
    },
    (s) => deliverDue(s, scriptedSender(() => ({ kind: 'accepted' })).sender),
    {
      what: 'under a purpose',
      most: 60,
      after: end,
    },
  ),
  rowOf(
    'job in-app',
    async (s) => {
      const body = { target: fewUsers(s), template: 'plain', presentedWhen: 'never', purpose: 'news' }
      const { message } = await s.call<{ message: { id: number } }>('POST', '/messages/v1/in-app-messages', { body })
      return message.id
    },
    handOut,
    {
      what: 'under a purpose',
      most: 20,
      after: endMessage,
    },
  ),
  rowOf(
    'job deliver',
    async (s) => {
      await restrain(s, { from: 0, to: 1439, hold: true })
      return ready(s)
    },
    async (s, id) => {
      await deliverDue(s, scriptedSender(() => ({ kind: 'accepted' })).sender)
      await s.call('DELETE', `/messages/v2/scheduled-notifications/${id}`)
    },
    {
      what: 'held in quiet hours, then cancelled',
      most: 20,
      async after(s, id) {
        await restrain(s, null)
        await end(s, id)
      },
    },
  ),
]

const delivery = (what: string, outcome: Outcome, most = 500): Row =>
  rowOf(
    'job deliver',
    ready,
    async (s) => {
      let sent = 0
      // One dead token of ten: in a small world nobody would have one for the rows after it.
      const isOnce = outcome.kind === 'token_dead'
      const { sender } = scriptedSender(() => (isOnce && sent++ > 0 ? { kind: 'accepted' } : outcome))
      await deliverDue(s, sender)
      await s.program.queue.nextDue(s.clock.now())
    },
    { what, after: end, most },
  )

async function claimed(s: Stage): Promise<{ id: number; claim: NonNullable<Awaited<ReturnType<typeof claim>>> }> {
  const id = await ready(s)
  return { id, claim: (await claim(s, -60_000))! }
}

async function claim({ program, clock }: Stage, leaseMs: number) {
  const [lane] = await program.queue.dueLanes(clock.now(), 1)
  return program.inTransaction((tx) => tx.queue.claim(lane!, 'dead', clock.now(), leaseMs))
}

const recovery = ({ program, clock }: Stage) => ({
  inTransaction: program.inTransaction,
  clock,
  log: silentLog,
  random: Math.random,
  count() {},
})

/** Pushes that say something else to each recipient, by what is read of them. */
const EACH_THEIR_OWN = {
  'in two languages': { content: { ...CONTENT, languages: { de: CONTENT } } },
  personalised: {
    personalize: {},
    content: { ...CONTENT, title: "{{ user.attributes.plan | default: 'none' }} {{ install.os | default: 'none' }}" },
  },
}

const DELIVER: Row[] = [
  row(
    'job deliver',
    async ({ program, clock, first }) => {
      await program.queue.dueLanes(clock.now(), 128)
      await program.queue.nextDue(clock.now())
      const [lane] = await program.gateways.lanes.list(first.id)
      await program.gateways.lanes.find(lane!.id)
      await program.gateways.find(first.id, 'android')
      createLaneControl({ refusalLimit: 30, holds: 0 })
    },
    { what: 'nothing is due' },
  ),
  delivery('accepted', { kind: 'accepted' }),
  rowOf(
    'job deliver',
    async (s) => {
      // A user with one phone that can be sent to: of the users of the world some have none, and then a run makes the pages.
      const user = `sendable-${s.next()}`
      await addInstall(s.program, s.first.id, `${user}-phone`, { user })
      return send(s, { userIds: [user] })
    },
    (s) => deliverDue(s, scriptedSender(() => ({ kind: 'accepted' })).sender),
    { what: 'a send whose pages are made where it is accepted', after: end },
  ),
  ...Object.entries(EACH_THEIR_OWN).map(([what, more]) =>
    rowOf(
      'job deliver',
      async (s) => {
        const id = await send(s, fewUsers(s), more)
        await fanOut(s)
        return id
      },
      (s) => deliverDue(s, scriptedSender(() => ({ kind: 'accepted' })).sender),
      { what, most: 60, after: end },
    ),
  ),
  delivery('a dead token', { kind: 'token_dead', reason: 'UNREGISTERED' }, 60),
  delivery('a throttled recipient', { kind: 'throttled_recipient', reason: 'slow' }),
  delivery('no answer', { kind: 'uncertain', reason: 'deadline' }),
  rowOf(
    'job deliver',
    claimed,
    ({ program }, { claim }) => program.inTransaction((tx) => tx.queue.extend('dead', 30_000, [claim.id])),
    {
      what: 'a lease is extended',
      after: (s, { id }) => end(s, id),
    },
  ),
  rowOf('job deliver', claimed, (s, { claim }) => giveUpPage(deliveryParts(s), claim), {
    what: 'a page is given up',
    after: (s, { id }) => end(s, id),
  }),
  rowOf('recovery', claimed, (s) => recoverPages(recovery(s)), {
    what: 'a lease ran out',
    after: (s, { id }) => end(s, id),
  }),
  rowOf('recovery', claimed, (s) => recoverPages(recovery(s), { name: 'dead' }), {
    what: 'a thread died',
    after: (s, { id }) => end(s, id),
  }),
  rowOf('recovery', claimed, (s) => recoverPages(recovery(s), { all: true }), {
    what: 'at the start',
    after: (s, { id }) => end(s, id),
  }),
]

async function ingest({ program, clock, dir }: Stage): Promise<void> {
  const parts = {
    read: program.ingestion,
    inTransaction: <T>(work: (areas: typeof program.ingestion) => Promise<T>) =>
      program.inTransaction((tx) => work(tx.ingestion)),
    clock,
    dataDir: dir,
    alone: program.kernel.db.kind === 'sqlite',
    owner: 'scenario',
    // More than one batch on PostgreSQL too.
    linesAtOnce: 3,
  }
  const ingestion = createIngestion(parts)
  let isStopped = false
  for (;;) {
    const open = await program.ingestion.imports.open(16)
    if (open.length === 0) break
    for (const { row } of open) await ingestion.step(row)
    // As when a server stops in the middle of it: the next one begins the batch anew.
    if (!isStopped) await ingestion.release()
    isStopped = true
  }
  await removeOrphans(parts)
}

const INGEST: Row[] = [
  row('job ingest', ingest, { what: 'nothing is due' }),
  rowOf('job ingest', (s) => s.call('POST', '/messages/v2/channels/news/subscribers-file', fileOf(s)), ingest, {
    what: 'a file of four lines',
  }),
]

/** The counter for the names of followers that are new. */
let followed = 0

/** One turn of a follower that keeps something inside, and of its look at how far it is. */
async function followSome({ program, clock }: Stage, follower: Partial<Follower<Areas>>): Promise<void> {
  const effect = { apply: async () => {} }
  const inTransaction: typeof program.inTransaction = (work) => program.inTransaction(work)
  const parts = { read: program, inTransaction, clock, log: silentLog, owner: 'scenario' }
  const one = createFollowing<Areas>(parts, { name: `f${++followed}`, from: 'start', most: 20, effect, ...follower })
  await program.instance.hold()
  await one.turn(new AbortController().signal)
  await program.followers.states()
  await one.close()
  await program.inTransaction((tx) => tx.followers.remove(one.follower.name))
}

const FOLLOW: Row[] = [
  row('job follow', (s) => followSome(s, {}), { what: 'all apps' }),
  row('job follow', (s) => followSome(s, { appId: s.first.id }), { what: 'one app' }),
  row('job follow', (s) => followSome(s, { appId: s.first.id, types: ['order.paid'] }), { what: 'some types' }),
  row('job follow', (s) => followSome(s, { from: 'end' }), { what: 'nothing is new' }),
  rowOf(
    'job follow',
    async (s) => {
      const event = { type: 'order.paid', timestamp: s.clock.now(), data: { amount: 4.5 } }
      const paid = { ...event, userId: `user-${s.some()}`, uuid: `paid-${s.next()}` }
      await s.program.inTransaction((tx) => tx.serverEvents.take(s.first.id, [paid]))
    },
    async (s) => {
      const [counting] = await s.program.metrics.follows<Areas>()
      await followSome(s, { ...counting, name: 'counting', from: 'start', most: 20 })
    },
    { what: 'metrics' },
  ),
  rowOf(
    'job follow',
    async (s) => {
      const name = `old-${s.next()}`
      const definition = { event: 'order.paid', where: null, value: null }
      await s.program.inTransaction((tx) => tx.metrics.put(s.first.id, name, definition, { isBackfilled: true }))
      return name
    },
    async (s, name) => {
      const reader = (await s.program.metrics.follows<Areas>()).find(({ until }) => until)
      await followSome(s, { ...reader, name: 'counting-old', most: 20 })
      const { id } = await s.program.metrics.get(s.first.id, name)
      await s.program.inTransaction((tx) => tx.metrics.endBackfill(s.first.id, id))
    },
    {
      what: 'events from before a metric',
      after: (s, name) => s.program.inTransaction((tx) => tx.metrics.delete(s.first.id, name)),
    },
  ),
  row('job follow', async ({ program }) => program.eventLog.glance(await program.eventLog.end()), {
    what: 'for readers who wait',
  }),
]

const SEARCHES = 'searches all sends, in slices'

/** Makes a person with an install and something of everything; on the erasure list. */
async function newPerson(s: Stage): Promise<void> {
  const name = `person-${s.next()}`
  const of = { user: name }
  const row = await addInstall(s.program, s.first.id, `${name}-phone`, of)
  await s.program.inTransaction(async (tx) => {
    await tx.crm.rememberUsers(s.first.id, [{ row: s.some(), identifier: name }])
    await tx.crm.rememberUsers(s.first.id, [{ row, identifier: name }])
    const at = { timestamp: s.clock.now(), type: 'own' }
    await tx.events.ingest(s.first.id, `${name}-phone`, [{ ...at, uuid: name }])
  })
  await send(s, { userIds: [name] }, { schedule: { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' } })
  await s.call('DELETE', `/crm/v1/users/${name}`)
}

async function eraseAll({ program, dir }: Stage): Promise<void> {
  // A VACUUM would tell the planner of PostgreSQL that its tables are not large.
  await runErasures({ ...erasing({ program, dir }), db: { purge: () => Promise.resolve(true) } })
}

/** The chores, each for a few rows, as the first slice of a round takes them. */
const FEW = 5
const KEPT_DAYS = 365
const chore = (name: string, run: (s: Stage) => Promise<unknown>, what = ''): Row =>
  row(`sweep ${name}`, run, { what, most: 30 })

const SWEEP: Row[] = [
  rowOf(
    'sweep purposes.forget',
    async (s) => {
      const uid = `gone-${s.next()}`
      await s.call('PUT', `/crm/v1/purposes/${uid}`, { body: { name: 'Gone', default: true } })
      await s.call('PUT', `/crm/v1/users/user-${s.some()}/choices`, { body: { [uid]: false } })
      await s.call('DELETE', `/crm/v1/purposes/${uid}`)
    },
    ({ program }) => program.inTransaction((tx) => tx.purposes.forget(FEW)),
  ),
  rowOf(
    'sweep metrics.forget',
    async (s) => {
      const name = `gone-${s.next()}`
      await s.call('PUT', `/messages/v1/metrics/${name}`, { body: { event: 'order.paid' } })
      await s.call('DELETE', `/messages/v1/metrics/${name}`)
    },
    ({ program }) => program.inTransaction((tx) => tx.metrics.forget(FEW)),
  ),
  row('job sweep', async ({ program }) => (program.kernel.db.kind === 'sqlite' ? program.vitals.isSound() : true), {
    larger: 'reads the whole file, up to a size',
    most: 5,
  }),
  chore('fanOut.finish', async ({ program, first, world }) => {
    await program.ledger.unfinished(0, 100)
    await program.inTransaction((tx) => tx.fanOut.finish(first.id, [world.big + 1]))
  }),
  rowOf('job sweep', newPerson, eraseAll, { what: 'erases a user', most: 20, larger: SEARCHES }),
  rowOf(
    'job sweep',
    ({ program, first, clock }) =>
      program.inTransaction((tx) =>
        tx.erasures.restore({ id: 'again', appId: first.id, kind: 'user', digest: 'd', requestedAt: clock.now() }),
      ),
    eraseAll,
    {
      what: 'looks for a user who was erased before a restore',
      most: 1,
      larger: SEARCHES,
    },
  ),
  chore('erasures.forgetEvents', ({ program }) => program.inTransaction((tx) => tx.erasures.forgetEvents(FEW))),
  chore('geofences.settle', ({ program }) => program.inTransaction((tx) => tx.geofences.settle())),
  chore('geofences.forget', ({ program }) => program.inTransaction((tx) => tx.geofences.forget(FEW))),
  chore('userMessages.settleTallies', ({ program }) =>
    program.inTransaction((tx) => tx.userMessages.settleTallies(FEW)),
  ),
  rowOf(
    'sweep channels.clearAway',
    async (s) => {
      const { id } = await s.call('POST', '/messages/channels', { body: { uuid: `gone-${s.next()}` } })
      await s.call('POST', `/push/channels/${id}/subscriptions`, { body: { userIds: [`user-${s.some()}`] } })
      await s.call('DELETE', `/messages/channels/${id}`)
    },
    ({ program }) => program.inTransaction((tx) => tx.channels.clearAway()),
  ),
  chore('idempotency.sweep', ({ program }) => program.inTransaction((tx) => tx.idempotency.sweep(FEW))),
  chore('crm.forgetActivity', ({ program }) => program.inTransaction((tx) => tx.crm.forgetActivity(FEW))),
  chore('events.forget', ({ program }) => program.inTransaction((tx) => tx.events.forget(KEPT_DAYS, FEW))),
  chore('statistics.forget', ({ program }) => program.inTransaction((tx) => tx.statistics.forget(FEW))),
  chore('load.forget', ({ program }) => program.inTransaction((tx) => tx.load.forget(FEW))),
  chore('crashes.forget', ({ program }) => program.inTransaction((tx) => tx.crashes.forget(KEPT_DAYS, FEW))),
  chore('checkins.forget', ({ program }) => program.inTransaction((tx) => tx.checkins.forget(KEPT_DAYS, FEW))),
  chore('webhookDeliveries.forget', ({ program }) => program.inTransaction((tx) => tx.webhookDeliveries.forget(FEW))),
  chore('taps.forget', ({ program }) => program.inTransaction((tx) => tx.taps.forget(FEW))),
  chore('taps.clearDeleted', async ({ program, first }) => {
    const link = {
      linkData: {},
      desktopWebFallbackUrl: 'https://example.com',
      mobileWebFallbackUrl: 'https://example.com',
    }
    await program.inTransaction(async (tx) => {
      const [made] = await tx.links.create(first.id, [link])
      await tx.links.delete(first.id, made!.id)
    })
    await program.inTransaction((tx) => tx.taps.clearDeleted(FEW))
  }),
  chore('channelImports.forget', ({ program }) =>
    program.inTransaction((tx) => tx.channelImports.forget(KEPT_DAYS, 5)),
  ),
  chore('inAppRetention.forget', ({ program }) =>
    program.inTransaction((tx) => tx.inAppRetention.forget(KEPT_DAYS, { after: 0 }, FEW)),
  ),
  chore('notificationRetention.forget', ({ program }) =>
    program.inTransaction((tx) => tx.notificationRetention.forget(KEPT_DAYS, FEW)),
  ),
  chore('gateways.takeNotice', (s) => warnOfExpiry({ program: s.program, signal: new AbortController().signal })),
]

const WATCH: Row[] = [
  row('watch', async ({ program }) => {
    await program.instance.hold()
    await program.gateways.lanes.list()
    await program.inTransaction((tx) => tx.storedFaults.store('node', []))
    if (await program.storedFaults.isAny()) await program.inTransaction((tx) => tx.storedFaults.forget(true))
  }),
  row('load', ({ program }) => createLoadReporter(program).report()),
  row('nodes', async (s) => {
    const { program } = s
    const id = `node-${s.next()}`
    const facts = { id, host: 'h', pid: 1, version: '1', schemaStep: '1', keyPrint: 'k', roles: ['http' as const] }
    await program.inTransaction((tx) => tx.nodes.forget())
    await program.inTransaction((tx) => tx.nodes.enter(facts, 0))
    await program.inTransaction((tx) => tx.nodes.beat(id, 0))
    await program.nodes.list({ lately: true })
    await program.inTransaction((tx) => tx.nodes.leave(id))
  }),
]

/** An endpoint for events of one type, with one of them to get. */
async function waitingHook(s: Stage): Promise<number> {
  const body = { url: 'https://hooks.example.com/', types: ['bought'] }
  const { id } = await s.call<{ id: number }>('POST', '/messages/v1/webhooks', { body })
  const event = { type: 'bought', uuid: `hook-${s.next()}`, timestamp: s.clock.now(), data: { n: 1 } }
  await s.program.inTransaction((tx) => tx.events.ingest(s.first.id, `install-${s.some()}`, [event]))
  return id
}

const hookRow = (what: string, prepare: (s: Stage) => Promise<number>, answer: Answer, larger?: string): Row =>
  rowOf('job webhooks', prepare, (s) => webhookWorker(s, scriptedEndpoints(() => answer).send).turn(), {
    what,
    ...(larger !== undefined && { larger }),
    after: (s, id) => s.call('DELETE', `/messages/v1/webhooks/${id}`),
    most: 20,
  })

const WEBHOOKS: Row[] = [
  row('job webhooks', (s) => webhookWorker(s, scriptedEndpoints().send).turn(), { what: 'nothing is due' }),
  row('job webhooks', ({ program }) => program.inTransaction((tx) => tx.webhookDeliveries.freeAll()), {
    what: 'starts',
  }),
  hookRow('an event is taken', waitingHook, 200),
  hookRow('an event is refused', waitingHook, 500),
  hookRow('an endpoint is gone', waitingHook, 410),
  hookRow(
    'a replay ends',
    async (s) => {
      const id = await waitingHook(s)
      await s.call('POST', `/messages/v1/webhooks/${id}/replay`, { body: { from: '2026-02-28' } })
      return id
    },
    200,
    'reads every event of the time that is replayed',
  ),
]

const namesOf = (s: Stage) => [`name-${s.next()}.example.com`]

const CERTIFICATES: Row[] = [
  rowOf(
    'cli certificates.hasten',
    async (s) => {
      const [name] = namesOf(s) as [string]
      await s.program.inTransaction((tx) => tx.certificates.change([name], []))
      return name
    },
    (s, name) => s.program.inTransaction((tx) => tx.certificates.hasten(name)),
    { after: (s, name) => s.program.inTransaction((tx) => tx.certificates.change([], [name])), most: 20 },
  ),
  row('job certificates', ({ program }) => program.certificates.list(), { what: 'looks' }),
  row('job certificates', ({ program }) => program.certificates.linkHosts(100), { what: 'looks for hosts of links' }),
  row('job certificates', (s) => s.program.inTransaction((tx) => tx.certificates.change(namesOf(s), namesOf(s))), {
    what: 'names come and go',
    most: 20,
  }),
]

export const WORK_ROWS: readonly Row[] = [
  ...DISPATCH,
  ...IN_APP,
  ...CONSENT,
  ...DELIVER,
  ...INGEST,
  ...FOLLOW,
  ...SWEEP,
  ...WATCH,
  ...WEBHOOKS,
  ...CERTIFICATES,
]

/** Pushes of in-app messages: each is for the user of an install while they have the message. */
const LINKED = {
  'a linked push': {},
  'a linked push in two languages': { notification: { ...CONTENT, languages: { de: CONTENT } } },
  'a personalised linked push': {
    personalize: {},
    notification: { ...CONTENT, title: EACH_THEIR_OWN.personalised.content.title },
  },
}

/** Rows after the commands, of which one asks for the installs of very many users: a statement is judged as it is heard first. */
export const LATER_WORK_ROWS: readonly Row[] = Object.entries(LINKED).map(([what, more]) =>
  rowOf(
    'job deliver',
    (s) => readyLinked(s, more),
    (s) => deliverDue(s, scriptedSender(() => ({ kind: 'accepted' })).sender),
    { what, most: 60, after: end },
  ),
)
