import { type Base, once } from '../../platform/wiring.ts'
import type { GatewaysWire } from '../gateways/wire.ts'
import { sandboxClient } from './client.ts'
import { sandboxService } from './service.ts'

interface Needs {
  gateways: () => GatewaysWire
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca: () => readonly string[]
}

/** The sandbox beside the server: gateways that lead to it, and phones that exist there only. */
export function wireSandbox({ config, clock }: Base, { gateways, ca }: Needs) {
  const url = config['sandbox.url']
  const sandbox = once(() =>
    sandboxService({ url, client: sandboxClient(url, ca()), gateways: gateways().gateways(), clock }),
  )
  return { sandbox }
}
