import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GatewaySettings, PushRecipient } from '../../src/domain/gateways/gateway.ts'
import { PLATFORM_TYPES, type Platform } from '../../src/domain/gateways/registry.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { tokenOf } from './audience.ts'
import { startFcmReceiver } from './fcm-receiver.ts'
import { startFileServer } from './file-server.ts'

/** The platforms whose broadcasts are measured. */
export const RECEIVED = ['android', 'ios', 'hcm', 'web'] as const satisfies Platform[]
export type Received = (typeof RECEIVED)[number]

/** A stand-in of a vendor that accepts everything and does as little as possible. */
export interface Receiver {
  /** The configuration block of the app. */
  block: unknown
  /** Settings of the server that sends to it. */
  environment: Record<string, string>
  /** The same for a sender without a server. */
  settings: GatewaySettings
  recipientOf(number: number): PushRecipient
  /** Gives the installs of the app their platform and tokens: those of a bench are Android's. SQLite only. */
  fill?(trx: Sql, appId: number): Promise<void>
  stop(): Promise<void>
}

/** Starts the stand-in of a platform. nghttpd, where the vendor speaks HTTP/2, is written in C: it is not what limits the sender. */
export const startReceiver: Record<Received, () => Promise<Receiver>> = {
  android: startAndroid,
  ios: startApple,
  hcm: startHuawei,
  web: startPushService,
}

async function startAndroid(): Promise<Receiver> {
  const { serviceAccount, fcmUrl, tokenUrl: fcmTokenUrl, caPem, environment, stop } = await startFcmReceiver()
  return {
    block: { serviceAccount },
    environment,
    settings: { fcmUrl, fcmTokenUrl, allowPrivate: false, ca: [caPem] },
    recipientOf: (number) => ({ token: tokenOf(number) }),
    stop,
  }
}

/**
 * Devices with a token of their own; more of them share these. nghttpd answers with files, and keeps this many open. It could
 * also send back each body, but writes it to a file for that and then takes 50 us for a request.
 */
const DEVICES = 64

const files = (prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${prefix}/${name}`, '']))

/** Streams that APNs allows for a connection, and push services of browsers about as many. */
const STREAMS = { ios: 1000, web: 100 } as const

async function startApple(): Promise<Receiver> {
  const tokens = Array.from({ length: DEVICES }, (_, i) => i.toString(16).padStart(64, '0'))
  const { url, caPem, caFile, stop } = await startFileServer(files('3/device', tokens), STREAMS.ios)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const p8 = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return {
    block: { mode: 'production', p8, keyId: 'BENCHKEY01', teamId: 'BENCHTEAM1', topic: 'com.example.app' },
    environment: {
      APPSVC_GATEWAYS_APNS_URL: url,
      APPSVC_GATEWAYS_APNS_SANDBOX_URL: url,
      APPSVC_GATEWAYS_CA_FILE: caFile,
    },
    settings: { apnsUrl: url, apnsSandboxUrl: url, allowPrivate: false, ca: [caPem] },
    recipientOf: (number) => ({ token: tokens[number % DEVICES]! }),
    async fill(trx, appId) {
      await trx.raw(`UPDATE installs SET platform = ?, token = printf('%064x', id % ?), os = 'iOS' WHERE app_id = ?`, [
        PLATFORM_TYPES.ios,
        DEVICES,
        appId,
      ])
    },
    stop,
  }
}

/** Push Kit takes a thousand tokens in a request of HTTP/1, so a server of Node is fast enough. */
async function startHuawei(): Promise<Receiver> {
  const answers: Record<string, string> = {
    token: JSON.stringify({ access_token: 'x'.repeat(200), expires_in: 3600, token_type: 'Bearer' }),
    send: JSON.stringify({ code: '80000000', msg: 'Success', requestId: '157440955549500001002006' }),
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(answers[request.url!.endsWith('messages:send') ? 'send' : 'token'])
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    block: { appId: 100_100_100, appIdPassword: 'bench-secret-of-the-app' },
    environment: { APPSVC_GATEWAYS_HCM_URL: url, APPSVC_GATEWAYS_HCM_TOKEN_URL: `${url}/oauth2/v3/token` },
    settings: { hcmUrl: url, hcmTokenUrl: `${url}/oauth2/v3/token`, allowPrivate: false, ca: [] },
    recipientOf: (number) => ({ token: tokenOf(number) }),
    async fill(trx, appId) {
      await trx.raw('UPDATE installs SET platform = ? WHERE app_id = ?', [PLATFORM_TYPES.hcm, appId])
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function startPushService(): Promise<Receiver> {
  const names = Array.from({ length: DEVICES }, (_, i) => String(i))
  const { url, caPem, caFile, stop } = await startFileServer(files('push', names), STREAMS.web)
  const ecdh = createECDH('prime256v1')
  const keys = Array.from({ length: DEVICES }, () =>
    JSON.stringify({
      keys: { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
    }),
  )
  return {
    block: {},
    environment: {
      APPSVC_GATEWAYS_CA_FILE: caFile,
      APPSVC_OUTBOUND_ALLOW_PRIVATE: url,
    },
    settings: { allowPrivate: [url], ca: [caPem] },
    recipientOf: (number) => ({ token: `${url}/push/${number % DEVICES}`, keys: keys[number % DEVICES]! }),
    async fill(trx, appId) {
      for (const [i, one] of keys.entries()) {
        await trx.raw('UPDATE installs SET platform = ?, token = ?, token_keys = ? WHERE app_id = ? AND id % ? = ?', [
          PLATFORM_TYPES.web,
          `${url}/push/${i}`,
          one,
          appId,
          DEVICES,
          i,
        ])
      }
    },
    stop,
  }
}
