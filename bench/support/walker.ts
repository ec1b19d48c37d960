/**
 * The fan-out loop alone on a filled database, in a process of its own, so that its memory can be measured: the job that the
 * program runs, with a clock that can be moved. `bench/audience.ts` starts it and sends tasks over IPC.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config.ts'
import type { NewGeofence } from '../../src/domain/geofences/types.ts'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { openProgram } from '../../src/open.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { type Program } from '../../src/program.ts'
import { fanOutDue } from '../../src/workers/jobs/fan-out.ts'
import { createWake } from '../../src/workers/jobs/job.ts'
import { timeWrites } from './write-times.ts'

/** The parameters of the walker. */
export interface WalkerData {
  dir: string
  environment: Record<string, string>
  appId: number
}

/** A task: read all installs with a bare statement, or fan one notification out. */
export type Order = { kind: 'bare' } | NotificationOrder

export interface NotificationOrder {
  kind: 'notification'
  form: object
  /** Created right before, and then the target. */
  fence?: NewGeofence
}

export interface Walked {
  /** Number of installs that became recipients, or that the bare statement read. */
  meant: number
  /** Total duration of the fan-out (ms), without the time between the instants of a schedule. */
  ms: number
  /** Time from when the run was due until its first page could be claimed (ms). */
  firstPageMs: number
  /** Processor time of the fan-out in all threads (ms). */
  cpuMs: number
  /** The longest time that other writers had to wait (ms). */
  longestWriteMs: number
  /** Resident memory before the fan-out, and its peak during it (MB). */
  rssBefore: number
  rssPeak: number
}

const LOOK_MS = 4
const MB = 1024 * 1024

let shift = 0
let writes = { longest: 0, sum: 0 }
const wake = createWake()
const clock = {
  ...systemClock,
  now: () => Date.now() + shift,
  sinceBoot: () => systemClock.sinceBoot() + shift,
}

async function main({ dir, environment, appId }: WalkerData): Promise<void> {
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config, clock, pool: 2, wake: () => wake.ring() })
  writes = timeWrites(program)
  await program.inTransaction((tx) =>
    tx.gateways.configure(appId, { android: { secret: {}, facts: { warnings: [] }, sendable: true } }),
  )
  const stop = new AbortController()
  const running = fanOutDue({
    program,
    owner: 'bench/0',
    signal: stop.signal,
    wake,

    tick() {},
  })
  process.on('message', (order: Order | 'stop') => {
    if (order === 'stop') {
      stop.abort()
      void running.then(() => program.close()).then(() => process.disconnect())
      return
    }
    const work = order.kind === 'bare' ? walkBare(program, appId) : fanOut(program, appId, order)
    work.then(
      (walked) => process.send!(walked),
      (error: unknown) => process.send!({ error: String(error) }),
    )
  })
  process.send!('ready')
}

async function walkBare({ kernel: { db } }: Program, appId: number): Promise<Walked> {
  const began = performance.now()
  let meant = 0
  for (let after = 0; ; ) {
    const rows = rowsOf<{ id: number }>(
      await db.read.raw(
        'SELECT id FROM installs WHERE app_id = ? AND platform = 2 AND id > ? AND subscribed ORDER BY id LIMIT 1000',
        [appId, after],
      ),
    )
    meant += rows.length
    if (rows.length < 1000) break
    after = rows.at(-1)!.id
  }
  const ms = performance.now() - began
  return { meant, ms, cpuMs: 0, firstPageMs: 0, longestWriteMs: 0, rssBefore: 0, rssPeak: 0 }
}

async function fanOut(program: Program, appId: number, { form, fence }: NotificationOrder): Promise<Walked> {
  const { read } = program.kernel.db
  const made = fence && (await program.inTransaction((tx) => tx.geofences.create(appId, fence)))
  const body = parseJson(messagesForm, made ? { ...form, target: { geofenceIds: [made.id] } } : form)
  globalThis.gc?.()
  const rssBefore = process.memoryUsage.rss() / MB
  let rssPeak = rssBefore
  const { notification } = await program.inTransaction((tx) =>
    tx.sends.accept(appId, SOURCE.messages, fromMessagesForm(body)),
  )
  writes.longest = 0
  const cpuBefore = process.cpuUsage()
  const { id } = notification!
  let firstPageMs = 0
  let ms = 0
  for (;;) {
    const next = await program.ledger.nextRunAt()
    if (next === undefined) break
    shift = Math.max(shift, next - Date.now())
    const began = performance.now()
    wake.ring()
    do {
      await sleep(LOOK_MS)
      if (firstPageMs === 0 && (await read('pages').where({ notification_id: id }).first('id'))) {
        firstPageMs = ms + performance.now() - began
      }
      rssPeak = Math.max(rssPeak, process.memoryUsage.rss() / MB)
    } while ((await program.ledger.dueRuns(clock.now(), 1)).length > 0)
    ms += performance.now() - began
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuMs = (user + system) / 1000
  const { audience: meant } = await program.ledger.counts(appId, id)
  return { meant, ms, cpuMs, firstPageMs, longestWriteMs: writes.longest, rssBefore, rssPeak }
}

await main(JSON.parse(process.argv[2]!) as WalkerData)
