import type { Knex } from 'knex'
import { migrations } from '../migrations/index.ts'
import { idempotencyRepository } from './domain/apps/idempotency.repository.ts'
import { issuedKeysRepository } from './domain/apps/issued-keys.repository.ts'
import { issuedKeysService } from './domain/apps/issued-keys.service.ts'
import { appsRepository } from './domain/apps/repository.ts'
import { appsService } from './domain/apps/service.ts'
import { audienceRepository } from './domain/audience/audience.repository.ts'
import { createAudience } from './domain/audience/install-walk.ts'
import { type Conditions, insideAny } from './domain/audience/narrow.ts'
import { importsRepository } from './domain/channels/imports.repository.ts'
import { importsService } from './domain/channels/imports.service.ts'
import { channelsRepository } from './domain/channels/repository.ts'
import { channelsService } from './domain/channels/service.ts'
import { subscribedCondition, subscriptionsRepository } from './domain/channels/subscriptions.repository.ts'
import { subscriptionsService } from './domain/channels/subscriptions.service.ts'
import { checkinsRepository } from './domain/checkins/repository.ts'
import { checkinsService } from './domain/checkins/service.ts'
import { crashEventHandlers } from './domain/crashes/handlers.ts'
import { crashesRepository } from './domain/crashes/repository.ts'
import { crashesService } from './domain/crashes/service.ts'
import { activityRepository } from './domain/crm/activity.repository.ts'
import { installsRepository } from './domain/crm/installs.repository.ts'
import { usersRepository } from './domain/crm/repository.ts'
import { crmService } from './domain/crm/service.ts'
import { signedIdsRepository } from './domain/crm/signed-ids.repository.ts'
import { createSigningMemory, type SigningMemory, signedIdsService } from './domain/crm/signed-ids.service.ts'
import { tokensRepository } from './domain/crm/tokens.repository.ts'
import { beaconEventHandlers } from './domain/events/beacons.ts'
import type { EventLimits } from './domain/events/envelope.ts'
import { crmEventHandlers } from './domain/events/handlers.ts'
import { eventsRepository } from './domain/events/repository.ts'
import { type EventsService, eventsService } from './domain/events/service.ts'
import { type Uploads, uploadsOf } from './domain/events/uploads.ts'
import { lanesRepository } from './domain/gateways/lanes.repository.ts'
import { gateways as gatewayKinds } from './domain/gateways/registry.ts'
import { gatewaysRepository } from './domain/gateways/repository.ts'
import { pushHostsOf } from './domain/gateways/senders.ts'
import { gatewaysService } from './domain/gateways/service.ts'
import { promptsRepository } from './domain/gateways/web/prompts.repository.ts'
import { promptsService } from './domain/gateways/web/prompts.service.ts'
import { refusalOfHost } from './domain/gateways/web/push-hosts.ts'
import { geofenceEventHandlers } from './domain/geofences/handlers.ts'
import { insideCondition, presenceRepository } from './domain/geofences/presence.repository.ts'
import { geofencesRepository } from './domain/geofences/repository.ts'
import { geofencesService } from './domain/geofences/service.ts'
import { createReach } from './domain/in-app/accept/reach.ts'
import { syncService } from './domain/in-app/deliver/sync.ts'
import { createFanOut as createInAppFanOut } from './domain/in-app/fan-out/fan-out.ts'
import { recipientsRepository } from './domain/in-app/fan-out/recipients.repository.ts'
import { walksRepository } from './domain/in-app/fan-out/walks.repository.ts'
import { inAppEventHandlers } from './domain/in-app/record/reactions.ts'
import { retentionService } from './domain/in-app/record/retention.ts'
import { userMessagesRepository } from './domain/in-app/record/user-messages.repository.ts'
import { inAppRepository } from './domain/in-app/repository.ts'
import { inAppService } from './domain/in-app/service.ts'
import { bannersRepository } from './domain/links/banners/repository.ts'
import { bannersService } from './domain/links/banners/service.ts'
import { tapsRepository } from './domain/links/match/repository.ts'
import { tapsService } from './domain/links/match/service.ts'
import { linksRepository } from './domain/links/repository.ts'
import { linksService } from './domain/links/service.ts'
import { ownHosts } from './domain/links/settings/addresses.ts'
import { linkSettingsRepository } from './domain/links/settings/repository.ts'
import { visitsRepository } from './domain/links/visit/repository.ts'
import { restraintRepository } from './domain/notifications/deliver/restraint.repository.ts'
import { createFanOut } from './domain/notifications/fan-out/fan-out.ts'
import { createLinkedPushes } from './domain/notifications/fan-out/linked-push.ts'
import { runsRepository } from './domain/notifications/fan-out/runs.repository.ts'
import { ledgerRepository, PAGE_QUEUE } from './domain/notifications/record/ledger.repository.ts'
import { opensRepository } from './domain/notifications/report/opens.repository.ts'
import { notificationEventHandlers } from './domain/notifications/report/opens.ts'
import { vitalsRepository } from './domain/notifications/report/vitals.repository.ts'
import { notificationsRepository } from './domain/notifications/repository.ts'
import { notificationsService } from './domain/notifications/service.ts'
import { segmentsRepository } from './domain/segments/repository.ts'
import { segmentsService } from './domain/segments/service.ts'
import { blocksRepository } from './domain/tables/blocks.repository.ts'
import { ddl } from './domain/tables/ddl.ts'
import { createPageMarks, type PageMarks } from './domain/tables/page-marks.ts'
import { recordsRepository } from './domain/tables/records.repository.ts'
import { recordsService } from './domain/tables/records.service.ts'
import { registryRepository } from './domain/tables/registry.repository.ts'
import { tablesService } from './domain/tables/service.ts'
import { templatesRepository } from './domain/templates/repository.ts'
import { templatesService } from './domain/templates/service.ts'
import type { Clock } from './platform/clock.ts'
import { type Config, sizeLimit } from './platform/config.ts'
import type { Vault } from './platform/crypto.ts'
import type { Database, Sql } from './platform/db/connect.ts'
import { migrateUp } from './platform/db/migrate.ts'
import { createDiskSpace, type DiskSpace, noDisk } from './platform/disk-space.ts'
import { faultsRepository } from './platform/faults.repository.ts'
import { createFaults, type Faults } from './platform/faults.ts'
import { instanceRepository } from './platform/instance/repository.ts'
import type { Log } from './platform/log.ts'
import { databaseQueue } from './platform/queue/database.ts'

