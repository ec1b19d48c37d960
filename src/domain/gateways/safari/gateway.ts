import type { Gateway } from '../gateway.ts'
import { blockWords } from './block-words.ts'
import { safariCommandLine } from './command-line.ts'
import type { SafariFacts, SafariSecret } from './credentials.ts'
import { previewSafari } from './payload.ts'

/** Safari's website push from before it knew the Web Push standard. It sends through APNs, to the production host. */
export const safari: Gateway<'safari', 4> = {
  platform: 'safari',
  type: 4,
  label: 'APNs, for websites',
  transport: 'safari',
  vendor: 'Apple',
  elsewhere: { names: ['safari'], os: 'macOS', oneSignal: { SafariLegacyPush: 7 } },
  addresses: {},
  commandLine: safariCommandLine,
  blockWords,
  guide: async () => (await import('./guide.ts')).guide,
  check: async (block, now) => (await import('./credentials.ts')).checkSafari(block, now),
  preview: previewSafari,
  async open({ secret, facts }, settings, now) {
    const { openSafari } = await import('./client.ts')
    // What comes back from storage is what `checkSafari` returned.
    return openSafari({ secret: secret as SafariSecret, facts: facts as SafariFacts }, settings, now)
  },
}
