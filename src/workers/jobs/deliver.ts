import { PLATFORM_TYPES } from '../../domain/gateways/gateway.ts'
import { createSenders, gatewaySettings } from '../../domain/gateways/senders.ts'
import type { Lane } from '../../domain/gateways/types.ts'
import { type DeliveryParts, deliverPage } from '../../domain/notifications/deliver.ts'
import { createLaneControl, type LaneControl } from '../../domain/notifications/lane-control.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Claim } from '../../platform/queue/queue.ts'
import type { JobContext } from '../job.ts'

/** Lanes that one thread serves side by side; a page of each at a time. */
const MOST_LANES = 32
const LOOK_MS = 500
const LEASE_MS = 30_000
const EXTEND_MS = 10_000
/** A page that was claimed so often and never ended is broken: somebody must look at it. */
const MOST_CLAIMS = 100

/** Claims pages lane by lane and delivers them, until the signal aborts; then lets what is under way finish. */
export async function deliver({ app, owner, signal, wake, tick }: JobContext): Promise<void> {
  const { clock, log, config } = app.kernel
  const senders = createSenders(app.gateways, gatewaySettings(config), () => clock.now())
  const controls = new Map<number, LaneControl>()
  const active = new Map<number, Promise<void>>()
  const parts: DeliveryParts = {
    read: app,
    inTransaction: (work) => app.inTransaction(work),
    clock,
    log,
    chunk: config['delivery.chunk'],
    leaseMs: LEASE_MS,
    random: Math.random,
  }
  const keepLeases = setInterval(() => {
    if (active.size === 0) return
    app
      .inTransaction((tx) => tx.queue.extend(owner, LEASE_MS))
      .catch((error: unknown) => log.error({ error: messageOf(error) }, 'leases could not be prolonged'))
  }, EXTEND_MS)

  async function work(claim: Claim, lane: Lane): Promise<void> {
    if (claim.fence > MOST_CLAIMS) {
      log.error({ page: claim.id, claims: claim.fence }, 'a page never ends and was put aside')
      await app.inTransaction((tx) => tx.queue.bury(claim))
      return
    }
    const control = controlOf(controls, lane, config['delivery.refusalLimit'])
    const sender = await senders.find(lane.appId, lane.platform)
    const context = { laneId: lane.id, platform: PLATFORM_TYPES[lane.platform], sender, control, holds: lane.holds }
    await deliverPage(parts, claim, context, signal)
    if (control.hold) log.warn({ lane: lane.id, app: lane.appId, ...control.hold }, `sending to ${lane.platform} waits`)
  }

  try {
    while (!signal.aborted) {
      tick()
      const claimed = await claimSome()
      if (claimed === 0) await wake.wait(LOOK_MS, signal)
    }
    await Promise.all(active.values())
  } finally {
    clearInterval(keepLeases)
    await senders.close()
  }

  async function claimSome(): Promise<number> {
    const now = clock.now()
    const due = (await app.queue.dueLanes(now, MOST_LANES * 4)).filter((id) => !active.has(id))
    let claimed = 0
    for (const laneId of due.slice(0, MOST_LANES - active.size)) {
      const claim = await app.inTransaction((tx) => tx.queue.claim(laneId, owner, now, LEASE_MS))
      const lane = claim && (await app.gateways.lanes.find(laneId))
      if (!claim || !lane) continue
      claimed++
      const done = work(claim, lane)
        // The lease runs out and the page is taken back with whoever was begun.
        .catch((error: unknown) => log.error({ err: error, page: claim.id }, 'a page could not be delivered'))
        .finally(() => {
          active.delete(laneId)
          wake.ring()
        })
      active.set(laneId, done)
    }
    return claimed
  }
}

/** What this thread knows of a lane, brought up to what the database says of it. */
function controlOf(controls: Map<number, LaneControl>, lane: Lane, refusalLimit: number): LaneControl {
  let control = controls.get(lane.id)
  if (!control) {
    control = createLaneControl({ refusalLimit, holds: lane.holds })
    controls.set(lane.id, control)
  } else if (control.hold || lane.holds > 0) control.resume(lane.holds)
  return control
}
