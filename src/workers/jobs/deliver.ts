import type { Sender } from '../../domain/gateways/gateway.ts'
import { findGateway, PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import { createSenders } from '../../domain/gateways/senders.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import { countInto, type DeliveryAreas, type DeliveryParts } from '../../domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl, type LaneControl } from '../../domain/notifications/deliver/lane-control.ts'
import { deliverLane, type PageSource } from '../../domain/notifications/deliver/lane-run.ts'
import { openPage } from '../../domain/notifications/deliver/open-page.ts'
import { TokenMemory } from '../../domain/notifications/deliver/page-recipients.ts'
import { giveUpPage, recoverPages } from '../../domain/notifications/deliver/recover.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { LEASE_MS } from '../../platform/queue/leases.ts'
import type { Claim } from '../../platform/queue/queue.ts'
import { complain, type JobContext } from './job.ts'
import { createKeepWarm, type Line } from './keep-warm.ts'

/** Maximum number of lanes that one thread serves concurrently. */
const MAX_LANES = 32
/**
 * Maximum number of pages delivered at the same time in a lane whose recipients are on many hosts. A page ends with its
 * last answer, and one slow host must not block the others' pages.
 */
const PAGES_OF_MANY_HOSTS = 4
const LOOK_MS = 500
const EXTEND_MS = 10_000
/** How long a failed page waits, and how long the loop waits when it cannot read the database. */
const FAILED_PAGE_MS = 30_000
const FAILED_LOOK_MS = 500
/** How often to look for gateways to connect to ahead of the first push; and how many at the start. */
const WARM_EVERY_MS = 5000
const WARM_AT_START = 8
/** A page that failed this many times is given up: its recipients are settled, and an operator must look at it. */
const MAX_FAILURES = 100

/**
 * Delivers the pages of all lanes that have some due, side by side, until the signal aborts; then finishes what is in
 * flight and returns the other pages.
 */
