import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadConfig } from '../../src/config.ts'
import type { NewApp } from '../../src/domain/apps/types.ts'
import { checkBlocks } from '../../src/domain/gateways/service.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { openProgram } from '../../src/open.ts'
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import type { Program } from '../../src/program.ts'
import type { Plan, Received, Sandbox } from '../../src/sandbox/sandbox.ts'
import { run } from '../cli/cli.ts'
import { builtProgram } from './built-program.ts'
import { eventually, PATIENCE_MS } from './eventually.ts'
import { type Answer, basic } from './http.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from './postgres.ts'
import type { DatabaseKind } from './program.ts'
import { openSandbox } from './sandbox.ts'

export interface Report {
  id: number
  status: number
  createdAt: string
  counts: {
    audience: number
    pending: number
    accepted: number
    failed: number
    expired: number
    cancelled: number
    skipped: number
    unknown: number
    failures: { kind: string; reason: string; count: number }[]
  }
}

export interface LaneStatus {
  platform: string
  held: boolean
  kind?: string
  reason?: string
}

export interface ApplianceOptions {
  androids?: number
  iphones?: number
  /** Default: sqlite. */
  kind?: DatabaseKind
  /** An empty PostgreSQL database to use, which the caller drops. */
  url?: string
  /** More `APPSVC_*` for the server. */
  environment?: Record<string, string>
}

/** `appsvc serve` as a process of its own on a data directory with installs, sending to a sandbox in this process. */
export interface Appliance {
  sandbox: Sandbox
  first: NewApp
  dir: string
  /** Settings that make commands work on its database and send to its sandbox. */
  environment: Record<string, string>
  /** `wrapper` is a command that the server's is appended to. */
  start(environment?: Record<string, string>, wrapper?: string[]): Promise<void>
  /** Works on the same database in this process, by another clock when there is one. */
  inside<T>(work: (program: Program) => Promise<T>, clock?: Clock): Promise<T>
  /** The log of all starts together. */
  log(): string
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; ms: number }>
  /** Resolves when the process ends by itself. */
  ended(): Promise<void>
  /** One scrape of `/metrics`. */
  metrics(): Promise<string>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a file as `multipart/form-data`. */
  upload(path: string, file: Blob, name: string): Promise<Answer>
  broadcast(): Promise<number>
  report(id: number): Promise<Report>
  /** The report when the notification is through; rejects when it never is. */
  finished(id: number): Promise<Report>
  lane(platform: string): Promise<LaneStatus>
  /** The number of installs that the server still counts as subscribed. */
  subscribed(): Promise<number>
  /** Resolves with the nth send call from now on that `match` takes; rejects when it does not come in time. */
  message(nth: number, match?: (message: Received) => boolean): Promise<void>
  close(): Promise<void>
}

export const androidToken = (i: number) => `android-${i}-${'x'.repeat(120)}`
export const appleToken = (i: number) => i.toString(16).padStart(64, 'a')

