import type { Gateway } from '../gateway.ts'
import { blockWords } from './block-words.ts'
import { huaweiCommandLine } from './command-line.ts'
import type { HcmFacts, HcmSecret } from './credentials.ts'
import { previewHcm } from './payload.ts'

/** Huawei Push Kit. The contract calls its platform `hcm`. */
export const huawei: Gateway<'hcm', 5> = {
  platform: 'hcm',
  type: 5,
  label: 'Push Kit',
  transport: 'hms',
  vendor: 'Huawei',
  elsewhere: { names: ['hcm', 'hms', 'huawei'], os: 'Android', oneSignal: { HuaweiPush: 13 } },
  addresses: {
    hcmUrl: { default: 'https://push-api.cloud.huawei.com', why: 'URL of Huawei Push Kit' },
    hcmTokenUrl: {
      default: 'https://oauth-login.cloud.huawei.com/oauth2/v3/token',
      why: 'URL where Huawei issues access tokens',
    },
  },
  commandLine: huaweiCommandLine,
  blockWords,
  guide: async () => (await import('./guide.ts')).guide,
  check: async (block, now) => (await import('./credentials.ts')).checkHcm(block, now),
  preview: previewHcm,
  async open({ secret, facts }, settings, now) {
    const { openHcm } = await import('./client.ts')
    // What comes back from storage is what `checkHcm` returned.
    return openHcm({ secret: secret as HcmSecret, facts: facts as HcmFacts }, settings, now)
  },
}
