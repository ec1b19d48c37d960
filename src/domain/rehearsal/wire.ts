import { type Base, once } from '../../platform/wiring.ts'
import type { GatewaysWire } from '../gateways/wire.ts'
import { sandboxClient } from './sandbox.ts'
import { rehearsalService } from './service.ts'

interface Needs {
  gateways: () => GatewaysWire
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca: () => readonly string[]
}

/** Rehearsing a campaign with a sandbox. */
export function wireRehearsal({ config, clock }: Base, { gateways, ca }: Needs) {
  const url = config['sandbox.url']
  const rehearsal = once(() =>
    rehearsalService({ url, sandbox: sandboxClient(url, ca()), gateways: gateways().gateways(), clock }),
  )
  return { rehearsal }
}
