import type { Gateway } from '../gateway.ts'
import { blockWords } from './block-words.ts'
import { apnsCommandLine } from './command-line.ts'
import type { ApnsFacts, ApnsSecret } from './credentials.ts'
import { previewApns } from './payload.ts'

/** Apple Push Notification service. */
export const apns: Gateway<'ios', 1> = {
  platform: 'ios',
  type: 1,
  label: 'APNs',
  transport: 'apns',
  vendor: 'Apple',
  elsewhere: { names: ['ios', 'iphone', 'ipad', 'apns', 'apple'], os: 'iOS', oneSignal: { iOSPush: 0 } },
  addresses: {
    apnsUrl: { default: 'https://api.push.apple.com', why: 'URL of APNs, production environment' },
    apnsSandboxUrl: { default: 'https://api.sandbox.push.apple.com', why: 'URL of APNs, sandbox environment' },
  },
  commandLine: apnsCommandLine,
  blockWords,
  guide: async () => (await import('./guide.ts')).guide,
  check: async (block, now) => (await import('./credentials.ts')).checkApns(block, now),
  // The entitlement belongs to the app, not to the credential: a renewed one need not repeat it.
  lastingFacts: ['critical'],
  preview: previewApns,
  async open({ secret, facts }, settings, now) {
    const { openApns } = await import('./client.ts')
    // What comes back from storage is what `checkApns` returned.
    return openApns({ secret: secret as ApnsSecret, facts: facts as ApnsFacts }, settings, now)
  },
}
