import { startFcmReceiver } from '../support/fcm-receiver.ts'
import type { Result } from '../support/result.ts'
import { THREAD_WORK, threadTimes } from '../support/thread-times.ts'
import { type Bare, measureBare } from './bare-sends.ts'
import { openRig, type Rig } from './rig.ts'
import { sendAll, sendTo, usersOf } from './sending.ts'

export interface SmallOptions {
  /** Number of sends to one user. */
  sends: number
  /** Number of sends of the app that floods the server. */
  flood: number
  connections: number
  database: string
  executable: string | undefined
}

/** Recipients of a send, by the name of the part; of larger ones there are fewer. */
const SIZES = {
  one: { recipients: 1, share: 1 },
  five: { recipients: 5, share: 0.25 },
  'five hundred': { recipients: 500, share: 0.025 },
} as const
export type Size = keyof typeof SIZES

const INSTALLS = 10_000
const WARM_UP_SHARE = 0.1
const SHARED_BY = 32

/** The processor time that was used between two moments (ms of processor time). */
interface Used {
  all: number
  threads: ReturnType<typeof threadTimes>
  database: number | undefined
}

/** Counts from now on; the function that it returns tells what was used since. */
export function meter(rig: Rig): () => Used {
  const look = (): Used => ({
    all: rig.server.cpuMs(),
    threads: threadTimes(rig.server.pid),
    database: rig.databaseMs(),
  })
  const before = look()
  return () => {
    const now = look()
    const threads = { ...now.threads }
    for (const work of THREAD_WORK) threads[work] -= before.threads[work]
    return {
      all: now.all - before.all,
      threads,
      database: now.database === undefined ? undefined : now.database - before.database!,
    }
  }
}

/**
 * Measures sends to so many users each, as fast as they are accepted, against nghttpd: how many are accepted, and how many have
 * their final outcome in the database.
 */
export async function measureLoad(size: Size, options: SmallOptions): Promise<Result[]> {
  const { recipients, share } = SIZES[size]
  const count = Math.ceil(options.sends * share)
  const receiver = await startFcmReceiver()
  const rig = await openRig({ ...options, receiver, installs: [INSTALLS] })
  try {
    const rss = rig.server.peakRss()
    const [app] = rig.apps
    const request = (number: number) => sendTo(usersOf(number, recipients, INSTALLS))
    const send = (many: number) => sendAll(rig, app!, { count: many, connections: options.connections, request })
    await send(Math.ceil(count * WARM_UP_SHARE))
    await rig.untilDone()

    const used = meter(rig)
    const began = performance.now()
    await send(count)
    const acceptedMs = performance.now() - began
    const share = (count - (await rig.open())) / count
    const doneMs = (await rig.untilDone()) - began
    const cpu = used()
    const peak = rig.server.peakRss()
    await rig.stopServer()
    const [alone, shared] = [await measureBare(rig, 1), await measureBare(rig, SHARED_BY)]
    const name = `to ${size}`
    return [
      ...rateRows(name, { count, acceptedMs, doneMs, share, shared }),
      ...cpuRows(name, cpu, count * recipients, { ...shared, cpu: shared.cpu / recipients }),
      { name: `${name}, peak memory`, value: peak, unit: 'MB', against: { name: 'at start', value: rss } },
      bareRow(`${name}, ${BARE}, one a transaction`, alone),
      bareRow(`${name}, ${BARE}, ${SHARED_BY} a transaction`, shared),
    ]
  } finally {
    await rig.close()
    await receiver.stop()
  }
}

const BARE = 'bare inserts'

function rateRows(
  name: string,
  taken: { count: number; acceptedMs: number; doneMs: number; share: number; shared: Bare },
): Result[] {
  const { count, acceptedMs, doneMs, share, shared } = taken
  const against = { name: BARE, value: shared.rate }
  const rate = (what: string, ms: number): Result => ({
    name: `${name}, ${what}`,
    value: (count / ms) * 1000,
    unit: 'sends/s',
    against,
    note: `${count} in ${(ms / 1000).toFixed(2)} s`,
  })
  return [
    rate('accepted', acceptedMs),
    rate('done', doneMs),
    { name: `${name}, done of accepted meanwhile`, value: share, unit: 'of 1', better: 'more' },
  ]
}

/** Processor time for each push: in all, of each thread, of the database. */
export function cpuRows(name: string, { all, threads, database }: Used, pushes: number, bare?: Bare): Result[] {
  const row = (of: string, ms: number): Result => ({
    name: `${name}, CPU${of}`,
    value: (ms * 1000) / pushes,
    unit: 'us/push',
  })
  return [
    { ...row('', all), ...(bare && { against: { name: BARE, value: bare.cpu } }) },
    ...THREAD_WORK.map((work) => row(` of ${work}`, threads[work])),
    ...(database === undefined ? [] : [row(' of PostgreSQL', database)]),
  ]
}

function bareRow(name: string, { rate, cpu }: Bare): Result {
  return { name, value: rate, unit: 'sends/s', note: `${cpu.toFixed(1)} us of CPU for each` }
}
