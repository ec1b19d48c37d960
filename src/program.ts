import { migrations } from '../migrations/index.ts'
import { wireAdmins } from './domain/admins/wire.ts'
import { wireApprovals } from './domain/approvals/wire.ts'
import { createKeyMemory, type KeyMemory } from './domain/apps/key-memory.ts'
import type { AppDeletion } from './domain/apps/service.ts'
import { wireApps } from './domain/apps/wire.ts'
import type { AimedAt } from './domain/audience/stored.ts'
import { wireAudience } from './domain/audience/wire.ts'
import { wireCertificates } from './domain/certificates/wire.ts'
import { type ChannelsWire, wireChannels } from './domain/channels/wire.ts'
import { wireCheckins } from './domain/checkins/wire.ts'
import { type ConsentWire, wireConsent } from './domain/consent/wire.ts'
import { wireCrashes } from './domain/crashes/wire.ts'
import { type AttributePuts, createAttributePuts } from './domain/crm/attribute-puts.ts'
import { createSigningMemory, type SigningMemory } from './domain/crm/signed-ids/service.ts'
import type { CrmNews } from './domain/crm/store/parts.ts'
import { type CrmWire, wireCrm } from './domain/crm/wire.ts'
import { type ErasuresWire, wireErasures } from './domain/erasures/wire.ts'
import { OWN_EVENTS } from './domain/events/event-types.ts'
import { createUploads, GATHER_UPLOADS_MS, type Uploads } from './domain/events/uploads.ts'
import { type EventsWire, eventLimits, wireEvents } from './domain/events/wire.ts'
import { createLogWatch, type LogWatch } from './domain/followers/log/watch.ts'
import type { Follower } from './domain/followers/types.ts'
import { wireFollowers } from './domain/followers/wire.ts'
import { gatewaySettings } from './domain/gateways/settings.ts'
import { wireGateways } from './domain/gateways/wire.ts'
import { type GeofencesWire, wireGeofences } from './domain/geofences/wire.ts'
import type { Comer } from './domain/imports/types.ts'
import { wireImports } from './domain/imports/wire.ts'
import { type InAppWire, wireInApp } from './domain/in-app/wire.ts'
import { type LabelsWire, wireLabels } from './domain/labels/wire.ts'
import { type LinksWire, wireLinks } from './domain/links/wire.ts'
import { wireLoad } from './domain/load/wire.ts'
import { isBackfiller } from './domain/metrics/backfill.ts'
import { type MetricsWire, wireMetrics } from './domain/metrics/wire.ts'
import { wireNats } from './domain/nats/wire.ts'
import { type NotificationsWire, wireNotifications } from './domain/notifications/wire.ts'
import { wirePersonalization } from './domain/personalization/wire.ts'
import { type PicturesWire, wirePictures } from './domain/pictures/wire.ts'
import { wireProfiles } from './domain/profiles/wire.ts'
import { type PushTemplatesWire, wirePushTemplates } from './domain/push-templates/wire.ts'
import { wireSandbox } from './domain/sandbox/wire.ts'
import type { Use } from './domain/segments/types.ts'
import { type SegmentsWire, wireSegments } from './domain/segments/wire.ts'
import { type SeriesWire, wireSeries } from './domain/series/wire.ts'
import { type StatisticsWire, wireStatistics } from './domain/statistics/wire.ts'
import { createPageMarks, type PageMarks } from './domain/tables/read/page-marks.ts'
import { type Creations, createCreations } from './domain/tables/records/creations.ts'
import { wireTables } from './domain/tables/wire.ts'
import { wireTemplates } from './domain/templates/wire.ts'
import { wireWebhooks } from './domain/webhooks/wire.ts'
import type { Sql, WriteOptions } from './platform/db/connect.ts'
import { BOARDING_MS } from './platform/db/group-commit.ts'
import { type MigrationStatus, migrateUp, migrationStatus, refuseForeignSchema } from './platform/db/migrate.ts'
import { createDiskSpace, type DiskSpace, noDisk } from './platform/files/disk-space.ts'
import { capUsesRepository } from './platform/instance/cap-uses.repository.ts'
import { faultsRepository } from './platform/instance/faults.repository.ts'
import { createFaults, type Faults } from './platform/instance/faults.ts'
import { nodesRepository } from './platform/instance/nodes.repository.ts'
import { refuseWhileOlderRun } from './platform/instance/nodes.ts'
import { instanceRepository } from './platform/instance/repository.ts'
import type { LongReads } from './platform/long-reads/client.ts'
import { type Changes, createChanges } from './platform/threads/changes.ts'
import type { Sharing } from './platform/threads/sharing.ts'
import type { Timekeeper } from './platform/timekeeping/timekeeper.ts'
import { type Base, once } from './platform/wiring.ts'

