import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../src/config.ts'
import { checkBlocks } from '../src/domain/gateways/service.ts'
import { encryptPush } from '../src/domain/gateways/web/encrypt.ts'
import { vapidTokens } from '../src/domain/gateways/web/vapid.ts'
import { makeVapidKey } from '../src/domain/gateways/web/vapid-keys.ts'
import { openProgram } from '../src/open.ts'
import type { Sql } from '../src/platform/db/connect.ts'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import { load, openCaller, type Request } from './support/http.ts'
import { PARSE_KEYS, type ParseSettings } from './support/parse-server.ts'
import { installPeers, loadPeer } from './support/peer-packages.ts'
import type { Result } from './support/result.ts'

export interface PeersOptions {
  connections: number
  /** Duration of each kind of call (ms). */
  ms: number
  /** Number of devices that get the push. */
  devices: number
}

interface SandboxReady {
  urls: { http: string; apns: string; apnsSandbox: string }
  environment: Record<string, string>
}

interface SandboxCredentials {
  p8: { p8: string; keyId: string; teamId: string }
  p12: { topics: string[] }
}

const WARM_UP_MS = 1000

/**
 * Measures other products beside ours in one run: Parse Server on PostgreSQL, `@parse/node-apn` and `web-push`. They come from the
 * npm registry. Both servers have a PostgreSQL database that syncs to disk, and both push to the APNs of the sandbox.
 */
export async function benchPeers(options: PeersOptions): Promise<Result[]> {
  installPeers()
  const program = await openExecutable()
  const sandbox = await start<SandboxReady>(program, ['sandbox', '--keep', '0'])
  try {
    const credentials = (await getJson(`${sandbox.ready.urls.http}/credentials`)) as SandboxCredentials
    const parse = await measureParse(options, sandbox.ready, credentials)
    const ours = await measureOurs(options, sandbox.ready, credentials)
    const rows = (['store an installation', 'save an object'] as const).map(
      (name): Result => ({
        name: `peers: ${name}`,
        value: ours[name],
        unit: 'calls/s',
        against: { name: 'Parse Server', value: parse[name] },
      }),
    )
    const pushes: Result = {
      name: 'peers: push by APNs',
      value: ours.push.rate,
      unit: 'pushes/s',
      against: { name: 'Parse Server', value: parse.push.rate },
      note: `${options.devices} devices, ${ours.push.lost} lost; Parse Server lost ${parse.push.lost}`,
    }
    return [...rows, pushes, await compareEncryption()]
  } finally {
    await sandbox.stop()
  }
}

type Rates = Record<'store an installation' | 'save an object', number> & { push: Pushed }

async function measureParse(
  { connections, ms, devices }: PeersOptions,
  { urls }: SandboxReady,
  { p8, p12 }: SandboxCredentials,
): Promise<Rates> {
  const db = await openDatabase('postgres')
  // Its client connects to the port in `address`, unless `port` names another one, which has a default.
  const { host: address, port } = new URL(urls.apns)
  const ca = await (await fetch(`${urls.http}/ca.pem`)).text()
  const token = { key: p8.p8, keyId: p8.keyId, teamId: p8.teamId }
  const apns = { token, topic: p12.topics[0], address, port: Number(port), ca, production: true }
  const settings: ParseSettings = { databaseURI: db.url!, push: { ios: apns } }
  const program = {
    command: process.execPath,
    args: [`${import.meta.dirname}/support/parse-server.ts`],
    name: 'Parse Server',
  }
  try {
    const server = await start<{ listening: string }>(program, [JSON.stringify(settings)])
    const headers = {
      'X-Parse-Application-Id': PARSE_KEYS.applicationId,
      'X-Parse-Master-Key': PARSE_KEYS.masterKey,
    }
    try {
      const address = server.ready.listening
      const rate = measureCalls({ address, credentials: '', connections, ms, headers })
      const save = await rate((number) => ({ method: 'POST', path: '/classes/Score', body: objectOf(number) }))
      const install = await rate(() => ({ method: 'POST', path: '/installations', body: parseInstallation() }))
      await storeParseDevices({ address, connections, headers, devices, topic: p12.topics[0]! })
      const where = { deviceType: 'ios', channels: { $in: ['bench'] } }
      const pushed = await measurePush(urls.http, devices, async () => {
        const body = JSON.stringify({ where, data: { alert: 'Out of the oven until six.' } })
        return fetch(`${address}/push`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        })
      })
      return { 'save an object': save, 'store an installation': install, push: pushed }
    } finally {
      await server.stop()
    }
  } finally {
    await db.drop()
  }
}

