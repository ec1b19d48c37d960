import type { Platform } from '../../gateways/registry.ts'
import type { GatewaysService } from '../../gateways/service.ts'
import { SLOT } from '../record/page.ts'
import type { NewPage } from '../record/page-rows.ts'

/** The way of recipients: to a gateway, or straight to an outcome. */
export type Way = { platform: Platform } | { slot: number }

/** The way of a platform's recipients; `platform` is undefined for installs that can no longer be reached. */
export async function wayTo(
  gateways: Pick<GatewaysService, 'find'>,
  appId: number,
  platform: Platform | undefined,
): Promise<Way> {
  if (platform === undefined) return { slot: SLOT.skipped }
  const credential = await gateways.find(appId, platform)
  return credential?.sendable ? { platform } : { slot: SLOT.no_gateway }
}

/** The lane of a new page, which is created if there is none yet, or the outcome of its recipients. */
export async function destinationOf(
  gateways: Pick<GatewaysService, 'lanes'>,
  appId: number,
  way: Way,
  now: number,
): Promise<Pick<NewPage, 'laneId' | 'slot'>> {
  if ('slot' in way) return { slot: way.slot }
  return { laneId: (await gateways.lanes.ensure(appId, way.platform, now)).id }
}
