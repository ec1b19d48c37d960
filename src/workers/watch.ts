import { randomBytes } from 'node:crypto'
import type { App } from '../app.ts'
import { whyDatabaseIsSilent } from '../platform/db/answering.ts'
import { DAMAGED_SENTENCE } from '../platform/db/soundness.ts'
import { lowRemedy } from '../platform/disk-space.ts'
import { messageOf } from '../platform/errors.ts'
import type { FaultKind, Finding } from '../platform/faults.ts'
import { heldSentence } from '../platform/instance/custody.ts'
import type { ClockWatch } from './clock-watch.ts'

/** Between two looks: what is wrong must be known within a minute, and a hold or its release within seconds. */
const LOOK_MS = 2000
/** Gateways change more slowly, and are asked for in the database. */
const LOOK_AT_LANES_MS = 10_000
/** A loop that has not turned for so long is stuck. Under a minute, so that it is known within one. */
export const STALE_TICK_MS = 45_000
/** A gateway may miss one deadline (15 s); one that is still silent after this is named. */
const SILENT_MS = 20_000
/** What is stored of faults is confirmed so often (see faults.repository.ts). */
const CONFIRM_MS = 60_000

export interface Watch {
  /** Stops looking; what this process had stored of itself is taken back. */
  close(): Promise<void>
}

export interface WatchOptions {
  clockWatch: ClockWatch
  /** True when nobody else can be serving this database. */
  alone: boolean
}

/**
 * Looks every few seconds at everything that can be wrong with the process, for as long as it runs: loops, disk, clock, database,
 * hold, gateways. What it finds goes to `kernel.faults` and, for `appsvc status`, into the database. Resolves after the first look.
 */
export async function startWatch(app: App, { clockWatch, alone }: WatchOptions): Promise<Watch> {
  const { clock, faults, log } = app.kernel
  const node = randomBytes(6).toString('hex')
  const stop = new AbortController()
  const lanes = rememberedLanes(app)
  const forgetting = forgetOld(app, alone).catch((error: unknown) =>
    log.debug({ error: messageOf(error) }, 'old faults cannot be forgotten'),
  )
  let stored = ''
  let storedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const unseen = new Set<FaultKind>()
    const silence = await silentDatabase(app)
    const ask = async (kind: FaultKind, find: () => Promise<Finding[]>): Promise<Finding[]> => {
      try {
        if (silence.length === 0) return await find()
      } catch {
        // The database does not answer any more, which the next look finds.
      }
      unseen.add(kind)
      return []
    }
    const found = [
      ...(app.kernel.db.soundness.damaged ? [] : silence),
      ...stuckLoops(app),
      ...lowDisk(app),
      ...wrongClock(app, clockWatch),
      ...(await ask('held', () => held(app))),
      ...(await ask('gateway', lanes)),
      ...damage(app),
    ]
    faults.settle(found, unseen)
    if (silence.length === 0) await store()
  }

  /** Changes at once, the same once a minute. What cannot be stored now is stored when it can. */
  async function store(): Promise<void> {
    const list = faults.list()
    const text = JSON.stringify(list)
    const isDue = list.length > 0 && clock.monotonic() - storedAt >= CONFIRM_MS
    if ((text === stored || (stored === '' && list.length === 0)) && !isDue) return
    try {
      await forgetting
      await app.inTransaction((tx) => tx.storedFaults.store(node, list))
      stored = text
      storedAt = clock.monotonic()
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'faults cannot be stored')
    }
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      await clock.sleep(LOOK_MS, stop.signal)
      if (!stop.signal.aborted) await look()
    }
  }

  await look()
  const watching = watch()
  return {
    async close() {
      stop.abort()
      await Promise.all([watching, forgetting])
      if (stored !== '') await app.inTransaction((tx) => tx.storedFaults.store(node, [])).catch(() => {})
    },
  }
}