const apnsToken = () => `${randomUUID()}${randomUUID()}`.replaceAll('-', '')
const parseInstallation = () => ({ deviceType: 'ios', deviceToken: apnsToken(), installationId: randomUUID() })
const objectOf = (number: number) => ({ title: `a title ${number}`, n: number, body: 'some text' })

async function storeParseDevices(options: {
  address: string
  headers: Record<string, string>
  connections: number
  devices: number
  topic: string
}): Promise<void> {
  let left = options.devices
  const storeOn = async () => {
    const caller = await openCaller(options.address, '', options.headers)
    while (left-- > 0) {
      const body = { ...parseInstallation(), channels: ['bench'], appIdentifier: options.topic }
      const status = await caller.call({ method: 'POST', path: '/installations', body })
      if (status !== 201) throw new Error(`Parse Server answered ${status}`)
    }
    caller.close()
  }
  await Promise.all(Array.from({ length: options.connections }, storeOn))
}

async function measureOurs(
  { connections, ms, devices }: PeersOptions,
  sandbox: SandboxReady,
  { p8, p12 }: SandboxCredentials,
): Promise<Rates> {
  const db = await openDatabase('postgres')
  const data = await makeDataDirectory({ installs: devices, database: db.url, fill: makeThemApple })
  const { alias, key } = await prepare(data, { mode: 'production', ...p8, topic: p12.topics[0] })
  const environment = { ...data.environment, ...sandbox.environment, APPSVC_LIMITS_NEW_PER_ADDRESS: '0' }
  try {
    const server = await start<{ listening: string }>(
      await openExecutable(),
      ['serve', '--port', '0', '--data-dir', data.dir],
      environment,
    )
    try {
      const address = server.ready.listening
      const devicesCall = measureCalls({ address, credentials: data.deviceKey, connections, ms })
      const restCall = measureCalls({ address, credentials: `${key}:`, connections, ms })
      const path = `/data/v1/data/${alias}`
      const save = await restCall((number) => ({ method: 'POST', path, body: objectOf(number) }))
      const pushed = await measurePush(sandbox.urls.http, devices, () =>
        fetch(`${address}/messages/v2/notifications`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(data.serverKey)}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            target: { broadcast: true },
            content: { title: 'Fresh bread', message: 'Out of the oven until six.' },
          }),
        }),
      )
      const install = await devicesCall(() => firstUpload())
      return { 'save an object': save, 'store an installation': install, push: pushed }
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

const makeThemApple = async (trx: Sql, appId: number): Promise<void> => {
  await trx.raw(`UPDATE installs SET platform = 1, os = 'iOS', token = lpad(to_hex(id), 64, 'a') WHERE app_id = ?`, [
    appId,
  ])
}

/** Gives the app its gateway, a data table and a key for it. */
async function prepare({ dir, environment, app }: DataDirectory, ios: object): Promise<{ alias: string; key: string }> {
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config })
  const blocks = await checkBlocks({ ios }, Date.now())
  const plain = { required: false, unique: false, indexed: false, default: null, references: null }
  const columns = [
    { ...plain, name: 'title', type: 'string' as const },
    { ...plain, name: 'n', type: 'integer' as const },
    { ...plain, name: 'body', type: 'text' as const },
  ]
  try {
    return await program.inTransaction(async (tx) => {
      await tx.gateways.configure(app.id, blocks)
      const { alias } = await tx.tables.create(app.id, 'scores', columns)
      return { alias, key: (await tx.restKeys.create(app.id, { permissions: ['create'] })).key }
    })
  } finally {
    await program.close()
  }
}

