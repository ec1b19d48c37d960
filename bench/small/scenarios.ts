import { setTimeout as sleep } from 'node:timers/promises'
import { broadcast } from '../support/push.ts'
import type { Result } from '../support/result.ts'
import { monotonicMs, startTimedGateway, type TimedGateway } from '../support/timed-gateway.ts'
import { cpuRows, meter, type SmallOptions } from './loads.ts'
import { openRig, type Rig } from './rig.ts'
import { offer, sendAll, sendTo, usersOf } from './sending.ts'
import { waitRows, waitsOf } from './waits.ts'

const INSTALLS = 10_000
const MINUTE = 60_000
/** Accepting the scheduled sends may take so many times as long as the sends before them did. */
const LEEWAY = 2
const REFUSE_MS = 3000

/**
 * Opens a rig with a gateway that tells when pushes come, warms it, and closes both afterwards. `measure` also gets how long the
 * server took to accept a send meanwhile.
 */
async function withGateway(
  options: SmallOptions,
  installs: readonly number[],
  measure: (rig: Rig, gateway: TimedGateway, acceptMs: number) => Promise<Result[]>,
): Promise<Result[]> {
  const gateway = await startTimedGateway()
  const rig = await openRig({ ...options, receiver: gateway, installs })
  try {
    const request = (number: number) => sendTo(usersOf(number, 1, installs[0]!))
    const count = Math.ceil(options.sends / 10)
    const began = performance.now()
    await sendAll(rig, rig.apps[0]!, { count, connections: options.connections, request })
    const acceptMs = (performance.now() - began) / count
    await rig.untilDone()
    await gateway.report()
    return await measure(rig, gateway, acceptMs)
  } finally {
    await rig.close()
    await gateway.stop()
  }
}

/** Measures sends that differ and are all due in the same minute: how long after it the last is out. None may go before. */
export function measureScheduled(options: SmallOptions): Promise<Result[]> {
  const { sends, connections } = options
  return withGateway(options, [INSTALLS], async (rig, gateway, acceptMs) => {
    const dueAt = Math.ceil((Date.now() + sends * acceptMs * LEEWAY) / MINUTE) * MINUTE
    const sendAt = new Date(dueAt).toISOString().slice(0, 16).replace('T', ' ')
    // The gateway tells waits by the other clock.
    const due = monotonicMs() + dueAt - Date.now()
    const schedule = { sendAt, strategy: 'utc', pastTimes: 'ignore' }
    const request = (number: number) => {
      const send = sendTo(usersOf(number, 1, INSTALLS), 'scheduled', due)
      return { ...send, body: { ...(send.body as object), schedule } }
    }
    const used = meter(rig)
    await sendAll(rig, rig.apps[0]!, { count: sends, connections, request })
    if (Date.now() > dueAt) throw new Error(`${sends} scheduled sends were not accepted before their minute`)
    const acceptance = used()
    const usedFromDue = meter(rig)
    await sleep(dueAt - Date.now())
    const doneMs = (await rig.untilDone()) - performance.now() + Date.now() - dueAt
    const waits = await waitsOf(gateway, 'scheduled', sends)
    const early = waits.filter((ms) => ms < 0).length
    if (early > 0) throw new Error(`${early} scheduled sends were at the gateway before their time`)
    return [
      {
        name: 'scheduled, last at the gateway',
        value: Math.max(...waits) / 1000,
        unit: 's',
        note: `${sends} in one minute`,
      },
      { name: 'scheduled, all done', value: doneMs / 1000, unit: 's' },
      { name: 'scheduled, first at the gateway', value: Math.min(...waits), unit: 'ms' },
      { name: 'scheduled, CPU of acceptance', value: (acceptance.all * 1000) / sends, unit: 'us/send' },
      ...cpuRows('scheduled, when due', usedFromDue(), sends),
    ]
  })
}

/** Measures sends to a gateway that refuses everything for a while (429, wait a second), and then takes all. */
export function measureThrottled(options: SmallOptions): Promise<Result[]> {
  const { sends, connections } = options
  return withGateway(options, [INSTALLS], async (rig, gateway) => {
    const request = (number: number) => sendTo(usersOf(number, 1, INSTALLS), 'throttled')
    await gateway.behave({ refuses: true })
    const used = meter(rig)
    const began = performance.now()
    await sendAll(rig, rig.apps[0]!, { count: sends, connections, request })
    await sleep(Math.max(0, REFUSE_MS - (performance.now() - began)))
    await gateway.behave({})
    const opened = performance.now()
    const doneMs = (await rig.untilDone()) - opened
    const cpu = used()
    const { refused, accepted } = await gateway.report()
    if (accepted !== sends) throw new Error(`the gateway accepted ${accepted} of ${sends}`)
    return [
      { name: 'throttled, done after the gateway opened', value: doneMs / 1000, unit: 's', note: `${sends} sends` },
      { name: 'throttled, refused meanwhile', value: refused, unit: 'requests' },
      ...cpuRows('throttled', cpu, sends),
      { name: 'throttled, peak memory', value: rig.server.peakRss(), unit: 'MB' },
    ]
  })
}