export async function deliver({ app, owner, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, config, outcomes } = app.kernel
  const settings = { ...gatewaySettings(config), warn: (text: string) => log.warn({}, text) }
  const senders = createSenders(app.gateways, settings, () => clock.now())
  /** A sender is opened once, also when it is warmed while a page comes for it. */
  const findSender = joinCalls(({ appId, platform }: Line) => senders.find(appId, platform))
  const linesOf = async (appId: number): Promise<Line[]> =>
    (await app.gateways.platforms(appId)).map((platform) => ({ appId, platform }))
  const keepWarm = createKeepWarm({
    newest: () => app.gateways.newest(WARM_AT_START),
    latest: async () => (await Promise.all((await app.sent.latestApps(WARM_AT_START)).map(linesOf))).flat(),
    find: findSender,
    monotonic: () => clock.monotonic(),
  })
  const controls = new Map<number, LaneControl>()
  const lanesOf = new Map<number, Lane>()
  const lastSenders = new Map<number, Sender | undefined>()
  /** The lanes being served. */
  const active = new Map<number, Promise<void>>()
  /** The claims of their pages. */
  const claims = new Set<Claim>()
  /** Tells the run of a lane that pages of it are due. */
  const nudges = new Map<number, () => void>()
  /** More lanes have pages due than this thread serves at a time: those that are served give way. */
  let isCrowded = false
  const parts: DeliveryParts = {
    read: app,
    inTransaction: (work) => app.inTransaction(work),
    clock,
    log,
    chunk: config['delivery.chunk'],
    count: countInto(outcomes),
    random: Math.random,
  }
  const keepLeases = setInterval(() => {
    if (claims.size === 0) return
    app
      .inTransaction((tx) =>
        tx.queue.extend(
          owner,
          LEASE_MS,
          [...claims].map(({ id }) => id),
        ),
      )
      .catch((error: unknown) => complain(log, error, {}, 'leases could not be prolonged'))
  }, EXTEND_MS)

  const warming = setInterval(() => void warm(), WARM_EVERY_MS)
  let isWarming = false
  async function warm(): Promise<void> {
    if (isWarming || signal.aborted) return
    isWarming = true
    try {
      if (!(await isStopped(app))) await keepWarm.warm()
    } catch (error) {
      // The database is closed when the program stops.
      if (!signal.aborted) complain(log, error, {}, 'gateways could not be connected ahead of the first push')
    }
    isWarming = false
  }

  async function serve(laneId: number, first: Claim): Promise<void> {
    const lane = await app.gateways.lanes.find(laneId)
    if (!lane) throw new Error(`there is no lane ${laneId}`)
    const manyHosts = findGateway(lane.platform)?.manyHosts === true
    const control = controlOf(lane, manyHosts)
    keepWarm.use(lane)
    const sender = await findSender(lane)
    if (sender !== lastSenders.get(laneId)) control.doubt()
    lastSenders.set(laneId, sender)
    const platform = PLATFORM_TYPES[lane.platform]
    const memory = new TokenMemory()
    const context = { laneId: lane.id, platform, sender, control, holds: lane.holds, memory }
    const replaced = new AbortController()
    const source: PageSource = {
      async claim(areas) {
        const now = clock.now()
        if (isCrowded || (await isStopped(areas))) return undefined
        // Another thread or node may have paused the lane.
        const stored = await areas.gateways.lanes.find(laneId)
        return stored && stored.heldUntil <= now ? areas.queue.claim(laneId, owner, now, LEASE_MS) : undefined
      },
      keep: (claim) => void claims.add(claim),
      drop: (claim) => void claims.delete(claim),
      async open(claim) {
        if (claim.failures >= MAX_FAILURES) {
          await giveUpPage(parts, claim)
          return undefined
        }
        // A new credential takes over with the next run.
        if ((await findSender(lane)) !== sender) replaced.abort()
        return openPage(parts, claim, context)
      },
      putBack,
      listen: (moreIsDue) => void nudges.set(laneId, moreIsDue),
      ...(manyHosts && { maxPages: PAGES_OF_MANY_HOSTS }),
    }
    await deliverLane(parts, context, source, first, AbortSignal.any([signal, replaced.signal]))
    if (control.hold)
      log.warn({ lane: lane.id, app: lane.appId, ...control.hold }, `sending to ${lane.platform} is paused`)
  }

  /** The thread's control of a lane, updated from the lane as stored. */
  function controlOf(lane: Lane, manyHosts: boolean): LaneControl {
    let control = controls.get(lane.id)
    lanesOf.set(lane.id, lane)
    if (!control) {
      control = createLaneControl({
        refusalLimit: config['delivery.refusalLimit'],
        holds: lane.holds,
        rampMs: config['delivery.ramp'] * 1000,
        gradual: config['delivery.gradual'] && findGateway(lane.platform)?.gradual === true,
        manyHosts,
      })
      controls.set(lane.id, control)
    } else if (control.hold || lane.holds > 0) control.resume(lane.holds)
    return control
  }

  /** No page is claimed while the database is damaged or held. Inside a transaction its own areas are asked. */
  const isStopped = async ({ instance }: Pick<DeliveryAreas, 'instance'>) =>
    app.kernel.db.soundness.damaged || (await instance.hold()) !== undefined

  /**
   * Releases a page whose delivery failed. Its lease would not expire, because this thread keeps extending its leases.
   */
  async function putBack(claim: Claim, error: unknown): Promise<void> {
    complain(log, error, { page: claim.id }, 'a page could not be delivered; trying again later')
    for (;;) {
      try {
        await recoverPages(parts, { claim, restMs: FAILED_PAGE_MS })
        return
      } catch (again) {
        complain(log, again, { page: claim.id }, 'a page could not be released; trying again')
        if (signal.aborted) return
        await clock.sleep(FAILED_LOOK_MS, signal)
      }
    }
  }

  void warm()
  try {
    while (!signal.aborted) {
      reportSilences()
      tick()
      failpoint('deliver.looked')
      try {
        if ((await claimSome()) === 0) await wake.wait(LOOK_MS, signal)
      } catch (error) {
        // Pages in progress continue: ending the thread here would leave their recipients in doubt.
        complain(log, error, {}, 'pages cannot be claimed; trying again')
        await clock.sleep(FAILED_LOOK_MS, signal)
      }
    }
    await Promise.all(active.values())
  } finally {
    clearInterval(keepLeases)
    clearInterval(warming)
    await senders.close()
  }

  /** Reports the gateways that do not answer now. */
  function reportSilences(): void {
    const now = clock.now()
    const silent = [...controls].flatMap(([id, control]) => {
      const silence = control.silence(now)
      const { appId, platform } = lanesOf.get(id)!
      return silence === undefined ? [] : [{ appId, platform, ...silence }]
    })
    app.kernel.silences.set(owner, silent)
  }

  async function claimSome(): Promise<number> {
    if (await isStopped(app)) return 0
    const now = clock.now()
    const all = await app.queue.dueLanes(now, MAX_LANES * 4)
    const due = all.filter((laneId) => !active.has(laneId))
    isCrowded = due.length > MAX_LANES - active.size
    for (const laneId of all) nudges.get(laneId)?.()
    let claimed = 0
    for (const laneId of due.slice(0, MAX_LANES - active.size)) {
      const claim = await app.inTransaction((tx) => tx.queue.claim(laneId, owner, now, LEASE_MS))
      if (!claim) continue
      claimed++
      claims.add(claim)
      const done = serve(laneId, claim)
        .catch((error: unknown) => putBack(claim, error))
        .finally(() => {
          claims.delete(claim)
          active.delete(laneId)
          nudges.delete(laneId)
          wake.ring()
        })
      active.set(laneId, done)
    }
    return claimed
  }
}

/** Calls of `find` for the same gateway that overlap share one result. */
function joinCalls<T>(find: (line: Line) => Promise<T>): (line: Line) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (line) => {
    const key = `${line.appId} ${line.platform}`
    const known = running.get(key)
    if (known) return known
    const found = find(line).finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}
