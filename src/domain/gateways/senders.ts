import { AppError } from '../../platform/errors.ts'
import { Unreadable } from '../../platform/values/unreadable.ts'
import type { GatewaySettings, Outcome, Sender } from './gateway.ts'
import { findGateway, type Platform } from './registry.ts'
import { sendEach } from './send/send-each.ts'
import type { GatewaysService } from './service.ts'
import type { OpenCredential } from './types.ts'

/** A sender that sends nothing and gives everybody the same outcome. */
function refusingSender(reason: string): Sender {
  const send = async (): Promise<Outcome> => ({ kind: 'config_error', reason })
  return {
    prepare: () => ({ brand: 'prepared' }),
    send,
    sendAll: sendEach(send),
    warm: async () => {},
    probe: async () => [{ level: 'error', what: reason }],
    close: async () => {},
  }
}

const unusable = (platform: Platform): string =>
  new Unreadable(`the stored credential of ${platform}`, 'set it again').message

/** Open senders, one for each app and gateway. Opened on first use, and again after a change of the credential. */
export function createSenders(
  gateways: Pick<GatewaysService, 'find' | 'credential'>,
  settings: GatewaySettings,
  now: () => number,
) {
  const open = new Map<string, { version: string; sender: Sender }>()

  return {
    /**
     * The sender of an app's gateway; undefined if none can send. For a credential that cannot be opened (another
     * master key) it returns a sender that reports this for every recipient: the lane is then held with that reason,
     * and no recipient fails.
     */
    async find(appId: number, platform: Platform): Promise<Sender | undefined> {
      const key = `${appId} ${platform}`
      const config = await gateways.find(appId, platform)
      const version = `${config?.id} ${config?.version}`
      const known = open.get(key)
      if (known?.version === version) return known.sender
      if (known) {
        open.delete(key)
        // Requests of the old credential finish; do not wait for them here.
        void known.sender.close()
      }
      if (!config?.sendable) return undefined
      let credential: OpenCredential | undefined
      try {
        credential = await gateways.credential(appId, platform)
      } catch (error) {
        if (error instanceof AppError && ['config', 'conflict'].includes(error.code))
          return refusingSender(error.message)
        throw error
      }
      if (!credential) return undefined
      let sender: Sender
      try {
        sender = await findGateway(platform).open(credential, settings, now)
      } catch (error) {
        // Of another shape than a credential has that was checked.
        if (error instanceof TypeError) return refusingSender(unusable(platform))
        throw error
      }
      open.set(key, { version, sender })
      return sender
    },

    async close(): Promise<void> {
      await Promise.all([...open.values()].map(({ sender }) => sender.close()))
      open.clear()
    },
  }
}
