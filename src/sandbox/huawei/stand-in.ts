import { randomBytes } from 'node:crypto'
import { objectOf } from '../../platform/json/json.ts'
import type { StandIn } from '../stand-in/stand-in.ts'
import { isHcmCode } from './codes.ts'

/** App of Huawei's AppGallery Connect. */
export type HuaweiCredential = {
  appId: number
  appIdPassword: string
}

const APP_ID = 101_234_567

/** Push Kit, platform `hcm`. */
export const huawei: StandIn<HuaweiCredential> = {
  label: 'Huawei Push Kit',
  page: { gateway: 'Push Kit', device: 'Huawei', topic: 'app id', colors: ['#e5484d', '#a3152f'] },
  maxStreams: 100,
  tooMany: 'FLOW_CONTROL',
  isReason: isHcmCode,
  isTokenReason: (reason) => reason === 'invalid_client',
  tokenPath: '/oauth2/v3/token',
  credential: (secret) => ({ appId: APP_ID, appIdPassword: secret }),
  files: ({ appIdPassword }) => ({ 'hcm.secret': `${appIdPassword}\n` }),
  setFlags: ({ appId }, path) => `--app-id ${appId} --app-id-password-file ${path('hcm.secret')}`,
  /** The data is JSON text, the collapse key a number, and urgency a word of its own. */
  toFcm(message) {
    const android = objectOf(message['android'])
    const { collapse_key: key, urgency } = android
    return {
      ...message,
      data: readText(message['data']),
      android: { ...android, priority: urgency, ...(typeof key === 'number' && { collapse_key: String(key) }) },
    }
  },
  async start(options, { appId, appIdPassword }, lifeSeconds) {
    const [{ startHcm }, { startHcmOAuth }] = await Promise.all([import('./server.ts'), import('./oauth.ts')])
    const oauth = startHcmOAuth({ id: String(appId), secret: appIdPassword }, lifeSeconds)
    const listener = await startHcm({ ...options, appId: String(appId), oauth })
    return { listener, setLife: oauth.setLife }
  },
  demo: {
    name: "Deniz's Huawei",
    user: 'deniz',
    os: { id: 3, version: '12' },
    sdk: { id: 2, version: '15.2.0' },
    model: 'ELS-NX9',
    tz: 'Europe/Istanbul',
    locale: 'tr-TR',
    makeToken: () => `IQAAAA${randomBytes(60).toString('base64url')}`,
  },
}

function readText(data: unknown): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(String(data)))
  } catch {
    return {}
  }
}
