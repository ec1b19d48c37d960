import { printable } from '../output/output.ts'
import type { DemoDevice } from './devices.ts'
import type { InAppMessage } from './sdk.ts'
import type { Reception } from './story.ts'

/** How pushes get to a device. */
export async function wayTo({ platform, environment }: DemoDevice): Promise<string> {
  if (environment === 'sandbox') return 'APNs, sandbox'
  const { gateways } = await import('../../domain/gateways/registry.ts')
  return gateways[platform].label
}

/** What a device shows of a push. */
export function shownBy({ card: { title, body } }: Reception): string {
  return `${printable(title)}: ${printable(body)}`
}

/** What is special about how a device got a push. */
export function remarkOn({ device: { platform }, push: { page } }: Reception): string | undefined {
  if (platform === 'web') return 'encrypted for this browser alone; it could read it'
  return page && `a click opens ${page}, and the page reports that`
}

/** What a device knows of an in-app message. */
export function stateOf({ openedAt }: InAppMessage): string {
  return openedAt === null ? 'not closed yet' : `closed at ${openedAt}`
}
