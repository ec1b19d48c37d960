import { gateways } from '../../domain/gateways/registry.ts'
import { printable } from '../output/output.ts'
import type { DemoDevice } from './devices.ts'
import type { InAppMessage } from './sdk.ts'
import type { Reception } from './story.ts'

/** The gateway through which pushes reach a device. */
export function wayTo({ platform, environment, unifiedPush }: DemoDevice): string {
  if (unifiedPush) return 'UnifiedPush'
  return environment === 'sandbox' ? 'APNs, sandbox' : gateways[platform].label
}

/** The text that a device shows of a push. */
export function shownBy({ card: { title, body } }: Reception): string {
  return `${printable(title)}: ${printable(body)}`
}

/** A remark on how a device got a push, if there is one to make. */
export function remarkOn({ device: { platform, unifiedPush }, push: { page } }: Reception): string | undefined {
  if (platform === 'web') return `encrypted for this ${unifiedPush ? 'phone' : 'browser'}, which could decrypt it`
  return page && `a click opens ${page}, and the page reports that`
}

/** The state of an in-app message on a device. */
export function stateOf({ openedAt }: InAppMessage): string {
  return openedAt === null ? 'not closed yet' : `closed at ${openedAt}`
}