/** What every area is made of besides a database handle. */
export interface Kernel {
  config: Config
  clock: Clock
  log: Log
  vault: Vault
  db: Database
  /** Tells the sending threads that there may be work; a hint only, they also look by themselves. */
  wake(): void
  /** When each worker loop turned last, on the monotonic clock; of one that never turned, when it was to start. */
  ticks: Map<string, number>
  /** Why worker threads ended lately, by the names of their loops; gone when they turn. */
  breakdowns: Map<string, string>
  /** Gateways that were asked and have not answered since, as each worker thread says of its own. */
  silences: Map<string, readonly Silence[]>
  /** What is wrong with this process. */
  faults: Faults
  /** How much space the database has left. */
  disk: DiskSpace
  /** Recipients by what became of them: in a worker thread since its last report, in a process since its start. */
  outcomes: Map<string, number>
  /** Calls of devices that were refused since the start, by the setting that says what is too many. */
  refusals: Map<string, number>
  /** Where pages of data tables begin, as far as they were read lately. */
  pageMarks: PageMarks
  /** What apps ask of devices that name a user, as far as it was read lately. */
  signing: SigningMemory
  /** Where this program listens, once it does; before that the port that is configured. */
  port: number
}

/** A gateway of an app that was asked and has not answered since. */
export interface Silence {
  appId: number
  platform: string
  /** Wall time in ms. */
  since: number
  reason: string
}