/** The schema that this program knows, for threads that judge other databases. */
export const schemaSteps = migrations

/** Parts that the areas of a process share: one for the process, whatever database handle they work on. */
export interface Kernel extends Omit<Base, 'sql' | 'afterCommit'> {
  /** Time of the last turn of each worker loop, on the monotonic clock; of its start, if it has not run a turn yet. */
  ticks: Map<string, number>
  /** Errors of worker threads that failed, by the name of each loop. An entry is removed when the loop runs a turn again. */
  breakdowns: Map<string, string>
  /** Gateways that have not answered a request, as reported by each worker thread. */
  silences: Map<string, readonly Silence[]>
  /** Faults of this process. */
  faults: Faults
  /** Free disk space for the database. */
  disk: DiskSpace
  /** Counts of recipients by outcome: in a worker thread since its last report, in the main thread since the start. */
  outcomes: Map<string, number>
  /** Calls of devices that were refused since the start, by the setting whose limit they exceeded. */
  refusals: Map<string, number>
  /** Cache of recently read page offsets of data tables. */
  pageMarks: PageMarks
  /** Cache of valid keys, for this thread. */
  keys: KeyMemory
  /** Cache of the apps' signed-user settings, for this thread. */
  signing: SigningMemory
  /** Tells the caches of all threads what has changed. */
  changes: Changes
  /** The memory that HTTP threads have in common; undefined when there is only one. */
  sharing: Sharing | undefined
  /** Reads on another thread. Absent where nobody else waits for this one: in commands and worker threads. */
  longReads?: LongReads | undefined
  /** Keeps the time for the process; absent in its other threads. */
  timekeeper?: Timekeeper | undefined
  /** The port this program listens on; before it listens, the configured port. */
  port: number
}

/** A gateway of an app that has not answered a request. */
export interface Silence {
  appId: number
  platform: string
  /** Time since when the gateway has not answered (wall clock, ms). */
  since: number
  reason: string
}

