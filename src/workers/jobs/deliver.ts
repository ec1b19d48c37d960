import { gatewaySettings } from '../../domain/gateways/configure/settings.ts'
import type { Sender } from '../../domain/gateways/gateway.ts'
import { findGateway, PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import { createSenders } from '../../domain/gateways/send/senders.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import { deliverPage } from '../../domain/notifications/deliver/deliver.ts'
import { countInto, type DeliveryParts } from '../../domain/notifications/deliver/delivery-parts.ts'
import { createLaneControl, type LaneControl } from '../../domain/notifications/deliver/lane-control.ts'
import { giveUpPage, recoverPages } from '../../domain/notifications/record/recover.ts'
import { failpoint } from '../../platform/failpoints.ts'
import type { Claim } from '../../platform/queue/queue.ts'
import { complain, type JobContext } from '../job.ts'

/** Maximum number of lanes that one thread serves concurrently: one page of each, or more for lanes with many hosts. */
const MAX_LANES = 32
/**
 * Maximum number of pages delivered at the same time in a lane whose recipients are on many hosts. A page ends with its
 * last answer, and one slow host must not block the others' pages.
 */
const PAGES_OF_MANY_HOSTS = 4
const LOOK_MS = 500
const LEASE_MS = 30_000
const EXTEND_MS = 10_000
/** How long a failed page waits, and how long the loop waits when it cannot read the database. */
const FAILED_PAGE_MS = 30_000
const FAILED_LOOK_MS = 500
/** A page that failed this many times is given up: its recipients are settled, and an operator must look at it. */
const MAX_FAILURES = 100

/** Claims pages lane by lane and delivers them until the signal aborts; then finishes the pages that it has claimed. */
export async function deliver({ app, owner, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, config, outcomes } = app.kernel
  const settings = { ...gatewaySettings(config), warn: (text: string) => log.warn({}, text) }
  const senders = createSenders(app.gateways, settings, () => clock.now())
  const controls = new Map<number, LaneControl>()
  const lanesOf = new Map<number, Lane>()
  const lastSenders = new Map<number, Sender | undefined>()
  /** Pages being delivered, by lane. */
  const active = new Map<number, Set<Promise<void>>>()
  /** The claims of these pages. */
  const claims = new Set<Claim>()
  const parts: DeliveryParts = {
    read: app,
    inTransaction: (work) => app.inTransaction(work),
    clock,
    log,
    chunk: config['delivery.chunk'],
    count: countInto(outcomes),
    random: Math.random,
  }
  // Concurrent pages of a lane share the chunk size, so that a crash leaves no more recipients in doubt.
  const sharedParts = { ...parts, chunk: Math.ceil(parts.chunk / PAGES_OF_MANY_HOSTS) }
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

  async function work(claim: Claim, laneId: number): Promise<void> {
    if (claim.failures >= MAX_FAILURES) return giveUpPage(parts, claim)
    const lane = await app.gateways.lanes.find(laneId)
    if (!lane) throw new Error(`there is no lane ${laneId}`)
    const manyHosts = findGateway(lane.platform)?.manyHosts === true
    const control = controlOf(lane, manyHosts)
    const sender = await senders.find(lane.appId, lane.platform)
    if (sender !== lastSenders.get(laneId)) control.doubt()
    lastSenders.set(laneId, sender)
    const context = { laneId: lane.id, platform: PLATFORM_TYPES[lane.platform], sender, control, holds: lane.holds }
    await deliverPage(manyHosts ? sharedParts : parts, claim, context, signal)
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
    } else if (isAlone(lane.id) && (control.hold || lane.holds > 0)) control.resume(lane.holds)
    return control
  }

  /**
   * Whether only one page of the lane is being delivered: otherwise a hold set by another page may not be stored yet.
   */
  const isAlone = (laneId: number) => active.get(laneId)?.size === 1

  /**
   * Whether another page of the lane may be claimed. Only a healthy lane with many hosts has more than one: a second
   * page would disturb a lane that probes its gateway with one recipient at a time.
   */
  function hasRoom(laneId: number): boolean {
    const pages = active.get(laneId)?.size ?? 0
    if (pages === 0) return true
    const control = controls.get(laneId)
    const isWell = control?.manyHosts && !control.hold && !control.probing && !control.isUnproven(clock.now())
    return isWell === true && pages < PAGES_OF_MANY_HOSTS
  }

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
    await Promise.all([...active.values()].flatMap((pages) => [...pages]))
  } finally {
    clearInterval(keepLeases)
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
    if (app.kernel.db.soundness.damaged || (await app.instance.hold()) !== undefined) return 0
    const now = clock.now()
    const due = (await app.queue.dueLanes(now, MAX_LANES * 4)).filter(hasRoom)
    let claimed = 0
    for (const laneId of due.slice(0, MAX_LANES - active.size)) {
      const claim = await app.inTransaction((tx) => tx.queue.claim(laneId, owner, now, LEASE_MS))
      if (!claim) continue
      failpoint('deliver.claimed')
      claimed++
      const pages = active.get(laneId) ?? new Set()
      active.set(laneId, pages)
      claims.add(claim)
      const done = work(claim, laneId)
        .catch((error: unknown) => putBack(claim, error))
        .finally(() => {
          pages.delete(done)
          claims.delete(claim)
          if (pages.size === 0) active.delete(laneId)
          wake.ring()
        })
      pages.add(done)
    }
    return claimed
  }
}
