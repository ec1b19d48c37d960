import type { Gateway } from '../gateway.ts'
import { blockWords } from './block-words.ts'
import { fcmCommandLine } from './command-line.ts'
import type { FcmFacts, FcmSecret } from './credentials.ts'
import { previewFcm } from './payload.ts'

/** Firebase Cloud Messaging. */
export const fcm: Gateway<'android', 2> = {
  platform: 'android',
  type: 2,
  label: 'FCM',
  transport: 'fcm',
  vendor: 'Google',
  elsewhere: { names: ['android', 'fcm', 'gcm', 'firebase'], os: 'Android', oneSignal: { AndroidPush: 1 } },
  addresses: {
    fcmUrl: { default: 'https://fcm.googleapis.com', why: 'URL of Firebase Cloud Messaging (FCM)' },
    fcmTokenUrl: {
      default: 'https://oauth2.googleapis.com/token',
      why: 'URL where Google issues access tokens; the one inside a service account file is never called',
    },
  },
  commandLine: fcmCommandLine,
  blockWords,
  guide: async () => (await import('./guide.ts')).guide,
  // "Best practices when sending at scale": ramp up over at least a minute instead of stepping to the full rate.
  gradual: true,
  check: async (block, now) => (await import('./credentials.ts')).checkFcm(block, now),
  preview: previewFcm,
  async open({ secret, facts }, settings, now) {
    const { openFcm } = await import('./client.ts')
    // What comes back from storage is what `checkFcm` returned.
    return openFcm({ secret: secret as FcmSecret, facts: facts as FcmFacts }, settings, now)
  },
}