/** The program: areas for reading, transactions for writing. */
export interface Program extends Areas {
  kernel: Kernel
  /** Runs `work` with areas that share one transaction, which has committed when this resolves. Never await the network inside. */
  inTransaction<T>(work: (tx: Areas) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Lists all followers of the event log with their positions. */
  follows(): Promise<readonly Follower<Areas>[]>
  /** Lets readers of the event log wait for events. */
  logWatch: LogWatch
  /** Uploads of events; concurrent uploads share transactions. */
  uploads: Uploads
  /** Replaces the attributes of users. */
  putAttributes: AttributePuts
  /** Creation of records; concurrent creations in a table share transactions. */
  creations: Creations
  /** Applies pending migrations; returns their names. */
  migrate(): Promise<string[]>
  /** The migrations that the database has, and the pending ones. */
  schema(): Promise<MigrationStatus>
  /** Throws `config` when a newer program has changed the schema so that this one cannot work on it any more. */
  checkSchema(): Promise<void>
  close(): Promise<void>
}

/** The areas that earlier ones make act. */
interface Later {
  pictures: () => PicturesWire
  crm: () => CrmWire
  consent: () => ConsentWire
  events: () => EventsWire
  metrics: () => MetricsWire
  crashes: () => ReturnType<typeof wireCrashes>
  checkins: () => ReturnType<typeof wireCheckins>
  tables: () => ReturnType<typeof wireTables>
  links: () => LinksWire
  channels: () => ChannelsWire
  segments: () => SegmentsWire
  geofences: () => GeofencesWire
  labels: () => LabelsWire
  inApp: () => InAppWire
  notifications: () => NotificationsWire
  pushTemplates: () => PushTemplatesWire
  series: () => SeriesWire
  nats: () => ReturnType<typeof wireNats>
  webhooks: () => ReturnType<typeof wireWebhooks>
  erasures: () => ErasuresWire
  statistics: () => StatisticsWire
}

/**
 * Makes the functions with which earlier areas ask and call later ones. They are called only when all areas are wired: an area
 * that imported a later one would close a circle.
 */
function callbacks(kernel: Kernel, later: () => Later) {
  const events = () => later().events().events()
  const notifications = () => later().notifications()
  const inApp = () => later().inApp()
  const series = () => later().series().series()

  /** The steps of all areas when an app is deleted. */
  const deletion: AppDeletion = {
    stop: () => [series().endAll, inApp().withdrawAll, notifications().cancelAll],
    clear() {
      const {
        events,
        webhooks,
        metrics,
        series,
        labels,
        notifications,
        crm,
        consent,
        links,
        checkins,
        crashes,
        statistics,
        pictures,
      } = later()
      return [
        events,
        webhooks,
        metrics,
        series,
        labels,
        notifications,
        crm,
        consent,
        links,
        checkins,
        crashes,
        statistics,
        pictures,
      ].flatMap((area) => area().clearings())
    },
    finish: () => [later().tables().tables().dropAll, later().channels().channels().deleteAll],
  }

  /** Records events of users and installs that no device reports. */
  const crmNews: CrmNews = {
    usersCreated: (appId, identifiers) =>
      events().recordAll(
        appId,
        identifiers.map((userIdentifier) => ({ type: OWN_EVENTS.userCreated, userIdentifier, data: null })),
      ),
    installUnreachable: (appId, { row, userIdentifier, reason }) =>
      events().record(appId, {
        type: OWN_EVENTS.installUnreachable,
        installRow: row,
        ...(userIdentifier !== undefined && { userIdentifier }),
        data: { reason },
      }),
  }

  return {
    deletion,
    crmNews,
    /** Actions of the areas on events. */
    eventHandlers: {
      crashes: () => later().crashes().eventHandler(),
      geofences: () => later().geofences().eventHandler(),
      'in-app': () => inApp().eventHandler(),
      notifications: () => notifications().eventHandler(),
    },
    logGrew: () => kernel.changes.tell('events'),
    settingsChanged: () => kernel.changes.tell('linkSettings'),
    linksChanged: () => kernel.changes.tell('links'),
    resultsOfPage: (...of: Parameters<NotificationsWire['resultsOfPage']>) => notifications().resultsOfPage(...of),
    isIdle: (follower: string) => isBackfiller(follower) || later().nats().broker().isIdle(follower),
    geofences: () => later().geofences().forSegments(),
    linkedPushes: () => notifications().linkedPushes(),
    /** Adds up sends that carry a label. */
    labelSums: {
      pushSums: (appId: number, ids: readonly number[]) => notifications().labelSums()(appId, ids),
      messageSums: (appId: number, ids: readonly number[]) => inApp().inAppMessages().sums(appId, ids),
    },
    pushTemplate: (appId: number, uid: string) => later().pushTemplates().pushTemplates().newest(appId, uid),
    erasedAmong: (appId: number, comers: readonly Comer[]) => later().erasures().erasures().erasedAmong(appId, comers),
    /** Names what waits to be sent under this purpose, which then cannot be deleted. */
    awaitedUnder: async (appId: number, uid: string) =>
      (await notifications().awaitingUnder(appId, uid)) ?? (await inApp().awaitingUnder(appId, uid)),
    /** The sends to segments and channels. */
    sendsTo: {
      /** Names what waits to be sent to a segment, which then cannot be deleted. */
      awaitedBy: async (appId: number, segmentId: number) =>
        (await notifications().awaiting(appId, segmentId)) ?? (await inApp().awaiting(appId, segmentId)),
      /** Lists what waits to be sent to a segment or a channel. */
      usedBy: async (appId: number, at: AimedAt, limit: number): Promise<Use[]> => [
        ...(await notifications().aimedAt(appId, at, limit)).map((id) => ({ kind: 'notification' as const, id })),
        ...(await inApp().aimedAt(appId, at, limit)).map((id) => ({ kind: 'in-app message' as const, id })),
      ],
      /** Makes series break that go to a segment which is being deleted. */
      deleted: (appId: number, uuid: string) => series().breakNaming(appId, 'segment', uuid),
    },
    /** Makes series break whose template is being deleted. */
    templateDeleted: (appId: number, uid: string) => series().breakNaming(appId, 'template', uid),
    pushTemplateDeleted: (appId: number, uid: string) => series().breakNaming(appId, 'push template', uid),
    /** Finds the segments that name a metric, which then cannot be deleted. */
    metricNamedBy: (appId: number, name: string) => later().segments().segments().namingMetric(appId, name),
  }
}

type Back = ReturnType<typeof callbacks>

/**
 * Decides who knows whom, here and nowhere else. Makes the areas of one database handle, in the order of the ladder. An area is
 * wired on first use and kept. It is given the areas above it that it uses; where it must reach an area below it, one of the
 * callbacks.
 */
function wireAreas(sql: Sql, afterCommit: Base['afterCommit'], kernel: Kernel) {
  const base: Base = { ...kernel, sql, afterCommit }
  const back: Back = callbacks(kernel, () => wires)
  const upper = wireUpper(base, kernel, back)
  const wires = { ...upper, ...wireLower(base, kernel, back, upper) }
  return wires
}

/** The upper half of the ladder: apps, their people, and data about both. */
function wireUpper(base: Base, kernel: Kernel, back: Back) {
  const apps = once(() => wireApps(base, { deletion: back.deletion, keys: kernel.keys }))
  const admins = once(() => wireAdmins(base, { apps }))
  const gateways = once(() => wireGateways(base))
  const refusalOfEndpoint = (endpoint: string) => gateways().refusalOfEndpoint(endpoint)
  const statistics = once(() => wireStatistics(base))
  const load = once(() => wireLoad(base))
  const pictures = once(() => wirePictures(base, { port: () => kernel.port, iconChanged: back.settingsChanged }))
  const crm = once(() => wireCrm(base, { signing: kernel.signing, refusalOfEndpoint, news: back.crmNews }))
  const consent = once(() => wireConsent(base, { crm, awaitedBy: back.awaitedUnder }))
  const events = once(() => wireEvents(base, { crm, handlers: back.eventHandlers, logGrew: back.logGrew }))
  const followers = once(() => wireFollowers(base, back))
  const metrics = once(() => wireMetrics(base, { followers, namedBy: back.metricNamedBy }))
  const crashes = once(() => wireCrashes(base))
  const checkins = once(() => wireCheckins(base))
  const tables = once(() => wireTables(base, { pageMarks: kernel.pageMarks }))
  const templates = once(() => wireTemplates(base, { deleted: back.templateDeleted }))
  const links = once(() => wireLinks(base, { ...back, events, statistics, port: () => kernel.port }))
  const certificates = once(() => wireCertificates(base, { links }))
  const channels = once(() => wireChannels(base, { crm }))
  const { erasedAmong } = back
  const imports = once(() => wireImports(base, { crm, consent, channels, refusalOfEndpoint, erasedAmong }))
  const segments = once(() =>
    wireSegments(base, { channels, metrics, statistics, geofences: back.geofences, ...back.sendsTo }),
  )
  const geofences = once(() => wireGeofences(base, { events }))
  const audience = once(() => wireAudience(base, { segments }))
  const targets = { apps, crm, consent, channels, segments, geofences, audience }
  const recorded = { events, followers, metrics, crashes, checkins, statistics, load }
  return { ...targets, ...recorded, admins, tables, templates, gateways, pictures, links, certificates, imports }
}

/** The lower half of the ladder: what is sent to the audience, and what needs that. */
function wireLower(base: Base, kernel: Kernel, back: Back, upper: ReturnType<typeof wireUpper>) {
  const { apps, crm, channels, events, followers, gateways, tables } = upper
  const ca = () => gatewaySettings(kernel.config).ca
  const people = once(() => wirePersonalization(base, { apps, tables }))
  const labels = once(() => wireLabels(base, back.labelSums))
  const inApp = once(() => wireInApp(base, { ...upper, people, pushes: back.linkedPushes }))
  const { pushTemplate } = back
  const notifications = once(() => wireNotifications(base, { ...upper, inApp, people, pushTemplate }))
  const pushTemplates = once(() => wirePushTemplates(base, { notifications, deleted: back.pushTemplateDeleted }))
  const series = once(() => wireSeries(base, { audience: upper.audience, inApp, notifications }))
  const approvals = once(() => wireApprovals(base, { apps, notifications, series }))
  const nats = once(() => wireNats(base, { ca }))
  const webhooks = once(() => wireWebhooks(base, { followers }))
  const sandbox = once(() => wireSandbox(base, { gateways, ca }))
  const erasures = once(() => wireErasures(base, { crm, events, channels, notifications }))
  const profiles = once(() => wireProfiles(base, { ...upper, notifications, erasures }))
  const server = once(() => ({
    instance: instanceRepository(base.sql),
    storedFaults: faultsRepository(base.sql),
    nodes: nodesRepository(base.sql),
    capUses: capUsesRepository(base.sql),
  }))
  const sends = { labels, inApp, notifications, pushTemplates, series, approvals }
  return { ...sends, webhooks, nats, sandbox, erasures, profiles, server }
}

/** Parts of the areas that doors and workers use, by name. */
const PARTS = {
  instance: (of) => of.server().instance,
  storedFaults: (of) => of.server().storedFaults,
  nodes: (of) => of.server().nodes,
  capUses: (of) => of.server().capUses,

  apps: (of) => of.apps().apps(),
  restKeys: (of) => of.apps().restKeys(),
  serverKeys: (of) => of.apps().serverKeys(),
  idempotency: (of) => of.apps().idempotency(),

  admins: (of) => of.admins().admins(),
  secondFactor: (of) => of.admins().secondFactor(),
  passkeys: (of) => of.admins().passkeys(),
  adminUpkeep: (of) => of.admins().upkeep(),
  sessions: (of) => of.admins().sessions(),
  signInTries: (of) => of.admins().tries(),
  codeTries: (of) => of.admins().codeTries(),
  personalTokens: (of) => of.admins().tokens(),
  audit: (of) => of.admins().audit(),

  gateways: (of) => of.gateways().gateways(),
  prompts: (of) => of.gateways().prompts(),

  statistics: (of) => of.statistics().statistics(),

  load: (of) => of.load().load(),

  pictures: (of) => of.pictures().pictures(),

  crm: (of) => of.crm().crm(),
  testDevices: (of) => of.crm().testDevices(),
  signedIds: (of) => of.crm().signedIds(),

  purposes: (of) => of.consent().purposes(),
  suppressions: (of) => of.consent().suppressions(),
  refusals: (of) => of.consent().refusals(),

  events: (of) => of.events().events(),
  serverEvents: (of) => of.events().ofServers(),

  eventLog: (of) => of.followers().eventLog(),
  followers: (of) => of.followers().followers(),

  metrics: (of) => of.metrics().metrics(),

  crashes: (of) => of.crashes().crashes(),

  checkins: (of) => of.checkins().checkins(),

  tables: (of) => of.tables().tables(),
  records: (of) => of.tables().records(),
  tableConsequences: (of) => of.tables().consequences(),

  templates: (of) => of.templates().templates(),

  links: (of) => of.links().links(),
  visits: (of) => of.links().visits(),
  banners: (of) => of.links().banners(),
  taps: (of) => of.links().taps(),

  certificates: (of) => of.certificates().certificates(),

  channels: (of) => of.channels().channels(),
  subscriptions: (of) => of.channels().subscriptions(),
  channelImports: (of) => of.channels().channelImports(),
  ingestion: (of) => of.channels().ingestion(),

  imports: (of) => of.imports().imports(),
  userImports: (of) => of.imports().userImports(),

  segments: (of) => of.segments().segments(),
  userSearch: (of) => of.segments().userSearch(),
  segmentSuggestions: (of) => of.segments().suggestions(),

  geofences: (of) => of.geofences().geofences(),
  density: (of) => of.geofences().density(),

  audience: (of) => of.audience().audience(),

  labels: (of) => of.labels().labels(),

  inAppMessages: (of) => of.inApp().inAppMessages(),
  inAppRecipients: (of) => of.inApp().inAppRecipients(),
  inAppWalks: (of) => of.inApp().inAppWalks(),
  replanInApp: (of) => of.inApp().replan(),
  userMessages: (of) => of.inApp().userMessages(),
  inAppReach: (of) => of.inApp().inAppReach(),
  inApp: (of) => of.inApp().inApp(),
  inAppEdits: (of) => of.inApp().edits(),
  inAppFanOut: (of) => of.inApp().inAppFanOut(),
  inAppSync: (of) => of.inApp().inAppSync(),
  inAppRetention: (of) => of.inApp().inAppRetention(),

  sent: (of) => of.notifications().sent(),
  ledger: (of) => of.notifications().ledger(),
  runs: (of) => of.notifications().runs(),
  restraint: (of) => of.notifications().restraint(),
  owners: (of) => of.notifications().owners(),
  personal: (of) => of.notifications().personal(),
  replanPushes: (of) => of.notifications().replan(),
  vitals: (of) => of.notifications().vitals(),
  conservation: (of) => of.notifications().conservation(),
  queue: (of) => of.notifications().queue(),
  notifications: (of) => of.notifications().notifications(),
  sends: (of) => of.notifications().sends(),
  drafts: (of) => of.notifications().drafts(),
  edits: (of) => of.notifications().edits(),
  pushReports: (of) => of.notifications().eventHandler(),
  underWay: (of) => of.notifications().underWay(),
  traces: (of) => of.notifications().traces(),
  deliveries: (of) => of.notifications().deliveries(),
  fanOut: (of) => of.notifications().fanOut(),
  linkedPushes: (of) => of.notifications().linkedPushes(),
  notificationRetention: (of) => of.notifications().retention(),

  pushTemplates: (of) => of.pushTemplates().pushTemplates(),
  seriesRows: (of) => of.series().rows(),
  seriesPlanner: (of) => of.series().planner(),
  series: (of) => of.series().series(),

  approvals: (of) => of.approvals().approvals(),

  webhooks: (of) => of.webhooks().webhooks(),
  webhookDeliveries: (of) => of.webhooks().deliveries(),

  broker: (of) => of.nats().broker(),

  sandbox: (of) => of.sandbox().sandbox(),

  erasures: (of) => of.erasures().erasures(),
  exporting: (of) => of.erasures().exporting(),

  profiles: (of) => of.profiles().finding(),
  profileView: (of) => of.profiles().showing(),
  timelines: (of) => of.profiles().timeline(),
  reasons: (of) => of.profiles().why(),
} satisfies Record<string, (of: Wires) => unknown>

/** Followers of the event log: one function for each area that does, asked again and again. */
const FOLLOWS: readonly ((areas: Areas) => Promise<readonly Follower<Areas>[]>)[] = [
  ({ broker }) => broker.follows<Areas>(),
  ({ metrics }) => metrics.follows<Areas>(),
]

type Wires = ReturnType<typeof wireAreas>

/** The product on one database handle: the whole database, or one transaction. Each part is built on first use. */
export type Areas = { readonly [Name in keyof typeof PARTS]: ReturnType<(typeof PARTS)[Name]> }

/** `Areas` as getters of a prototype: defining them on an object of every transaction would cost 15 to 25 µs each time. */
class LazyAreas {
  readonly #wires: Wires

