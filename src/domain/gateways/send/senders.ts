import { AppError } from '../../../platform/errors.ts'
import type { GatewaySettings, Sender } from '../gateway.ts'
import { findGateway, type Platform } from '../registry.ts'
import type { GatewaysService } from '../service.ts'
import type { OpenCredential } from '../types.ts'

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
      const sender = await findGateway(platform).open(credential, settings, now)
      open.set(key, { version, sender })
      return sender
    },

    async close(): Promise<void> {
      await Promise.all([...open.values()].map(({ sender }) => sender.close()))
      open.clear()
    },
  }
}
