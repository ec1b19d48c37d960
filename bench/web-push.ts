import { spawnSync } from 'node:child_process'
import { checkBlocks } from '../src/domain/gateways/service.ts'
import { openWeb } from '../src/domain/gateways/web/client.ts'
import { encryptPush } from '../src/domain/gateways/web/encrypt.ts'
import { mergeWeb, type WebFacts, type WebSecret } from '../src/domain/gateways/web/key-ring.ts'
import { vapidTokens } from '../src/domain/gateways/web/vapid.ts'
import { openEitherPool } from '../src/platform/http2/either.ts'
import type { PushRequest } from '../src/platform/http2/types.ts'
import { openExecutable, start } from './support/executable.ts'
import { percentile, type Result } from './support/result.ts'

interface Subscription {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

/** Requests in flight: as many as a delivery thread has. */
const WINDOW = 400
const BROWSERS = 1000
const ROUNDS = 5
const ENCRYPTIONS = 2000

/**
 * Measures Web Push with the sandbox in a process of its own, which decrypts and checks every push. The baseline is a plain sender that
 * uses the same pool and one token, with bodies that were encrypted beforehand. The processor time is that of the sender alone.
 * Encryption alone is compared with the key agreement of the `openssl` command. The rounds take turns, and each row is a median.
 */
export async function benchWebPush({ pushes }: { pushes: number }): Promise<Result[]> {
  const program = await openExecutable()
  const sandbox = await start<{ urls: { http: string } }>(program, ['sandbox', '--keep', '0'])
  try {
    const { http } = sandbox.ready.urls
    const ca = [await (await fetch(`${http}/ca.pem`)).text()]
    const { web } = await checkBlocks({ web: {} }, Date.now())
    const merged = mergeWeb(web!, undefined, Date.now())
    const secret = merged.secret as WebSecret
    const browsers: Subscription[] = []
    for (let i = 0; i < BROWSERS; i++) browsers.push(await subscribe(http, secret.keys[0]!.publicKey))
    const recipients = browsers.map((browser) => ({ token: browser.endpoint, keys: JSON.stringify(browser) }))

    const sender = openWeb({ secret, facts: merged.facts as WebFacts }, { ca, allowPrivate: true }, Date.now)
    const prepared = sender.prepare({
      content: {
        notificationId: 1,
        title: 'Fresh bread',
        message: 'Out of the oven.',
        background: false,
        ios: {},
        android: {},
      },
      expiresAt: Date.now() + 86_400_000,
      replacementKey: 'bench',
    })
    const ours = async (i: number) => {
      const outcome = await sender.send(prepared, recipients[i % BROWSERS]!)
      if (outcome.kind !== 'accepted') throw new Error(`the sender got ${JSON.stringify(outcome)}`)
    }

    const plainRequests = encryptAll(browsers, secret)
    const pool = openEitherPool({ origin: new URL(browsers[0]!.endpoint).origin, ca })
    const plain = async (i: number) => {
      const { status } = await pool.request(plainRequests[i % BROWSERS]!)
      if (status !== 201) throw new Error(`the plain sender got ${status}`)
    }

    // Warm-up: opens the one connection of each sender, compiles code and fills caches.
    for (const warm of [ours, plain]) {
      await warm(0)
      await run(warm, 2000)
    }
    const plainRuns: Run[] = []
    const ourRuns: Run[] = []
    const encryptions: number[] = []
    const agreements: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      plainRuns.push(await run(plain, pushes / ROUNDS))
      ourRuns.push(await run(ours, pushes / ROUNDS))
      const agreement = agreementsPerSecond()
      if (agreement !== undefined) agreements.push(agreement)
      encryptions.push(encryptionsPerSecond(browsers[round]!))
    }
    await Promise.all([sender.close(), pool.close()])
    const middle = (runs: readonly Run[], of: keyof Run) =>
      percentile(
        runs.map((one) => one[of]),
        0.5,
      )
    return [
      {
        name: 'web push throughput',
        value: middle(ourRuns, 'rate'),
        unit: 'pushes/s',
        against: { name: 'plain sender', value: middle(plainRuns, 'rate') },
        note: `${pushes} pushes to ${BROWSERS} browsers; the sandbox decrypts all`,
      },
      {
        name: 'web push CPU',
        value: middle(ourRuns, 'cpu'),
        unit: 'us/push',
        against: { name: 'plain sender', value: middle(plainRuns, 'cpu') },
      },
      {
        name: 'web push encryption alone',
        value: percentile(encryptions, 0.5),
        unit: 'messages/s of a core',
        ...(agreements.length > 0 && {
          against: { name: 'openssl speed ecdhp256', value: percentile(agreements, 0.5) },
        }),
        note: 'a key pair, an agreement and the record for each; openssl: an agreement alone',
      },
    ]
  } finally {
    await sandbox.stop()
  }
}

function encryptAll(browsers: readonly Subscription[], secret: WebSecret): PushRequest[] {
  const origin = new URL(browsers[0]!.endpoint).origin
  const authorization = vapidTokens(secret.subject).header(secret.keys[0]!, origin, Date.now())
  const headers = { ttl: '86400', 'content-encoding': 'aes128gcm', urgency: 'normal', topic: 'bench', authorization }
  return browsers.map(({ endpoint, keys }) => {
    const text = Buffer.from(
      JSON.stringify({
        title: 'Fresh bread',
        msg: 'Out of the oven.',
        data: { 'k.message': { type: 1, data: { id: 1 } } },
      }),
    )
    const [p256dh, auth] = [Buffer.from(keys.p256dh, 'base64url'), Buffer.from(keys.auth, 'base64url')]
    return { path: new URL(endpoint).pathname, headers, body: encryptPush(text, { p256dh, auth }) }
  })
}

/** Messages that one core encrypts in a second, by processor time. */
function encryptionsPerSecond({ keys }: Subscription): number {
  const text = Buffer.alloc(150, 'x')
  const to = { p256dh: Buffer.from(keys.p256dh, 'base64url'), auth: Buffer.from(keys.auth, 'base64url') }
  const before = process.cpuUsage()
  for (let i = 0; i < ENCRYPTIONS; i++) encryptPush(text, to)
  const { user, system } = process.cpuUsage(before)
  return (ENCRYPTIONS / (user + system)) * 1e6
}

/** Key agreements that `openssl speed` makes in a second of processor time; undefined if it is not installed. */
function agreementsPerSecond(): number | undefined {
  const { stdout } = spawnSync('openssl', ['speed', '-seconds', '1', 'ecdhp256'], { encoding: 'utf8' })
  const rate = Number(/ecdh \(nistp256\)\s+\S+\s+([\d.]+)/.exec(stdout ?? '')?.[1])
  return rate > 0 ? rate : undefined
}

interface Run {
  /** Pushes per second. */
  rate: number
  /** Processor time of this process per push (µs). */
  cpu: number
}

async function run(send: (i: number) => Promise<void>, count: number): Promise<Run> {
  let next = 0
  const sendOn = async () => {
    while (next < count) await send(next++)
  }
  const before = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: WINDOW }, sendOn))
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  return { rate: (count / ms) * 1000, cpu: (user + system) / count }
}

async function subscribe(http: string, publicKey: string): Promise<Subscription> {
  const response = await fetch(`${http}/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey }),
  })
  if (response.status !== 201) throw new Error(`POST /subscriptions got ${response.status}`)
  return (await response.json()) as Subscription
}
