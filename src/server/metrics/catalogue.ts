import { stat } from 'node:fs/promises'
import packageJson from '../../../package.json' with { type: 'json' }
import { readLastBackup } from '../../domain/backups/last-backup.ts'
import { reportCertificates } from '../../domain/certificates/report.ts'
import { ENDS } from '../../domain/notifications/record/page.ts'
import { STATUS } from '../../domain/notifications/types.ts'
import { databaseFile } from '../../open.ts'
import { AppError } from '../../platform/errors.ts'
import { FAULT_KINDS } from '../../platform/instance/faults.ts'
import { judgeNodes } from '../../platform/instance/nodes.ts'
import { createMetrics, type Metrics } from '../../platform/process/metrics.ts'
import { ZONE_RULES } from '../../platform/time/clock.ts'
import { durationMs } from '../../platform/time/duration.ts'
import { stateOfWebhook, WEBHOOK_STATES } from '../../present/api/webhooks.ts'
import type { Program } from '../../program.ts'
import { CAPS } from '../limits/caps.ts'
import { DOOR_LIMITS } from '../limits/refusals.ts'
import { DURATIONS, type RequestCounts } from './request-counts.ts'

/** Values that the server keeps in memory, of all its HTTP threads. */
export interface MetricSources {
  counts: Pick<RequestCounts, 'list'>
  waitingClicks(): number
}

/** Every metric of the product. docs/operating.md says which ones deserve an alert. */
export interface Catalogue {
  contentType: string
  /** Collects all metrics as text. Does not throw when the database does not answer. */
  text(): Promise<string>
}

/** Maximum wait for the database. Prometheus waits 10 s, and metrics without the database are better than none. */
const PATIENCE_MS = 5000

/** The metrics of a server or, without `sources`, of a worker, which answers no requests. */
export function createCatalogue(program: Program, sources?: MetricSources): Catalogue {
  const metrics = createMetrics('appsvc_')
  metrics
    .gauge({
      name: 'info',
      help: 'Always 1; says which version runs, and which release of the time zone rules it has',
      labels: ['version', 'time_zones'],
    })
    .set({ version: packageJson.version, time_zones: ZONE_RULES }, 1)
  const refreshRequests = sources && requestMetrics(program, metrics, sources)
  const refreshWorkers = workerMetrics(program, metrics)
  const refreshFaults = faultMetrics(program, metrics)
  const refreshBackups = backupMetrics(program, metrics)
  const refreshDatabase = databaseMetrics(program, metrics)

  return {
    contentType: metrics.contentType,
    async text() {
      refreshRequests?.()
      refreshWorkers()
      refreshFaults()
      refreshBackups()
      await refreshDatabase()
      return metrics.text()
    },
  }
}

/** Metrics of the requests that the doors have answered and refused. A worker has none. */
function requestMetrics({ kernel }: Program, metrics: Metrics, sources: MetricSources): () => void {
  const requests = metrics.counter({
    name: 'http_requests_total',
    help: 'Answered HTTP requests',
    labels: ['area', 'route', 'method', 'status'],
  })
  metrics.histogram(
    {
      name: 'http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer',
      labels: ['area', 'route', 'method'],
      buckets: DURATIONS,
    },
    () =>
      sources.counts.list().map(({ area, route, method, durations, seconds }) => ({
        labels: { area, route, method },
        counts: durations,
        sum: seconds,
      })),
  )
  const waitingClicks = metrics.gauge({
    name: 'link_clicks_waiting',
    help: 'Clicks on short links that this process has answered and not written yet; a crash loses them',
  })
  const refusals = metrics.counter({
    name: 'device_refusals_total',
    help: 'Calls of devices that were refused because of a limit of what one of them, or one address, may send an hour',
    labels: ['limit'],
  })
  const doorRefusals = metrics.counter({
    name: 'refusals_total',
    help: 'Calls with wrong keys, and connections, that were refused or cut because of a setting',
    labels: ['limit'],
  })
  return () => {
    waitingClicks.set({}, sources.waitingClicks())
    requests.reset()
    for (const { area, route, method, statuses } of sources.counts.list()) {
      for (const [status, count] of statuses) requests.inc({ area, route, method, status }, count)
    }
    refusals.reset()
    // All from the start, as below.
    doorRefusals.reset()
    for (const limit of DOOR_LIMITS) doorRefusals.inc({ limit }, kernel.refusals.get(limit) ?? 0)
    for (const limit of CAPS) refusals.inc({ limit }, kernel.refusals.get(limit) ?? 0)
  }
}

