import { createECDH, generateKeyPairSync } from 'node:crypto'
import { openApns } from '../../src/domain/gateways/apns/client.ts'
import { openFcm } from '../../src/domain/gateways/fcm/client.ts'
import type { Sender } from '../../src/domain/gateways/gateway.ts'
import { openHcm } from '../../src/domain/gateways/huawei/client.ts'
import type { Platform } from '../../src/domain/gateways/registry.ts'
import { openSafari } from '../../src/domain/gateways/safari/client.ts'
import { openWeb } from '../../src/domain/gateways/web/client.ts'
import { DEFAULT_SUBJECT } from '../../src/domain/gateways/web/key-ring.ts'
import { makeVapidKey } from '../../src/domain/gateways/web/vapid-keys.ts'
import type { PushRequest } from '../../src/platform/http2/types.ts'
import { decryptPush } from '../../src/sandbox/web/decrypt.ts'
import { scriptedPool } from './push-pool.ts'

/** A sender whose requests go nowhere: they are all accepted, and `bodies` has what they said, by the recipients' tokens. */
export interface WireSender {
  sender: Sender
  bodies: Map<string, string>
  /** The token of a device, and the keys of a browser. */
  tokenOf(number: number): { token: string; token_keys?: string }
}

const SETTINGS = {
  apnsUrl: 'https://apns.test',
  apnsSandboxUrl: 'https://sandbox.test',
  fcmUrl: 'https://fcm.test',
  fcmTokenUrl: 'https://oauth.test/token',
  hcmUrl: 'https://hcm.test',
  hcmTokenUrl: 'https://oauth.test/token',
  allowPrivate: false,
  ca: [],
} as const
const GRANT = { status: 200, headers: {}, body: JSON.stringify({ access_token: 't', expires_in: 3600 }) }
const apple = (number: number) => ({ token: number.toString(16).padStart(64, '0') })
const named = (number: number) => ({ token: `token-${number}` })

/** Opens the sender of a platform, as of `now`. */
export const WIRE_SENDERS: Readonly<Partial<Record<Platform, (now: () => number) => WireSender>>> = {
  android(now) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const secret = { projectId: 'p', clientEmail: 'a@example.com', privateKey: pem(privateKey), privateKeyId: 'k' }
    return overHttp2(named, bearerOfBody, (openPool) =>
      openFcm(
        {
          secret: { serviceAccount: { ...secret, tokenUri: '' } },
          facts: { kind: 'serviceAccount', projectId: 'p', warnings: [] },
        },
        SETTINGS,
        now,
        { openPool, sendHttp: async () => GRANT },
      ),
    )
  },
  ios(now) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const facts = {
      kind: 'key' as const,
      mode: 'production' as const,
      topics: ['t'],
      topic: 't',
      environments: [],
      warnings: [],
    }
    return overHttp2(apple, tokenOfPath, (openPool) =>
      openApns(
        {
          secret: { kind: 'key', p8: pem(privateKey), keyId: 'KEY0000001', teamId: 'TEAM123456' },
          facts,
        },
        SETTINGS,
        now,
        openPool,
      ),
    )
  },
  safari(now) {
    const facts = { kind: 'certificate', mode: 'production', topics: ['t'], topic: 't', environments: [], warnings: [] }
    const website = { siteUrl: 'https://shop.example', websiteName: 'Shop' }
    return overHttp2(apple, tokenOfPath, (openPool) =>
      openSafari(
        { secret: { kind: 'certificate', cert: '', key: '' }, facts: { ...facts, ...website } } as never,
        SETTINGS,
        now,
        { openPool, fetchIcons: async () => [] as never },
      ),
    )
  },
  hcm(now) {
    const bodies = new Map<string, string>()
    const sender = openHcm(
      { secret: { appId: '1', appIdPassword: 's' }, facts: { appId: '1', warnings: [] } },
      SETTINGS,
      now,
      {
        async sendHttp({ url, body }) {
          if (url.startsWith('https://oauth.test')) return GRANT
          const { message } = JSON.parse(String(body)) as { message: { token: string[] } }
          // Others get the same with tokens of their own.
          const said = String(body).replace(JSON.stringify(message.token), '[…]')
          for (const token of message.token) bodies.set(token, said)
          return { status: 200, headers: {}, body: JSON.stringify({ code: '80000000', msg: 'Success' }) }
        },
      },
    )
    return { sender, bodies, tokenOf: named }
  },
  web(now) {
    const browser = createECDH('prime256v1')
    browser.generateKeys()
    const auth = Buffer.alloc(16, 7)
    const keys = { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') }
    const known = { privateKey: browser.getPrivateKey(), publicKey: browser.getPublicKey(), auth }
    const read = ({ path, body }: PushRequest): [string, string] => {
      const decrypted = decryptPush(body, known)
      if (!('text' in decrypted)) throw new Error(decrypted.broken)
      return [`https://push.test${path}`, decrypted.text.toString()]
    }
    const at = (number: number) => ({
      token: `https://push.test/${number}`,
      token_keys: JSON.stringify({ keys, expirationTime: null }),
    })
    return overHttp2(at, read, (openPool) =>
      openWeb(
        { secret: { keys: [makeVapidKey(now() - 1000)], subject: DEFAULT_SUBJECT }, facts: { warnings: [] } as never },
        SETTINGS,
        now,
        { openPool },
      ),
    )
  },
}

const pem = (key: { export(as: { format: 'pem'; type: 'pkcs8' }): string | Buffer }) =>
  key.export({ format: 'pem', type: 'pkcs8' }).toString()

function bearerOfBody({ body }: PushRequest): [string, string] {
  const { message } = JSON.parse(String(body)) as { message: { token: string } }
  return [message.token, String(body)]
}

function tokenOfPath({ path, body }: PushRequest): [string, string] {
  return [path.replace('/3/device/', ''), String(body)]
}

function overHttp2(
  tokenOf: WireSender['tokenOf'],
  read: (request: PushRequest) => [token: string, said: string],
  open: (openPool: () => ReturnType<typeof scriptedPool>) => Sender,
): WireSender {
  const bodies = new Map<string, string>()
  const pool = scriptedPool(async (request) => {
    bodies.set(...read(request))
    return { status: 200, headers: {}, body: '' }
  })
  return { sender: open(() => pool), bodies, tokenOf }
}
