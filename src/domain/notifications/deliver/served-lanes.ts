import type { Config } from '../../../platform/config/settings.ts'
import { LEASE_MS } from '../../../platform/queue/leases.ts'
import type { Claim } from '../../../platform/queue/queue.ts'
import type { Sender } from '../../gateways/gateway.ts'
import { PLATFORM_TYPES } from '../../gateways/registry.ts'
import type { Lane } from '../../gateways/types.ts'
import { BufferMemory } from './buffer-memory.ts'
import type { DeliveryAreas, DeliveryParts, LaneContext } from './delivery-parts.ts'
import { createLaneMemory, type SilentLane } from './lane-memory.ts'
import { deliverLane, type PageSource } from './lane-run.ts'
import { openPages } from './open-pages.ts'
import { giveUpPage, recoverPages } from './recover.ts'

/** Maximum number of lanes that one thread serves concurrently. */
const MAX_LANES = 32
/**
 * Maximum number of recipients on the pages delivered at the same time in a lane whose recipients are on many hosts. A page ends
 * with its last answer, and one slow host must not block the others' pages.
 */
const RECIPIENTS_OF_MANY_HOSTS = 4000
/** Time for which a failed page waits, and time before it is released again when the database cannot be reached. */
const FAILED_PAGE_MS = 30_000
const FAILED_RELEASE_MS = 500
/** A page that failed this many times is given up: its recipients are settled, and an operator must look at it. */
const MAX_FAILURES = 100

export interface ServedLanesParts extends DeliveryParts {
  config: Config
  /** The owner of the claims. */
  owner: string
  /** Ends the runs of all lanes: what is in flight is recorded, and the other pages are returned. */
  signal: AbortSignal
  /** The sender of a lane's present credential; undefined when the app has none. */
  findSender(lane: Lane): Promise<Sender | undefined>
  /** Tells whether the database is damaged. */
  isDamaged(): boolean
  /** Tells whether this thread leaves a lane alone. */
  isForOthers(laneId: number): boolean
  /** Called when a lane is about to be served. */
  serving(lane: Lane): void
  /** Called when a lane is served no more. */
  served(): void
  complain(error: unknown, fields: object, what: string): void
}

/** The lanes that one thread serves side by side, each by a run of its own. */
export class ServedLanes {
  readonly #parts: ServedLanesParts
  readonly #memory: ReturnType<typeof createLaneMemory>
  readonly #runs = new Map<number, Promise<void>>()
  /** The claims of their pages. */
  readonly #claims = new Set<Claim>()
  /** Tells the run of a lane that pages of it are due. */
  readonly #nudges = new Map<number, () => void>()
  /** State of the lanes that are not served: while some wait because this thread serves no more at a time, the served ones give way. */
  #crowd: 'none' | 'waiting' = 'none'

  constructor(parts: ServedLanesParts) {
    this.#parts = parts
    this.#memory = createLaneMemory(parts.config)
  }