export async function openAppliance({
  androids = 0,
  iphones = 0,
  kind = 'sqlite',
  url: given,
  environment = {},
}: ApplianceOptions): Promise<Appliance> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-appliance-'))
  const data = join(dir, 'data')
  const sandbox = await openSandbox({ keep: 0 })
  await sandbox.writeFiles(join(dir, 'sandbox'))
  const url = given ?? (kind === 'postgres' ? await freshPostgresDatabase() : undefined)
  const first = await populate(data, sandbox, { androids, iphones, url })
  const settings = {
    ...sandbox.environment,
    APPSVC_GATEWAYS_CA_FILE: join(dir, 'sandbox', 'ca.pem'),
    APPSVC_LOG_LEVEL: 'warn',
    // Patience is tested where the clock is ours.
    APPSVC_DELIVERY_RAMP: '0',
    ...(url && { APPSVC_DATABASE_URL: url }),
    ...environment,
  }
  let child: ChildProcess | undefined
  let exit: Promise<unknown[]> | undefined
  let address = ''
  let said = ''

  async function answerTo(path: string, request: RequestInit): Promise<Answer> {
    const headers = { authorization: basic(first.apiKey, first.serverKey), ...request.headers }
    const response = await fetch(address + path, { ...request, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  const appliance: Appliance = {
    sandbox,
    first,
    dir: data,
    environment: settings,

    inside: (work, clock) => onDirectory({ dir: data, url, clock }, work),

    async start(more = {}, wrapper = []) {
      const serve = [process.execPath, builtProgram(), 'serve', '--json', '--port', '0', '--data-dir', data]
      const [command, ...argv] = [...wrapper, ...serve]
      const env = { PATH: process.env.PATH, ...settings, ...more }
      child = spawn(command!, argv, { stdio: ['ignore', 'pipe', 'pipe'], env })
      exit = once(child, 'exit')
      child.stderr!.on('data', (chunk) => (said += chunk))
      const lines = createInterface({ input: child.stdout! })
      const [line] = (await Promise.race([once(lines, 'line'), exit.then(() => [])])) as [string?]
      if (line === undefined) throw new Error(`the server ended at once: ${said}`)
      address = (JSON.parse(line) as { listening: string }).listening
    },

    log: () => said,

    async stop(signal = 'SIGTERM') {
      const began = performance.now()
      child!.kill(signal)
      const [code, by] = (await exit!) as [number | null, string | null]
      return { code, signal: by, ms: performance.now() - began }
    },

    async ended() {
      await within(exit!, PATIENCE_MS, 'the server did not end')
    },

    metrics: async () => (await fetch(`${address}/metrics`)).text(),

    call: (method, path, body, headers = {}) =>
      answerTo(path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),

    upload(path, file, name) {
      const form = new FormData()
      form.set('file', file, name)
      return answerTo(path, { method: 'POST', body: form })
    },

    async broadcast() {
      const body = { target: { broadcast: true }, content: { title: 'Title', message: 'Message' } }
      const answer = await appliance.call('POST', '/messages/v2/notifications', body)
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.body)}`)
      return (answer.body as { notification: { id: number } }).notification.id
    },

    async report(id) {
      return (await appliance.call('GET', `/messages/v2/notifications/${id}`)).body as Report
    },

    async finished(id) {
      let report: Report | undefined
      await eventually(async () => (report = await appliance.report(id)).status > 2, `notification ${id} is finished`)
      return report!
    },

    async lane(platform) {
      const { code, stdout, stderr, json } = await run(['status', '--json', '--data-dir', data])
      if (code !== 0) throw new Error(`appsvc status failed: ${stdout}${stderr}`)
      return json<{ lanes: LaneStatus[] }>().lanes.find((lane) => lane.platform === platform)!
    },

    async subscribed() {
      let count = 0
      for (let page = 1; ; page++) {
        const { body } = await appliance.call('GET', `/crm/v2/users?currentPage=${page}&numberPerPage=1000`)
        const { users } = body as { users: { installs: { subscribedToPushNotifications: boolean }[] }[] }
        if (users.length === 0) return count
        count += users.flatMap((user) => user.installs).filter((i) => i.subscribedToPushNotifications).length
      }
    },

    message(nth, match = () => true) {
      const { promise, resolve } = Promise.withResolvers<void>()
      let left = nth
      const off = sandbox.on('message', (message) => {
        if (match(message) && --left === 0) resolve()
      })
      return within(promise, PATIENCE_MS, `only ${nth - left} of ${nth} messages came`).finally(off)
    },

    async close() {
      if (child && child.exitCode === null && child.signalCode === null) await appliance.stop('SIGKILL')
      await sandbox.close()
      if (url && given === undefined) await dropPostgresDatabase(url)
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return appliance
}

const MINUTE_MS = 60_000
/** Zones a quarter of an hour apart, the eastern one first; none has a summer time. */
const QUARTERS = ['Asia/Dhaka', 'Asia/Kathmandu', 'Asia/Kolkata']
const EASTERN_OFFSET_MS = 6 * 60 * MINUTE_MS

/**
 * Puts all installs into three zones and accepts, as an hour ago, a notification to everybody at a local time. It is due in all
 * of them `dueInMs` from now: the eastern one first, the last half an hour later. Returns its id.
 */
export function acceptInThreeZones(
  one: Pick<Appliance, 'first' | 'inside'>,
  dueInMs = -50 * MINUTE_MS,
): Promise<number> {
  const now = Date.now()
  const due = Math.floor((now + dueInMs) / MINUTE_MS) * MINUTE_MS
  const sendAt = new Date(due + EASTERN_OFFSET_MS).toISOString().slice(0, 16).replace('T', ' ')
  const before = now - 60 * MINUTE_MS + 5 * MINUTE_MS
  const form = parseJson(messagesForm, {
    target: { broadcast: true },
    content: { title: 'Title', message: 'Message' },
    schedule: { sendAt, strategy: 'local', pastTimes: 'ignore' },
  })
  return one.inside(
    async (program) => {
      const zone = QUARTERS.map((name, i) => `WHEN ${i} THEN '${name}'`).join(' ')
      await program.kernel.db.write((trx) =>
        trx('installs').update({ timezone: trx.raw(`CASE id % 3 ${zone} END`), created_at: before - MINUTE_MS }),
      )
      const { notification } = await program.inTransaction((tx) =>
        tx.sends.accept(one.first.id, SOURCE.messages, fromMessagesForm(form)),
      )
      return notification!.id
    },
    { ...systemClock, now: () => before },
  )
}

/** Ends pauses: recipients that were in doubt when a program ended are sent to again at once, instead of up to half a minute later. */
export function endPauses(one: Appliance): Promise<number> {
  return one.inside(({ kernel }) =>
    kernel.db.write((trx) =>
      trx('pages').where({ state: 'queued' }).where('not_before', '>', 0).update({ not_before: 0 }),
    ),
  )
}

/** The counts of the sandbox: how often each recipient got a notification. */
export function receptions(sandbox: Sandbox, tokens: string[], id: number): { lost: number; extra: number } {
  let lost = 0
  let extra = 0
  for (const token of tokens) {
    const count = sandbox.countOf(token, String(id))
    if (count === 0) lost++
    else extra += count - 1
  }
  return { lost, extra }
}

export const tokensOf = (count: number) => Array.from({ length: count }, (_, i) => androidToken(i))

/** A plan of one kind of trouble at one gateway. */
export const trouble = (effect: NonNullable<Plan['rules']>[number]['effect'], match: object): Plan => ({
  rules: [{ match, effect }],
})

async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(what)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The installs of the largest audience so far, without gateways: making thousands takes seconds, copying them does not. */
const populations = new Map<string, Promise<{ dir: string; first: NewApp }>>()
process.once('exit', () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true })
})
const made: string[] = []

interface Population {
  androids: number
  iphones: number
  url?: string | undefined
}

async function populate(data: string, sandbox: Sandbox, { url, ...many }: Population): Promise<NewApp> {
  const first = url ? await fillDirectory({ dir: data, url }, many) : await copyPopulation(data, many)
  const { p12, serviceAccount } = sandbox.credentials
  const blocks = await checkBlocks(
    { ios: { p12: p12.p12, password: p12.password, mode: 'production' }, android: { serviceAccount } },
    Date.now(),
  )
  await onDirectory({ dir: data, url }, (program) =>
    program.inTransaction((tx) => tx.gateways.configure(first.id, blocks)),
  )
  return first
}

async function copyPopulation(data: string, many: Population): Promise<NewApp> {
  const key = `${many.androids} ${many.iphones}`
  let population = populations.get(key)
  if (!population) populations.set(key, (population = makePopulation(many)))
  const { dir, first } = await population
  cpSync(dir, data, { recursive: true })
  return first
}

async function makePopulation(many: Population): Promise<{ dir: string; first: NewApp }> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-population-'))
  made.push(dir)
  return { dir, first: await fillDirectory({ dir }, many) }
}

function fillDirectory(where: Where, { androids, iphones }: Population): Promise<NewApp> {
  const tokens = [
    ...Array.from({ length: androids }, (_, i) => ({ type: 2, token: androidToken(i) })),
    ...Array.from({ length: iphones }, (_, i) => ({ type: 1, token: appleToken(i), bundleId: 'com.example.app' })),
  ]
  return onDirectory(where, async (program) => {
    await program.migrate()
    const made = await program.inTransaction((tx) => tx.apps.create({ name: 'First' }))
    for (let i = 0; i < tokens.length; i += 500) {
      await program.inTransaction(async ({ crm }) => {
        for (const { type, token, ...more } of tokens.slice(i, i + 500)) {
          const at = Date.now()
          const install = await crm.ensureInstall(made.id, `install-${type}-${token.slice(0, 80)}`, at)
          await crm.registerToken(made.id, install, { type, token, ...more }, at)
        }
      })
    }
    return made
  })
}

/** A data directory, and a database elsewhere that belongs to it. */
interface Where {
  dir: string
  url?: string | undefined
  clock?: Clock | undefined
}

async function onDirectory<T>({ dir, url, clock }: Where, work: (program: Program) => Promise<T>): Promise<T> {
  const environment = url === undefined ? {} : { APPSVC_DATABASE_URL: url }
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config, clock })
  try {
    return await work(program)
  } finally {
    await program.close()
  }
}
