import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewApp } from '../../src/domain/apps/types.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import type { Lane } from '../../src/domain/gateways/types.ts'
import type { SettingName } from '../../src/platform/config/settings.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { Received, Sandbox } from '../../src/sandbox/sandbox.ts'
import { deliver } from '../../src/workers/jobs/deliver.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { androidToken, appleToken, receptions } from './appliance.ts'
import type { TestClock } from './clock.ts'
import { broadcast } from './delivery.ts'
import { eventually } from './eventually.ts'
import { openTestProgram, type TestAppOptions, type TestProgram } from './program.ts'
import { openSandbox } from './sandbox.ts'

/**
 * The delivery loop as a thread runs it, in this process, sending to a sandbox over real connections. Both go by one clock that
 * the test moves, so that hours of waiting take no time.
 */
export interface GatewayWorld {
  test: TestProgram
  sandbox: Sandbox
  /** Send calls so far, in the order of their arrival; `at` is by the test's clock. */
  seen: Received[]
  /** Adds an app with the same gateways and devices. */
  addApp(): Promise<NewApp>
  /** Sends to everybody of an app: the first one, unless another is named. */
  broadcast(extra?: object, of?: NewApp): Promise<number>
  lane(platform: string): Promise<Lane>
  counts(id: number): ReturnType<TestProgram['program']['ledger']['counts']>
  /** Resolves when nothing is being sent and nothing is due before the clock moves. */
  quiet(): Promise<void>
  /** Moves the clock; the loop looks at once. */
  pass(ms: number): void
  /** Lets time pass, from one due moment to the next, until nobody of the notification waits. */
  finish(id: number): Promise<void>
  /** The number of devices that did not get it, and how often one got it again. */
  receptions(id: number): { lost: number; extra: number }
  subscribed(): Promise<number>
  close(): Promise<void>
}

export interface WorldOptions extends Pick<TestAppOptions, 'kind' | 'pool'> {
  androids?: number
  iphones?: number
  /** Browsers at two push services in turn: 127.0.0.1 and localhost. */
  browsers?: number
  /** Phones without Google at one UnifiedPush server. */
  phones?: number
  huaweis?: number
  settings?: Partial<Record<SettingName, string>>
  /** True without the loop: the test delivers. */
  byHand?: boolean
}

/** A token of Push Kit: 130 characters or so. */
export const huaweiToken = (i: number) => `huawei-${i}-${'x'.repeat(120)}`

export async function openGatewayWorld({
  androids = 0,
  iphones = 0,
  browsers = 0,
  phones = 0,
  huaweis = 0,
  settings = {},
  byHand = false,
  ...options
}: WorldOptions): Promise<GatewayWorld> {
  let clock: TestClock | undefined
  const sandbox = await openSandbox({ keep: 0, clock: { ...systemClock, now: () => clock?.now() ?? Date.now() } })
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-world-'))
  await sandbox.writeFiles(dir)
  const test = await openTestProgram({
    ...options,
    settings: {
      'gateways.apnsUrl': sandbox.urls.apns,
      'gateways.apnsSandboxUrl': sandbox.urls.apnsSandbox,
      'gateways.fcmUrl': sandbox.urls.fcm,
      'gateways.fcmTokenUrl': sandbox.urls.fcmToken,
      'gateways.hcmUrl': sandbox.urls.hcm,
      'gateways.hcmTokenUrl': sandbox.urls.hcmToken,
      'gateways.caFile': join(dir, 'ca.pem'),
      'outbound.allowPrivate': 'true',
      'delivery.ramp': '0',
      'delivery.chunk': '50',
      ...settings,
    },
  })
  // Certificates are judged by the machine's clock.
  test.clock.set(Date.now())
  clock = test.clock
  const { program, first } = test
  const subscriptions = Array.from({ length: browsers }, (_, i) =>
    sandbox.subscribe({ host: i % 2 === 0 ? '127.0.0.1' : 'localhost' }),
  )
  const phoneSubscriptions = Array.from({ length: phones }, () => sandbox.subscribe({ service: 'unifiedpush' }))
  const tokens: { type: number; token: string; more?: object; details?: object }[] = [
    ...Array.from({ length: androids }, (_, i) => ({ type: 2, token: androidToken(i) })),
    ...Array.from({ length: iphones }, (_, i) => ({
      type: 1,
      token: appleToken(i),
      more: { bundleId: 'com.example.app' },
    })),
    ...phoneSubscriptions.map((token) => ({
      type: 3,
      token: token.endpoint,
      more: { token },
      details: { os: { id: 3, version: '15' } },
    })),
    ...subscriptions.map((token) => ({ type: 3, token: token.endpoint, more: { token } })),
    ...Array.from({ length: huaweis }, (_, i) => ({ type: 5, token: huaweiToken(i) })),
  ]
  const { p12, serviceAccount, hcm } = sandbox.credentials
  const blocks = await checkBlocks(
    {
      ios: { p12: p12.p12, password: p12.password, mode: 'production' },
      android: { serviceAccount },
      hcm,
      ...(browsers + phones > 0 && { web: {} }),
    },
    Date.now(),
  )
  const populate = (appId: number) =>
    program.inTransaction(async ({ crm, gateways }) => {
      await gateways.configure(appId, blocks)
      for (const [i, { type, token, more, details }] of tokens.entries()) {
        const install = await crm.ensureInstall(appId, `install-${i}`, test.clock.now())
        if (details) await crm.trackInstall(appId, install, details, test.clock.now())
        await crm.registerToken(appId, install, { type, token, ...more }, test.clock.now())
      }
    })
  await populate(first.id)
  const seen: Received[] = []
  sandbox.on('message', (message) => seen.push(message))
  const stop = new AbortController()
  const wake = createWake()
  const running = byHand ? undefined : deliver({ program, owner: 'world', signal: stop.signal, wake, tick() {} })

  const world: GatewayWorld = {
    test,
    sandbox,
    seen,
    async addApp() {
      const added = await program.inTransaction((tx) => tx.apps.create({ name: 'Another' }))
      await populate(added.id)
      return added
    },
    async broadcast(extra, of = first) {
      const id = await broadcast({ ...test, first: of }, extra)
      wake.ring()
      return id
    },
    lane: async (platform) => (await program.gateways.lanes.list()).find((lane) => lane.platform === platform)!,
    counts: (id) => program.ledger.counts(first.id, id),
    async quiet() {
      await eventually(async () => {
        // Claimed first: a page on its way from due to claimed is seen once at least.
        const due = await program.queue.dueLanes(test.clock.now(), 1)
        return due.length === 0 && (await program.queue.orphans(1, { all: true })).length === 0
      }, 'the delivery is quiet')
    },
    pass(ms) {
      test.clock.advance(ms)
      wake.ring()
    },
    async finish(id) {
      await eventually(async () => {
        await world.quiet()
        if ((await world.counts(id)).pending === 0) return true
        const due = await program.queue.nextDue(test.clock.now())
        world.pass(Math.max(1, due! - test.clock.now()))
        return false
      }, `notification ${id} is through`)
    },
    receptions: (id) =>
      receptions(
        sandbox,
        tokens.map(({ token }) => token),
        id,
      ),
    async subscribed() {
      const rows = await program.kernel.db
        .read('installs')
        .where({ subscribed: true })
        .whereNotNull('token')
        .count({ n: '*' })
      return Number(rows[0]!.n)
    },
    async close() {
      stop.abort()
      await running
      await test.close()
      await sandbox.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return world
}
