import type { Target } from '../../audience/types.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import { createGathering } from '../fan-out/gather.ts'
import type { NewPage } from '../record/page-rows.ts'
import { TURN_MS } from '../record/verdict.ts'

export interface AtOnceParts {
  audience: Pick<Audience, 'step'>
  gateways: { lanes: Pick<GatewaysService['lanes'], 'sendable'> }
  /** Maximum recipients per page. */
  pageSize: number
}

/** A send that may need no run. */
export interface AtOnce {
  appId: number
  target: Target
  /** Each recipient is tried once. */
  oneTry: boolean
}

type PageAtOnce = Omit<NewPage, 'notificationId'>

/**
 * The pages of a send that is due now and names at most a page of installs and users: they are made in the transaction that accepts
 * it, so that nobody has to find a run and walk its audience. Undefined when a run has to do that: when others than the
 * named are meant, or when somebody cannot be sent to, whose outcome is counted where the pages of a run are stored.
 */
export async function pagesAtOnce(
  { audience, gateways, pageSize }: AtOnceParts,
  { appId, target, oneTry }: AtOnce,
  now: number,
): Promise<PageAtOnce[] | undefined> {
  if (target.kind !== 'installs' || target.rows.length + (target.users?.length ?? 0) > pageSize) return undefined
  const gathering = createGathering()
  for (let cursor = {}, done = false; !done; ) {
    const step = await audience.step(appId, target, cursor, pageSize)
    gathering.add(step.steps)
    cursor = step.cursor
    done = step.done
    // Users may have many installs.
    if (gathering.count > pageSize) return undefined
  }
  const pages: PageAtOnce[] = []
  for (const { platform, rows, byUser } of gathering.parts()) {
    if (rows.length === 0) continue
    const laneId = platform && (await gateways.lanes.sendable(appId, platform))
    if (laneId === undefined) return undefined
    pages.push({ appId, laneId, rows, byUser, notBefore: now, expiresAt: oneTry ? now + TURN_MS : null })
  }
  return pages.length > 0 ? pages : undefined
}