/** Reports of the worker threads: their last turn, and results of recipients. */
function workerMetrics({ kernel }: Program, metrics: Metrics): () => void {
  const ages = metrics.gauge({
    name: 'worker_tick_age_seconds',
    help: 'Time since a worker thread last said that it turns',
    labels: ['worker'],
  })
  const recipients = metrics.counter({
    name: 'recipients_total',
    help: 'Recipients by what became of them, as recorded by the delivery threads of this process',
    labels: ['outcome'],
  })
  return () => {
    const now = kernel.clock.monotonic()
    ages.reset()
    for (const [worker, at] of kernel.ticks) ages.set({ worker }, Math.max(0, now - at) / 1000)
    recipients.reset()
    // All series exist from the start: one that appears with its first failure shows no increase to alert on.
    for (const outcome of ENDS) recipients.inc({ outcome }, kernel.outcomes.get(outcome) ?? 0)
  }
}

/** Faults of the process, and free disk space. */
function faultMetrics({ kernel }: Program, metrics: Metrics): () => void {
  const faults = metrics.gauge({
    name: 'fault',
    help: 'How many things of a kind are wrong now; /readyz, appsvc status and the log name them',
    labels: ['kind'],
  })
  const free = metrics.gauge({ name: 'disk_free_bytes', help: 'Free space where the database is' })
  const mark = metrics.gauge({ name: 'disk_low_water_bytes', help: 'Below so much free space nothing new is accepted' })
  return () => {
    const known = kernel.faults.list()
    // All from the start, as above.
    for (const kind of FAULT_KINDS) faults.set({ kind }, known.filter((fault) => fault.kind === kind).length)
    const space = kernel.disk.look()
    if (space) {
      free.set({}, space.free)
      mark.set({}, space.mark)
    } else for (const gauge of [free, mark]) gauge.remove()
  }
}

/** The last backup that the server, or `appsvc backup` to a directory or prefix, has made. */
function backupMetrics({ kernel }: Program, metrics: Metrics): () => void {
  const at = metrics.gauge({
    name: 'backup_last_success_timestamp_seconds',
    help: 'When the last backup that was verified was begun; missing when there was none',
  })
  const bytes = metrics.gauge({ name: 'backup_last_size_bytes', help: 'Size of the last backup' })
  const seconds = metrics.gauge({ name: 'backup_last_duration_seconds', help: 'How long the last backup took' })
  const failing = metrics.gauge({
    name: 'backup_failing',
    help: '1 when the last attempt to make a backup failed, else 0',
  })
  const interval = metrics.gauge({
    name: 'backup_interval_seconds',
    help: 'Setting backup.every; missing when backup.to is not set',
  })
  const { 'backup.to': to, 'backup.every': every } = kernel.config
  if (to !== '') interval.set({}, durationMs(every)! / 1000)
  return () => {
    const { good, failure } = readLastBackup(kernel.config.dataDir)
    if (good) {
      at.set(good.at / 1000)
      bytes.set(good.bytes)
      seconds.set(good.seconds)
    } else for (const gauge of [at, bytes, seconds]) gauge.remove()
    if (good || failure || to !== '') failing.set(failure ? 1 : 0)
    else failing.remove()
  }
}

/** Webhooks that a scrape shows one by one: those that were made last. */
const MAX_WEBHOOKS = 200

/** Metrics of webhooks: the number in each state, and how long each has been waiting. */
function webhookMetrics({ webhooks, kernel }: Program, metrics: Metrics): () => Promise<void> {
  const states = metrics.gauge({
    name: 'webhooks',
    help: `Webhooks by state, of the ${MAX_WEBHOOKS} that were made last; failing: the last attempt failed`,
    labels: ['state'],
  })
  const waiting = metrics.gauge({
    name: 'webhook_lag_seconds',
    help: 'How long ago the oldest event was received that a webhook has not got, also of one that is off; 0 when it has got all',
    labels: ['app', 'webhook'],
  })
  return async () => {
    const all = await webhooks.newest(MAX_WEBHOOKS)
    for (const state of WEBHOOK_STATES) states.set({ state }, all.filter((one) => stateOfWebhook(one) === state).length)
    waiting.reset()
    for (const { id, appId, waitingSince } of all) {
      const lag = waitingSince === null ? 0 : Math.max(0, kernel.clock.now() - waitingSince) / 1000
      waiting.set({ app: appId, webhook: id }, lag)
    }
  }
}