async function silentDatabase({ kernel: { db, clock } }: App): Promise<Finding[]> {
  const sentence = await whyDatabaseIsSilent(db, clock)
  return sentence === undefined ? [] : [{ kind: 'database', about: '', sentence }]
}

function stuckLoops({ kernel: { clock, ticks, breakdowns } }: App): Finding[] {
  const now = clock.monotonic()
  const stuck = [...ticks].flatMap(([loop, at]) => (now - at > STALE_TICK_MS ? [loop] : []))
  if (stuck.length === 0) return []
  const reasons = new Set(stuck.flatMap((loop) => breakdowns.get(loop) ?? []))
  const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`
  const who = stuck.length === 1 ? `the worker ${stuck[0]} does` : `the workers ${stuck.join(', ')} do`
  const remedy = 'look at the limits of the process (open files, memory) and at the log, and restart appsvc'
  return [{ kind: 'worker', about: '', sentence: `${who} not turn${why}; ${remedy}` }]
}

/** What processes said that were killed. Reads first: there hardly ever is any. */
async function forgetOld(app: App, alone: boolean): Promise<void> {
  if (await app.storedFaults.isAny()) await app.inTransaction((tx) => tx.storedFaults.forget(alone))
}

function lowDisk({ kernel: { disk } }: App): Finding[] {
  const space = disk.look()
  if (!space || !disk.isLow()) return []
  return [{ kind: 'disk', about: '', sentence: lowRemedy(space) }]
}

function wrongClock({ kernel: { clock } }: App, clockWatch: ClockWatch): Finding[] {
  const off = Math.round(clockWatch.look(clock.now(), clock.sinceBoot()) / 1000)
  if (off === 0) return []
  const by = `${Math.abs(off)} s ${off > 0 ? 'ahead' : 'back'}`
  const remedy = 'set the clock right, or restart appsvc when it is right now'
  return [{ kind: 'clock', about: '', sentence: `the clock jumped ${by}: scheduled sends are held; ${remedy}` }]
}

function damage({ kernel: { db } }: App): Finding[] {
  return db.soundness.damaged ? [{ kind: 'corrupt', about: '', sentence: DAMAGED_SENTENCE }] : []
}

async function held({ instance }: App): Promise<Finding[]> {
  const hold = await instance.hold()
  return hold ? [{ kind: 'held', about: '', sentence: heldSentence(hold.reason) }] : []
}

/** Lanes in trouble, by what delivery threads say and, every few looks, by what the database says. */
function rememberedLanes(app: App): () => Promise<Finding[]> {
  const { clock, silences } = app.kernel
  let stored: Finding[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.monotonic() - lookedAt >= LOOK_AT_LANES_MS) {
      stored = await troubledLanes(app)
      lookedAt = clock.monotonic()
    }
    const found = new Map(stored.map((finding) => [finding.about, finding]))
    for (const { appId, platform, since, reason } of [...silences.values()].flat()) {
      const about = `app ${appId} ${platform}`
      if (found.has(about) || clock.now() - since < SILENT_MS) continue
      found.set(about, finding(about, `the ${platform} gateway of app ${appId} does not answer (${reason})`, appId))
    }
    return [...found.values()]
  }
}

async function troubledLanes({ gateways }: App): Promise<Finding[]> {
  const lanes = await gateways.lanes.list()
  const troubled = lanes.filter(
    ({ holds, holdKind }) => holds > 0 && holdKind !== null && holdKind !== 'throttled_gateway',
  )
  const found: Finding[] = []
  for (const { appId, platform, holdReason } of troubled) {
    // A lane outlives its gateway.
    if ((await gateways.find(appId, platform)) === undefined) continue
    const what = `sending through the ${platform} gateway of app ${appId} waits: ${holdReason ?? 'it does not take our requests'}`
    found.push(finding(`app ${appId} ${platform}`, what, appId))
  }
  return found
}

function finding(about: string, what: string, appId: number): Finding {
  return { kind: 'gateway', about, sentence: `${what}; appsvc gateways check ${appId} says more` }
}
