import type { Platform } from '../../gateways/registry.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import type { NewPage } from '../record/ledger.repository.ts'
import { SLOT } from '../record/page.ts'

/** Where recipients go: to a gateway, or to an end at once. */
export type Way = { platform: Platform } | { slot: number }

/** Where recipients of a platform go; it is undefined for installs that cannot be reached any more. */
export async function wayTo(
  gateways: Pick<GatewaysService, 'find'>,
  appId: number,
  platform: Platform | undefined,
): Promise<Way> {
  if (platform === undefined) return { slot: SLOT.skipped }
  const credential = await gateways.find(appId, platform)
  return credential?.sendable ? { platform } : { slot: SLOT.no_gateway }
}

/** What a new page says of it: its lane, which is made when there is none yet, or what every slot begins as. */
export async function destinationOf(
  gateways: Pick<GatewaysService, 'lanes'>,
  appId: number,
  way: Way,
  now: number,
): Promise<Pick<NewPage, 'laneId' | 'slot'>> {
  if ('slot' in way) return { slot: way.slot }
  return { laneId: (await gateways.lanes.ensure(appId, way.platform, now)).id }
}