  /** Begins to serve lanes that have pages due; returns how many. */
  async begin(): Promise<number> {
    const { read, inTransaction, clock, owner, isDamaged } = this.#parts
    if (isDamaged()) return 0
    const now = clock.now()
    const due = await read.queue.dueLanes(now, MAX_LANES * 4)
    const unserved = due.filter((laneId) => !this.#runs.has(laneId) && !this.#parts.isForOthers(laneId))
    const room = MAX_LANES - this.#runs.size
    this.#crowd = unserved.length > room ? 'waiting' : 'none'
    // Those that are served ask for a hold where they claim.
    for (const laneId of due) this.#nudges.get(laneId)?.()
    if (unserved.length === 0 || (await this.isStopped(read))) return 0
    let begun = 0
    for (const laneId of unserved.slice(0, room)) {
      const claim = await inTransaction((areas) => areas.queue.claim(laneId, owner, now, LEASE_MS))
      if (!claim) continue
      begun++
      this.#claims.add(claim)
      this.#runs.set(laneId, this.#run(laneId, claim))
    }
    return begun
  }

  /** The lanes that are being served. */
  get served(): number[] {
    return [...this.#runs.keys()]
  }

  /** Tells whether no page may be claimed, because the database is damaged or held. Inside a transaction its own areas are asked. */
  async isStopped({ instance }: Pick<DeliveryAreas, 'instance'>): Promise<boolean> {
    return this.#parts.isDamaged() || (await instance.hold()) !== undefined
  }

  /** Extends the leases of the pages in work. */
  async extendLeases(): Promise<void> {
    if (this.#claims.size === 0) return
    const ids = [...this.#claims].map(({ id }) => id)
    await this.#parts.inTransaction((areas) => areas.queue.extend(this.#parts.owner, LEASE_MS, ids))
  }

  /** The gateways that do not answer now. */
  silent(): SilentLane[] {
    return this.#memory.silent(this.#parts.clock.now())
  }

  /** Resolves when no lane is served any more. */
  async end(): Promise<void> {
    await Promise.all(this.#runs.values())
  }

  async #run(laneId: number, first: Claim): Promise<void> {
    try {
      await this.#serve(laneId, first)
    } catch (error) {
      await this.#putBack(first, error)
    } finally {
      this.#claims.delete(first)
      this.#runs.delete(laneId)
      this.#nudges.delete(laneId)
      this.#parts.served()
    }
  }

  async #serve(laneId: number, first: Claim): Promise<void> {
    const { read, log, signal } = this.#parts
    const lane = await read.gateways.lanes.find(laneId)
    if (!lane) throw new Error(`there is no lane ${laneId}`)
    this.#parts.serving(lane)
    const sender = await this.#parts.findSender(lane)
    const control = this.#memory.controlOf(lane, sender)
    const platform = PLATFORM_TYPES[lane.platform]
    const context: LaneContext = { laneId, platform, sender, control, holds: lane.holds, memory: new BufferMemory() }
    const replaced = new AbortController()
    const source = this.#sourceOf(lane, context, replaced)
    await deliverLane(this.#parts, context, source, first, AbortSignal.any([signal, replaced.signal]))
    if (control.hold)
      log.warn({ lane: lane.id, app: lane.appId, ...control.hold }, `sending to ${lane.platform} is paused`)
  }

  #sourceOf(lane: Lane, context: LaneContext, replaced: AbortController): PageSource {
    const { clock, owner } = this.#parts
    return {
      claim: async (areas, most) => {
        const now = clock.now()
        if (this.#crowd === 'waiting' || (await this.isStopped(areas))) return []
        // Another thread or node may have paused the lane.
        const stored = await areas.gateways.lanes.find(lane.id)
        return stored && stored.heldUntil <= now ? areas.queue.claimSome(lane.id, owner, now, LEASE_MS, most) : []
      },
      keep: (claim) => void this.#claims.add(claim),
      drop: (claim) => void this.#claims.delete(claim),
      open: async (claims, begun) => {
        const [failing, others] = [true, false].map((isFailing) =>
          claims.filter(({ failures }) => failures >= MAX_FAILURES === isFailing),
        )
        for (const claim of failing!) await giveUpPage(this.#parts, claim)
        if (others!.length === 0) return []
        // A new credential takes over with the next run.
        if ((await this.#parts.findSender(lane)) !== context.sender) replaced.abort()
        return openPages(this.#parts, others!, context, begun)
      },
      putBack: (claim, error) => this.#putBack(claim, error),
      listen: (moreIsDue) => void this.#nudges.set(lane.id, moreIsDue),
      ...(context.control.manyHosts && { maxRecipients: RECIPIENTS_OF_MANY_HOSTS }),
    }
  }

  /**
   * Releases a page whose delivery failed. Its lease would not expire, because this thread keeps extending its leases.
   */
  async #putBack(claim: Claim, error: unknown): Promise<void> {
    const { clock, complain, signal } = this.#parts
    complain(error, { page: claim.id }, 'a page could not be delivered; trying again later')
    for (;;) {
      try {
        await recoverPages(this.#parts, { claim, restMs: FAILED_PAGE_MS })
        return
      } catch (again) {
        complain(again, { page: claim.id }, 'a page could not be released; trying again')
        if (signal.aborted) return
        await clock.sleep(FAILED_RELEASE_MS, signal)
      }
    }
  }
}
