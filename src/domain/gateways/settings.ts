import { readFileSync } from 'node:fs'
import type { Config, VendorSetting } from '../../platform/config/settings.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { besideBase } from '../../platform/net/base-address.ts'
import type { GatewaySettings, PushHosts } from './gateway.ts'
import { vendorAddresses } from './registry.ts'

/**
 * The part of the configuration that senders need. Throws `config` if the file of certificate authorities cannot be
 * read.
 */
export function gatewaySettings(config: Config): GatewaySettings {
  return {
    ...Object.fromEntries(
      Object.keys(vendorAddresses).map((name) => [name, config[`gateways.${name}` as VendorSetting]]),
    ),
    allowPrivate: config['outbound.allowPrivate'],
    pushHosts: pushHostsOf(config),
    ca: readAuthorities(config['gateways.caFile']),
    pushAddress: pushAddressOf(config),
    areStandIns: config['sandbox.url'] !== '',
  }
}

/** Hosts that web pushes may go to. */
export function pushHostsOf(config: Config): PushHosts {
  return {
    anyHost: config['webPush.anyHost'],
    unifiedPush: config['webPush.unifiedPush'],
    extraHosts: config['webPush.extraHosts'],
  }
}

/** The host of the push area if configured, else its path below the base address. */
function pushAddressOf(config: Config): string {
  if (config.baseUrl === '') return ''
  const host = config['hosts.push']
  if (host === '') return `${config.baseUrl.replace(/\/+$/, '')}/push`
  return besideBase(host, config.baseUrl)
}

function readAuthorities(file: string): string[] {
  if (file === '') return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch (error) {
    throw new AppError('config', `gateways.caFile: ${messageOf(error)}`)
  }
}
