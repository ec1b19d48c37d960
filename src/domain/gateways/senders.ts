import { readFileSync } from 'node:fs'
import type { Config } from '../../platform/config.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { GatewaySettings, Platform, Sender } from './gateway.ts'
import { findGateway } from './registry.ts'
import type { GatewaysService } from './service.ts'

/** Where the vendors are and whom we trust, from configuration. Throws `config` when the file of authorities cannot be read. */
export function gatewaySettings(config: Config): GatewaySettings {
  return {
    apnsUrl: config['gateways.apnsUrl'],
    apnsSandboxUrl: config['gateways.apnsSandboxUrl'],
    fcmUrl: config['gateways.fcmUrl'],
    fcmTokenUrl: config['gateways.fcmTokenUrl'],
    ca: readAuthorities(config['gateways.caFile']),
  }
}

function readAuthorities(file: string): string[] {
  if (file === '') return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch (error) {
    throw new AppError('config', `gateways.caFile: ${messageOf(error)}`)
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
    /** The sender of an app's gateway; undefined when there is none that can send. */
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
      const credential = config?.sendable ? await gateways.credential(appId, platform) : undefined
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
