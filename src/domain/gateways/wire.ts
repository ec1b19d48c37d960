import { type Base, once } from '../../platform/wiring.ts'
import { lanesRepository } from './lanes.repository.ts'
import { gatewaysRepository } from './repository.ts'
import { gatewaysService } from './service.ts'
import { pushHostsOf } from './settings.ts'
import { promptsRepository } from './web/prompts.repository.ts'
import { promptsService } from './web/prompts.service.ts'
import { refusalOfHost } from './web/push-hosts.ts'

export type GatewaysWire = ReturnType<typeof wireGateways>

/** Gateways of apps: their credentials and lanes, and the prompts of web pages. */
export function wireGateways({ sql, config, clock, vault }: Base) {
  const gateways = once(() =>
    gatewaysService({ repo: gatewaysRepository(sql), lanes: lanesRepository(sql), vault, clock }),
  )
  const prompts = once(() => promptsService({ repo: promptsRepository(sql), clock }))
  /** Why nothing is sent to an endpoint of Web Push, or undefined. */
  const refusalOfEndpoint = (endpoint: string) =>
    refusalOfHost(endpoint, pushHostsOf(config), config['outbound.allowPrivate'])
  return { gateways, prompts, refusalOfEndpoint }
}