const NEIGHBOUR_RATE = 50
const NEIGHBOUR_CONNECTIONS = 4
const ALONE_S = 3

/** Measures how long single sends of an app wait while `load` goes on, compared with the same app alone. */
async function besideLoad(
  name: string,
  rig: Rig,
  gateway: TimedGateway,
  load: () => Promise<unknown>,
  app = rig.apps[1]!,
): Promise<Result[]> {
  const neighbour = (goesOn: (number: number) => boolean) =>
    offer(rig, app, { rate: NEIGHBOUR_RATE, connections: NEIGHBOUR_CONNECTIONS, mark: 'other', goesOn })
  const calls = await neighbour((number) => number < ALONE_S * NEIGHBOUR_RATE)
  await rig.untilDone()
  const alone = await waitsOf(gateway, 'other', calls)
  let over = false
  const loading = load().finally(() => (over = true))
  const [beside] = await Promise.all([neighbour(() => !over), loading])
  await rig.untilDone()
  const waits = await waitsOf(gateway, 'other', beside)
  return waitRows(name, waits, { name: 'alone', waits: alone })
}

/** Measures single sends of one app while another one sends very many. */
export function measureApps(options: SmallOptions): Promise<Result[]> {
  const { flood, connections } = options
  return withGateway(options, [INSTALLS, INSTALLS], (rig, gateway) =>
    besideLoad(`one app beside ${flood} sends of another`, rig, gateway, async () => {
      const request = (number: number) => sendTo(usersOf(number, 1, INSTALLS), 'flood')
      await sendAll(rig, rig.apps[0]!, { count: flood, connections, request })
      await untilSettled(gateway, flood)
    }),
  )
}

const AUDIENCE = 100_000

/** Measures single sends of one app while a broadcast of another one is under way, and of an app beside its own. */
export function measureBroadcast(options: SmallOptions): Promise<Result[]> {
  return withGateway(options, [AUDIENCE, INSTALLS], async (rig, gateway) => {
    const load = async () => {
      await broadcast(rig.address, rig.apps[0]!.credentials)
      await untilSettled(gateway, AUDIENCE)
    }
    const own = `one app beside its own broadcast to ${AUDIENCE}`
    return [
      ...(await besideLoad(`one app beside a broadcast to ${AUDIENCE}`, rig, gateway, load)),
      ...(await besideLoad(own, rig, gateway, load, rig.apps[0])),
    ]
  })
}

const LOOK_MS = 20

/** Waits until the gateway has taken at least so many pushes. */
async function untilSettled(gateway: TimedGateway, count: number): Promise<void> {
  while ((await gateway.settled()) < count) await sleep(LOOK_MS)
}

const CHAT = { apps: 20, members: 200, everyMs: 200 } as const
const CHAT_INSTALLS = 500

/**
 * Measures a chat: every 200 ms somebody in one of many apps writes to a room, and each member gets a send of their own. Half of the tokens
 * are dead.
 */
export function measureChat(options: SmallOptions): Promise<Result[]> {
  const installs = Array.from({ length: CHAT.apps }, () => CHAT_INSTALLS)
  const bursts = Math.max(1, Math.ceil(options.sends / CHAT.members))
  const pushes = bursts * CHAT.members
  return withGateway({ ...options, sends: CHAT.members }, installs, async (rig, gateway) => {
    await gateway.behave({ halfIsDead: true })
    const rss = rig.server.peakRss()
    const used = meter(rig)
    const began = monotonicMs()
    const burst = async (number: number) => {
      const dueAt = began + number * CHAT.everyMs
      await sleep(Math.max(0, dueAt - monotonicMs()))
      const request = (member: number) =>
        sendTo(usersOf(number * CHAT.members + member, 1, CHAT_INSTALLS), 'chat', dueAt)
      await sendAll(rig, rig.apps[number % CHAT.apps]!, {
        count: CHAT.members,
        connections: options.connections,
        request,
      })
    }
    await Promise.all(Array.from({ length: bursts }, (_, number) => burst(number)))
    const acceptedMs = monotonicMs() - began
    await rig.untilDone()
    const doneMs = monotonicMs() - began
    const cpu = used()
    const { arrivals, dead, accepted } = await gateway.report()
    const note = `${pushes} in ${bursts} bursts; ${accepted} accepted, ${dead} dead`
    const offered = (CHAT.members / CHAT.everyMs) * 1000
    const rate = (what: string, ms: number): Result => ({
      name: `chat, ${what}`,
      value: (pushes / ms) * 1000,
      unit: 'sends/s',
      against: { name: 'offered', value: offered },
      note,
    })
    return [
      rate('accepted', acceptedMs),
      rate('done', doneMs),
      ...waitRows('chat, burst to gateway', arrivals['chat']?.waits ?? []),
      ...cpuRows('chat', cpu, pushes),
      { name: 'chat, peak memory', value: rig.server.peakRss(), unit: 'MB', against: { name: 'at start', value: rss } },
    ]
  })
}
