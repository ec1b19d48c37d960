import type { Reached } from '../../audience/reached.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import type { NewPage } from '../record/page-rows.ts'
import { TURN_MS } from '../record/verdict.ts'

export interface AtOnceParts {
  gateways: { lanes: Pick<GatewaysService['lanes'], 'sendable'> }
  /** Maximum recipients per page. */
  pageSize: number
}

/** A send that may need no run. */
export interface AtOnce {
  appId: number
  /** The recipients, as this transaction has found them; undefined when others than the named are meant. */
  reached: readonly Reached[] | undefined
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
  { gateways, pageSize }: AtOnceParts,
  { appId, reached, oneTry }: AtOnce,
  now: number,
): Promise<PageAtOnce[] | undefined> {
  if (!reached) return undefined
  // Users may have many installs.
  if (reached.reduce((count, { rows }) => count + rows.length, 0) > pageSize) return undefined
  const pages: PageAtOnce[] = []
  for (const { platform, rows, byUser = false } of reached) {
    const laneId = platform && (await gateways.lanes.sendable(appId, platform))
    if (laneId === undefined) return undefined
    pages.push({ appId, laneId, rows, byUser, notBefore: now, expiresAt: oneTry ? now + TURN_MS : null })
  }
  return pages.length > 0 ? pages : undefined
}
