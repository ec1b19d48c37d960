import type { Gateway } from '../gateway.ts'
import { blockWords } from './block-words.ts'
import { webCommandLine } from './command-line.ts'
import { mergeWeb, type WebFacts, type WebSecret } from './key-ring.ts'
import { previewWeb } from './payload.ts'

/** Web Push (RFC 8030, 8291, 8292). Subscriptions bring the addresses of their push services. */
export const web: Gateway<'web', 3> = {
  platform: 'web',
  type: 3,
  label: 'Web Push',
  transport: 'web',
  // Phones without Google: their push services speak Web Push.
  transportOfApps: 'unifiedpush',
  vendor: 'The push service of the browser',
  elsewhere: {
    names: ['web', 'webpush', 'browser', 'chrome', 'firefox', 'edge'],
    os: 'web',
    oneSignal: { ChromePush: 5, FirefoxPush: 8, EdgePush: 12, SafariPush: 17 },
  },
  addresses: {},
  commandLine: webCommandLine,
  blockWords,
  guide: async () => (await import('./guide.ts')).guide,
  manyHosts: true,
  check: async (block, now) => (await import('./credentials.ts')).checkWeb(block, now),
  merge: mergeWeb,
  preview: previewWeb,
  async open({ secret, facts }, settings, now) {
    const { openWeb } = await import('./client.ts')
    // What comes back from storage is what `mergeWeb` returned.
    return openWeb({ secret: secret as WebSecret, facts: facts as WebFacts }, settings, now)
  },
}