function firstUpload(): Request {
  const event = (type: string, data: object) => ({ uuid: randomUUID(), timestamp: Date.now(), type, data })
  const events = [event('k.push.deviceRegistered', { token: apnsToken(), type: 1 })]
  return { method: 'POST', path: `/events/v1/app-installs/${randomUUID()}/events`, body: events }
}

function measureCalls(options: {
  address: string
  credentials: string
  connections: number
  ms: number
  headers?: Record<string, string>
}) {
  return async (request: (number: number) => Request): Promise<number> => {
    await load({ ...options, ms: WARM_UP_MS, request })
    return (await load({ ...options, request })).rate
  }
}

interface Pushed {
  /** Pushes per second, from the request until the gateway got the last one. */
  rate: number
  /** The number that the gateway did not get. */
  lost: number
}

const GIVE_UP_MS = 10_000

async function measurePush(sandbox: string, devices: number, push: () => Promise<Response>): Promise<Pushed> {
  await fetch(`${sandbox}/messages`, { method: 'DELETE' })
  const began = performance.now()
  const response = await push()
  if (!response.ok) throw new Error(`the push got ${response.status}: ${await response.text()}`)
  let last = { taken: 0, at: began }
  while (last.taken < devices && performance.now() - last.at < GIVE_UP_MS) {
    const { taken } = (await getJson(`${sandbox}/counts`)) as { taken: number }
    if (taken > last.taken) last = { taken, at: performance.now() }
    await sleep(20)
  }
  return { rate: (last.taken / (last.at - began)) * 1000, lost: devices - last.taken }
}

interface WebPushModule {
  default: {
    generateRequestDetails(subscription: object, payload: string, options: object): { body: Buffer }
    generateVAPIDKeys(): { publicKey: string; privateKey: string }
  }
}

const ENCRYPTIONS = 4000

/** Messages for browsers that one thread builds per second: encrypted, with the token for the push service. */
async function compareEncryption(): Promise<Result> {
  const { default: webPush } = await loadPeer<WebPushModule>('web-push')
  const subscriber = webPush.generateVAPIDKeys()
  const auth = Buffer.alloc(16, 1)
  const keys = { p256dh: subscriber.publicKey, auth: auth.toString('base64url') }
  const endpoint = 'https://push.example.com/send/1'
  const text = JSON.stringify({ title: 'Fresh bread', msg: 'Out of the oven.' })
  const theirKeys = webPush.generateVAPIDKeys()
  const vapidDetails = { subject: 'mailto:a@example.com', ...theirKeys }
  const theirs = rateOf(() => {
    webPush.generateRequestDetails({ endpoint, keys }, text, { vapidDetails, contentEncoding: 'aes128gcm' })
  })
  const key = makeVapidKey(Date.now())
  const tokens = vapidTokens('mailto:a@example.com')
  const decoded = { p256dh: Buffer.from(keys.p256dh, 'base64url'), auth }
  const bytes = Buffer.from(text)
  const ours = rateOf(() => {
    encryptPush(bytes, decoded)
    tokens.header(key, 'https://push.example.com', Date.now())
  })
  return {
    name: 'peers: build a push for a browser',
    value: ours,
    unit: 'pushes/s',
    against: { name: 'web-push', value: theirs },
    note: 'one thread, nothing sent',
  }
}

function rateOf(once: () => void): number {
  for (let i = 0; i < ENCRYPTIONS / 4; i++) once()
  const before = process.cpuUsage()
  for (let i = 0; i < ENCRYPTIONS; i++) once()
  const { user, system } = process.cpuUsage(before)
  return (ENCRYPTIONS * 1e6) / (user + system)
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.json()
}