function databaseGauges(program: Program, metrics: Metrics) {
  const up = metrics.gauge({ name: 'database_up', help: '1 when the database answered this scrape, else 0' })
  const size = metrics.gauge({ name: 'database_size_bytes', help: 'Size of the database' })
  const wal = metrics.gauge({ name: 'database_wal_size_bytes', help: 'Size of the write-ahead log of SQLite' })
  const oldest = metrics.gauge({
    name: 'oldest_due_age_seconds',
    help: 'How long the oldest recipient who is not through has been due; 0 when nobody is due. The main alarm',
  })
  const open = metrics.gauge({
    name: 'notifications_open',
    help: 'Notifications that are not over yet',
    labels: ['status'],
  })
  const lane = laneMetrics(metrics)
  const refreshWebhooks = webhookMetrics(program, metrics)
  const expires = metrics.gauge({
    name: 'gateway_credential_expires_seconds',
    help: 'How long the credential of a gateway is still valid; negative when it is over. Only those that end',
    labels: ['app', 'platform'],
  })
  const certificates = metrics.gauge({
    name: 'certificate_expires_seconds',
    help: 'How long the certificate of a name is still valid; negative when it is over. Only when the server speaks TLS',
    labels: ['name'],
  })
  const failing = metrics.gauge({
    name: 'certificate_failed_attempts',
    help: 'How often in a row the certificate of a name could not be ordered or renewed',
    labels: ['name'],
  })
  const lag = metrics.gauge({
    name: 'follower_lag_seconds',
    help: 'How long ago the first event was received that a follower of the event log has not done; 0 at its end',
    labels: ['name'],
  })
  const missed = metrics.gauge({
    name: 'follower_missed_timestamp_seconds',
    help: 'When a follower was last found to have missed events, which were forgotten before; only those that did',
    labels: ['name'],
  })
  const nodes = metrics.gauge({
    name: 'nodes',
    help: 'Processes that serve this database: alive and agreeing; disagreeing (alive, of another version or schema than others, or with a wrong clock); gone in the last day without being stopped',
    labels: ['state'],
  })
  return { up, size, wal, oldest, open, lane, refreshWebhooks, expires, certificates, failing, lag, missed, nodes }
}

type DatabaseGauges = ReturnType<typeof databaseGauges>

/** Metrics from the database: queues, their age and state, and the size of the database. */
function databaseMetrics(program: Program, metrics: Metrics): () => Promise<void> {
  const { kernel } = program
  const gauges = databaseGauges(program, metrics)
  const { up, size, wal, oldest, open, lane, expires, certificates, failing, lag, missed, nodes } = gauges
  if (kernel.db.kind === 'postgres') wal.remove()
  return async () => {
    const answered = new AbortController()
    try {
      await Promise.race([measure(program, gauges), kernel.clock.sleep(PATIENCE_MS, answered.signal).then(giveUp)])
      up.set(1)
    } catch (error) {
      kernel.log.warn({ err: error }, 'the database does not answer a scrape of /metrics')
      // Stale values would look current.
      for (const gauge of [open, expires, certificates, failing, lag, missed, nodes, ...Object.values(lane)])
        gauge.reset()
      for (const gauge of [size, wal, oldest]) gauge.remove()
      up.set(0)
    } finally {
      answered.abort()
    }
  }
}

/** Asks the database, and sets the gauges to the answers. */
async function measure(program: Program, gauges: DatabaseGauges): Promise<void> {
  const { kernel, vitals, gateways } = program
  const now = kernel.clock.now()
  const ageOf = (at: number | null | undefined) => (at == null ? 0 : Math.max(0, now - at) / 1000)
  const [lanes, backlogs, oldestDueAt, unfinished, bytes, expiries, followers, reports] = await Promise.all([
    gateways.lanes.list(),
    vitals.backlogs(now),
    vitals.oldestDueAt(now),
    vitals.open(),
    vitals.databaseBytes(),
    gateways.expiries(),
    program.followers.states(),
    reportCertificates({ certificates: program.certificates, config: kernel.config }, now),
  ])
  setCertificates(gauges, reports, now)
  setFollowers(gauges, followers)
  gauges.expires.reset()
  for (const { appId, platform, notAfter } of expiries) {
    gauges.expires.set({ app: appId, platform }, (notAfter - now) / 1000)
  }
  setLanes(gauges, lanes, backlogs, now)
  await gauges.refreshWebhooks()
  const counts = await countNodes(program)
  for (const state of NODE_COUNTS) gauges.nodes.set({ state }, counts[state])
  gauges.oldest.set(ageOf(oldestDueAt))
  for (const status of ['scheduled', 'queued', 'sending'] as const) {
    gauges.open.set({ status }, unfinished.find((one) => one.status === STATUS[status])?.count ?? 0)
  }
  gauges.size.set(bytes)
  if (kernel.db.kind === 'sqlite') gauges.wal.set(await sizeOf(`${databaseFile(kernel.config)}-wal`))
}