  constructor(...of: Parameters<typeof wireAreas>) {
    this.#wires = wireAreas(...of)
  }

  static {
    for (const [name, part] of Object.entries(PARTS)) {
      Object.defineProperty(this.prototype, name, {
        get(this: LazyAreas) {
          return part(this.#wires)
        },
      })
    }
  }
}

const createAreas = (...of: Parameters<typeof wireAreas>) => new LazyAreas(...of) as unknown as Areas

export function createProgram(
  parts: Pick<Kernel, 'config' | 'clock' | 'log' | 'vault' | 'db'> &
    Partial<Pick<Kernel, 'wake' | 'changes' | 'sharing' | 'faults' | 'timekeeper'>>,
): Program {
  const { config, clock, log, db, changes = createChanges() } = parts
  const kernel: Kernel = {
    wake() {},
    ticks: new Map(),
    breakdowns: new Map(),
    silences: new Map(),
    faults: createFaults(clock, log),
    disk:
      db.kind === 'postgres'
        ? noDisk
        : createDiskSpace({ dir: config.dataDir, lowWater: config['disk.lowWater'], now: () => clock.monotonic() }),
    outcomes: new Map(),
    refusals: new Map(),
    pageMarks: createPageMarks(),
    keys: createKeyMemory(clock, changes),
    signing: createSigningMemory(clock, changes),
    changes,
    sharing: undefined,
    port: config.port,
    ...parts,
  }
  /** The areas of open transactions. Writes that share one run one after another, so they can share its areas. */
  const open = new WeakMap<Sql, { areas: Areas; noted: (() => void)[] }>()
  function areasOf(trx: Sql, noted: (() => void)[]): Areas {
    let shared = open.get(trx)
    if (!shared) {
      shared = { areas: createAreas(trx, (then) => open.get(trx)!.noted.push(then), kernel), noted }
      open.set(trx, shared)
    }
    shared.noted = noted
    return shared.areas
  }
  const inTransaction: Program['inTransaction'] = async (work, options) => {
    let committed: (() => void)[] = []
    const result = await kernel.db.write((trx) => {
      // The database may begin a transaction anew: what the earlier attempts noted does not count.
      committed = []
      return work(areasOf(trx, committed))
    }, options)
    for (const then of committed) then()
    return result
  }
  const areas = createAreas(db.read, (then) => then(), kernel)
  return Object.assign(areas, {
    kernel,
    inTransaction,
    uploads: createUploads(inTransaction, {
      limits: eventLimits(kernel.config),
      ...(db.kind === 'sqlite' ? { boardingMs: BOARDING_MS } : { gatherMs: GATHER_UPLOADS_MS }),
    }),
    putAttributes: createAttributePuts(inTransaction, db.kind),
    creations: createCreations(inTransaction),
    logWatch: createLogWatch({ eventLog: () => areas.eventLog, changes, clock, log }),
    follows: async () => (await Promise.all(FOLLOWS.map((of) => of(areas)))).flat(),
    schema: () => migrationStatus(kernel.db, migrations),
    checkSchema: async () => refuseForeignSchema(await migrationStatus(kernel.db, migrations)),
    migrate: () => migrateUp(kernel.db, migrations, { beforeBreaking: refuseWhileOlderRun }),
    async close() {
      await areas.broker.close()
      await kernel.db.close()
    },
  })
}