/** The product, on one database handle: the whole database, or one transaction. */
export type Areas = ReturnType<typeof areas>

/** The program: areas for reading, transactions for writing. */
export interface App extends Areas {
  kernel: Kernel
  /** Runs `work` with areas that all share one transaction; it commits before this resolves. Never await the network inside. */
  inTransaction<T>(work: (app: Areas) => Promise<T>): Promise<T>
  /** Uploads of devices, in transactions that they share. */
  uploads: Uploads
  /** Applies pending migrations; returns their names. */
  migrate(): Promise<string[]>
  close(): Promise<void>
}

/** The composition root: who knows whom is decided here and nowhere else. */
function areas(sql: Sql | Knex.Transaction, kernel: Kernel) {
  const { clock, log, vault, config, wake, pageMarks, db } = kernel
  const registry = registryRepository(sql)
  const blocks = blocksRepository(sql)
  const tables = tablesService({ registry, blocks, ddl: ddl(sql), clock })
  const records = recordsService({
    registry,
    repo: recordsRepository(sql),
    blocks,
    // What a transaction sees may never come true.
    marks: sql.isTransaction === true ? undefined : pageMarks,
    mostLooks: config['limits.tableScan'],
    clock,
  })
  const restKeys = issuedKeysService({ kind: 'rest', repo: issuedKeysRepository(sql, 'rest'), vault, clock })
  const serverKeys = issuedKeysService({ kind: 'server', repo: issuedKeysRepository(sql, 'server'), vault, clock })
  const apps = appsService({
    repo: appsRepository(sql),
    vault,
    clock,
    deletion: {
      async callOff(appId) {
        const reason = 'the app is being deleted'
        await restKeys.revokeAll(appId)
        await serverKeys.revokeAll(appId)
        await inAppMessages.withdrawOpen(appId, reason, clock.now())
        await runs.cancelOpen(appId, reason, clock.now())
      },
      clearings: () => [
        eventsRepository(sql).clearApp,
        async (appId, limit) => {
          // Before the notifications that announce them. A request that was let in before may have stored another one since.
          const messages = await inAppMessages.clearApp(appId, limit)
          return messages + (await sent.repo.clearApp(appId, limit - messages))
        },
        restraint.clearApp,
        installsRepository(sql).clearApp,
        users.clearApp,
        tapsRepository(sql).clearApp,
        linksRepository(sql).clearApp,
        idempotency.clearApp,
        checkinsRepository(sql).clearApp,
        crashesRepository(sql).clearApp,
      ],
      async finish(appId) {
        await tables.dropAll(appId)
        await channels.deleteAll(appId)
      },
    },
  })
  const idempotency = idempotencyRepository(sql, clock)
  const signedIds = signedIdsService({
    repo: signedIdsRepository(sql),
    users: usersRepository(sql),
    installs: installsRepository(sql),
    vault,
    clock,
    memory: kernel.signing,
  })
  const crm = crmService({
    users: usersRepository(sql),
    installs: installsRepository(sql),
    tokens: tokensRepository(sql),
    activity: activityRepository(sql),
    clock,
    defaultZone: config.timezone,
    checkInstallName: (...named) => signedIds.checkInstallName(...named),
    refusalOfEndpoint: (endpoint) => refusalOfHost(endpoint, pushHostsOf(config), config['outbound.allowPrivate']),
    mostInstalls: config['limits.installsPerUser'],
    largestAttributes: sizeLimit(config, 'limits.attributes'),
  })
  const sent = { repo: notificationsRepository(sql), opens: opensRepository(sql) }
  const geofences = geofencesService({
    repo: geofencesRepository(sql),
    presence: presenceRepository(sql),
    record: (appId, list) => events.recordAll(appId, list),
    clock,
    maxAge: config['geofences.maxAge'] * 1000,
  })
  const crashes = crashesService({
    repo: crashesRepository(sql),
    clock,
    quota: {
      keep: config['crashes.keep'],
      keepBytes: config['crashes.keepBytes'],
      largest: config['limits.crashBody'],
    },
  })
  const eventHandlers = {
    ...crmEventHandlers(crm),
    ...beaconEventHandlers,
    ...notificationEventHandlers(sent),
  }
  const userMessages = userMessagesRepository(sql)
  const gathering = {
    ...crashEventHandlers(crashes),
    ...geofenceEventHandlers(geofences),
    ...inAppEventHandlers({ repo: userMessages, clock }),
  }
  const events: EventsService = eventsService({
    repo: eventsRepository(sql),
    crm,
    handlers: eventHandlers,
    gathering,
    claims: (appId) => signedIds.claims(appId),
    limits: eventLimits(config),
    clock,
    log,
  })
  const templates = templatesService({ repo: templatesRepository(sql), clock })
  const gateways = gatewaysService({ repo: gatewaysRepository(sql), lanes: lanesRepository(sql), vault, clock })
  const links = linksService({
    repo: linksRepository(sql),
    settings: linkSettingsRepository(sql),
    record: (appId, list) => events.recordAll(appId, list),
    clock,
    at: {
      domain: config['links.domain'],
      baseUrl: config.baseUrl,
      // Known only after listening when the system chooses.
      get port() {
        return kernel.port
      },
      linksHost: config['hosts.links'],
    },
    ownHosts: () => ownHosts(config),
    largestData: sizeLimit(config, 'limits.linkData'),
  })
  const channelParts = { repo: channelsRepository(sql), subscriptions: subscriptionsRepository(sql) }
  const importsRepo = importsRepository(sql)
  const channels = channelsService({
    ...channelParts,
    imports: importsRepo,
    clock,
    largestMeta: {
      server: sizeLimit(config, 'limits.channelMeta'),
      device: sizeLimit(config, 'limits.deviceChannelMeta'),
    },
  })
  const inAppMessages = inAppRepository(sql)
  const users = usersRepository(sql)
  const subscriptions = subscriptionsService({ channels: channelParts.repo, ...channelParts, users, crm, clock })
  const channelImports = importsService({ repo: importsRepo, clock })
  const ingestion = { imports: importsRepo, subscriptions: channelParts.subscriptions }
  const segments = segmentsService({
    sql,
    repo: segmentsRepository(sql),
    channels,
    geofences: {
      unknownIds: geofences.unknownIds,
      insideCondition: (appId, geofenceIds, now) =>
        insideCondition(sql, { appId, geofenceIds, now, maxAge: config['geofences.maxAge'] * 1000 }),
    },
    awaitedBy: async (appId, segmentId) => {
      const notification = await sent.repo.awaiting(appId, segmentId)
      if (notification !== undefined) return `notification ${notification}`
      const message = await inAppMessages.awaiting(appId, segmentId)
      return message === undefined ? undefined : `in-app message ${message}`
    },
    clock,
  })
  const conditions: Conditions = {
    inSegment: (appId, segmentId, now) => segments.condition(appId, segmentId, now),
    subscribed: (appId, channelIds) => subscribedCondition(sql, appId, channelIds),
    inside: (appId, fences, now) => insideAny(sql, appId, fences, { now, maxAge: config['geofences.maxAge'] * 1000 }),
  }
  const audience = createAudience({ repo: audienceRepository(sql), conditions, clock })
  const ledger = ledgerRepository(sql)
  const restraint = restraintRepository(sql, config.timezone)
  const vitals = vitalsRepository(sql)
  const runs = runsRepository(sql)
  const queue = databaseQueue(sql, PAGE_QUEUE, wake)
  const notifications = notificationsService({
    ...sent,
    ledger,
    runs,
    audience,
    guard: { confirmAbove: apps.confirmAbove, countUpTo: (...what) => audience.countUpTo(...what) },
    usualHour: crm.usualHour,
    book: crm,
    catalogue: { segments, channels, geofences },
    previewers: Object.values(gatewayKinds),
    configured: (appId) => gateways.platforms(appId),
    siteUrl: (appId) => gateways.siteUrl(appId),
    clock,
    defaultTtl: config['delivery.ttl'],
    defaultZone: config.timezone,
    largestMeta: sizeLimit(config, 'limits.reportingMeta'),
  })
  const fanOut = createFanOut({ ledger, runs, audience, gateways, config, clock })
  const pushes = createLinkedPushes({
    repo: sent.repo,
    ledger,
    runs,
    gateways,
    fanOut,
    previewers: Object.values(gatewayKinds),
    clock,
    pageSize: config['delivery.pageSize'],
    defaultTtl: config['delivery.ttl'],
  })
  const inAppRecipients = recipientsRepository(sql)
  const inAppWalks = walksRepository(sql)
  const inAppParts = {
    recipients: inAppRecipients,
    pushes,
    clock,
    defaultTtl: config['delivery.ttl'],
    defaultZone: config.timezone,
  }
  const inAppReach = createReach({ recipients: inAppRecipients, users: audience.users })
  const inApp = inAppService({
    ...inAppParts,
    repo: inAppMessages,
    reactions: userMessages,
    guard: { confirmAbove: apps.confirmAbove, countUpTo: inAppReach.countUpTo },
    templates,
    catalogue: { segments, channels, geofences },
    usualHour: crm.usualHour,
  })
  const inAppFanOut = createInAppFanOut({
    ...inAppParts,
    walks: inAppWalks,
    users: audience.users,
    maxLatenessMs: config['schedule.maxLateness'] * 1000,
  })
  return {
    instance: instanceRepository(sql),
    storedFaults: faultsRepository(sql),
    apps,
    restKeys,
    serverKeys,
    tables,
    records,
    templates,
    idempotency,
    crm,
    signedIds,
    userMessages,
    inAppSync: syncService({
      repo: userMessages,
      users: usersRepository(sql),
      installs: installsRepository(sql),
      clock,
    }),
    inAppRetention: retentionService({ repo: userMessages, clock }),
    events,
    crashes,
    checkins: checkinsService({
      repo: checkinsRepository(sql),
      clock,
      largest: sizeLimit(config, 'limits.checkin'),
    }),
    gateways,
    prompts: promptsService({ repo: promptsRepository(sql), clock }),
    links,
    visits: visitsRepository(sql, sql.isTransaction === true ? undefined : db.prepare),
    banners: bannersService({ repo: bannersRepository(sql), links, clock }),
    taps: tapsService({ repo: tapsRepository(sql), links, clock }),
    channels,
    subscriptions,
    channelImports,
    geofences,
    ingestion,
    segments,
    audience,
    restraint,
    ledger,
    vitals,
    runs,
    sent: sent.repo,
    notifications,
    queue,
    fanOut,
    linkedPushes: pushes,
    inAppMessages,
    inAppRecipients,
    inAppWalks,
    inApp,
    inAppReach,
    inAppFanOut,
  }
}

function eventLimits(config: Config): EventLimits {
  return {
    event: sizeLimit(config, 'limits.event'),
    attributes: sizeLimit(config, 'limits.attributes'),
    crash: sizeLimit(config, 'limits.crashBody'),
  }
}

export function createApp(
  parts: Pick<Kernel, 'config' | 'clock' | 'log' | 'vault' | 'db'> & Partial<Pick<Kernel, 'wake'>>,
): App {
  const { config, clock, log, db } = parts
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
    signing: createSigningMemory(clock),
    port: config.port,
    ...parts,
  }
  const inTransaction: App['inTransaction'] = (work) => kernel.db.write((trx) => work(areas(trx, kernel)))
  return {
    ...areas(kernel.db.read, kernel),
    kernel,
    inTransaction,
    uploads: uploadsOf(inTransaction, eventLimits(kernel.config)),
    migrate: () => migrateUp(kernel.db, migrations),
    close: () => kernel.db.close(),
  }
}
