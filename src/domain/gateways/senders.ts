import { readFileSync } from 'node:fs'
import { besideBase } from '../../platform/base-address.ts'
import type { Config } from '../../platform/config.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { GatewaySettings, Platform, Sender } from './gateway.ts'
import { findGateway } from './registry.ts'
import type { GatewaysService } from './service.ts'
import type { OpenCredential } from './types.ts'
import type { PushHosts } from './web/push-hosts.ts'

/** Where the vendors are and whom we trust, from configuration. Throws `config` when the file of authorities cannot be read. */
export function gatewaySettings(config: Config): GatewaySettings {
  return {
    apnsUrl: config['gateways.apnsUrl'],
    apnsSandboxUrl: config['gateways.apnsSandboxUrl'],
    fcmUrl: config['gateways.fcmUrl'],
    fcmTokenUrl: config['gateways.fcmTokenUrl'],
    hcmUrl: config['gateways.hcmUrl'],
    hcmTokenUrl: config['gateways.hcmTokenUrl'],
    allowPrivate: config['outbound.allowPrivate'],
    pushHosts: pushHostsOf(config),
    ca: readAuthorities(config['gateways.caFile']),
    pushAddress: pushAddressOf(config),
  }
}

/** Which hosts web pushes go to. */
export function pushHostsOf(config: Config): PushHosts {
  return { anyHost: config['webPush.anyHost'], extraHosts: config['webPush.extraHosts'] }
}

/** The push area's own host when it has one, else its path below the base address. */
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

/** Nothing leaves the machine. */
function refusingSender(reason: string): Sender {
  return {
    prepare: () => ({ brand: 'prepared' }),
    send: async () => ({ kind: 'config_error', reason }),
    probe: async () => [{ level: 'error', what: reason }],
    close: async () => {},
  }
}

export type Senders = ReturnType<typeof createSenders>

/** Open senders, one an app and gateway, made when first needed and made anew when the credential changed. */
export function createSenders(
  gateways: Pick<GatewaysService, 'find' | 'credential'>,
  settings: GatewaySettings,
  now: () => number,
) {
  const open = new Map<string, { version: string; sender: Sender }>()

  return {
    /**
     * The sender of an app's gateway; undefined when there is none that can send. A credential that cannot be opened (another
     * master key) gives one that says so to every recipient: then the lane is held and says why, and nobody fails for it.
     */
    async find(appId: number, platform: Platform): Promise<Sender | undefined> {
      const key = `${appId} ${platform}`
      const config = await gateways.find(appId, platform)
      const version = `${config?.id} ${config?.version}`
      const known = open.get(key)
      if (known?.version === version) return known.sender
      if (known) {
        open.delete(key)
        // Requests of the old credential finish; nobody waits for them here.
        void known.sender.close()
      }
      if (!config?.sendable) return undefined
      let credential: OpenCredential | undefined
      try {
        credential = await gateways.credential(appId, platform)
      } catch (error) {
        if (error instanceof AppError && error.code === 'config') return refusingSender(error.message)
        throw error
      }
      if (!credential) return undefined
      const sender = findGateway(platform)!.open(credential, settings, now)
      open.set(key, { version, sender })
      return sender
    },

    async close(): Promise<void> {
      await Promise.all([...open.values()].map(({ sender }) => sender.close()))
      open.clear()
    },
  }
}