function setCertificates(
  { certificates, failing }: DatabaseGauges,
  reports: Awaited<ReturnType<typeof reportCertificates>>,
  now: number,
): void {
  for (const gauge of [certificates, failing]) gauge.reset()
  for (const { names, notAfter, attempts } of reports) {
    for (const name of names) {
      if (notAfter !== null) certificates.set({ name }, (notAfter - now) / 1000)
      failing.set({ name }, attempts)
    }
  }
}

function setFollowers(
  { lag, missed }: DatabaseGauges,
  followers: Awaited<ReturnType<Program['followers']['states']>>,
): void {
  for (const gauge of [lag, missed]) gauge.reset()
  for (const { name, lagSeconds, missedAt } of followers) {
    lag.set({ name }, lagSeconds)
    if (missedAt !== null) missed.set({ name }, missedAt / 1000)
  }
}

function setLanes(
  { lane }: DatabaseGauges,
  lanes: Awaited<ReturnType<Program['gateways']['lanes']['list']>>,
  backlogs: Awaited<ReturnType<Program['vitals']['backlogs']>>,
  now: number,
): void {
  const backlogOf = new Map(backlogs.map((backlog) => [backlog.laneId, backlog]))
  for (const gauge of Object.values(lane)) gauge.reset()
  for (const { id, appId, platform, heldUntil, holdKind, holds } of lanes) {
    const labels = { app: appId, platform }
    const held = heldUntil > now
    const oldestDueAt = backlogOf.get(id)?.oldestDueAt
    lane.held.set({ ...labels, kind: (held && holdKind) || 'none' }, held ? (heldUntil - now) / 1000 : 0)
    lane.holds.set(labels, holds)
    lane.due.set(labels, backlogOf.get(id)?.duePages ?? 0)
    lane.oldest.set(labels, oldestDueAt == null ? 0 : Math.max(0, now - oldestDueAt) / 1000)
  }
}

const NODE_COUNTS = ['alive', 'disagreeing', 'gone'] as const
const DAY_MS = 86_400_000

/** Counts each node once, or not at all when it was stopped as asked. This process serves, so its database is served. */
async function countNodes({ nodes, kernel }: Program): Promise<Record<(typeof NODE_COUNTS)[number], number>> {
  const now = await nodes.now()
  const judged = judgeNodes(await nodes.list(), { now, ...(kernel.db.kind === 'sqlite' && { served: true }) })
  const alive = judged.filter(({ state }) => state === 'alive')
  return {
    alive: alive.filter(({ disagrees }) => disagrees.length === 0).length,
    disagreeing: alive.filter(({ disagrees }) => disagrees.length > 0).length,
    gone: judged.filter(({ state, seenAt }) => state === 'gone' && now - seenAt < DAY_MS).length,
  }
}

function giveUp(): never {
  throw new AppError('unavailable', `the database did not answer within ${PATIENCE_MS} ms`)
}

function laneMetrics({ gauge }: Metrics) {
  const labels = ['app', 'platform'] as const
  return {
    held: gauge({
      name: 'lane_held_seconds',
      help: 'For how long nothing is sent through this gateway of an app; kind says why (none: open)',
      labels: [...labels, 'kind'],
    }),
    holds: gauge({ name: 'lane_holds', help: 'How often in a row the lane was held', labels }),
    due: gauge({ name: 'lane_due_pages', help: 'Pages of recipients that wait and are due', labels }),
    oldest: gauge({
      name: 'lane_oldest_due_age_seconds',
      help: 'How long the oldest waiting page has been due; 0 when none is',
      labels,
    }),
  }
}

/** Zero for a missing file. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
