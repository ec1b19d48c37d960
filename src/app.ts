import type { Knex } from 'knex'
import { migrations } from '../migrations/index.ts'
import { idempotencyRepository } from './domain/apps/idempotency.repository.ts'
import { appsRepository } from './domain/apps/repository.ts'
import { appsService } from './domain/apps/service.ts'
import { audienceOf } from './domain/audience/resolve.ts'
import { installsRepository } from './domain/crm/installs.repository.ts'
import { usersRepository } from './domain/crm/repository.ts'
import { crmService } from './domain/crm/service.ts'
import { tokensRepository } from './domain/crm/tokens.repository.ts'
import { crmEventHandlers } from './domain/events/handlers.ts'
import { eventsRepository } from './domain/events/repository.ts'
import { eventsService } from './domain/events/service.ts'
import { lanesRepository } from './domain/gateways/lanes.repository.ts'
import { gateways as gatewayKinds } from './domain/gateways/registry.ts'
import { gatewaysRepository } from './domain/gateways/repository.ts'
import { gatewaysService } from './domain/gateways/service.ts'
import { dispatchOf } from './domain/notifications/dispatch.ts'
import { ledgerRepository, PAGE_QUEUE } from './domain/notifications/ledger.repository.ts'
import { opensRepository } from './domain/notifications/opens.repository.ts'
import { notificationEventHandlers } from './domain/notifications/opens.ts'
import { notificationsRepository } from './domain/notifications/repository.ts'
import { notificationsService } from './domain/notifications/service.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Vault } from './platform/crypto.ts'
import type { Database, Sql } from './platform/db/connect.ts'
import { migrateUp } from './platform/db/migrate.ts'
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
  /** When each worker loop turned last, on the monotonic clock. */
  ticks: Map<string, number>
}

/** The product, on one database handle: the whole database, or one transaction. */
export type Areas = ReturnType<typeof areas>

/** The program: areas for reading, transactions for writing. */
export interface App extends Areas {
  kernel: Kernel
  /** Runs `work` with areas that all share one transaction; it commits before this resolves. Never await the network inside. */
  inTransaction<T>(work: (app: Areas) => Promise<T>): Promise<T>
  /** Applies pending migrations; returns their names. */
  migrate(): Promise<string[]>
  close(): Promise<void>
}

/** The composition root: who knows whom is decided here and nowhere else. */
function areas(sql: Sql | Knex.Transaction, { clock, log, vault, config, wake }: Kernel) {
  const apps = appsService({ repo: appsRepository(sql), vault, clock })
  const idempotency = idempotencyRepository(sql, clock)
  const crm = crmService({
    users: usersRepository(sql),
    installs: installsRepository(sql),
    tokens: tokensRepository(sql),
    clock,
  })
  const sent = { repo: notificationsRepository(sql), opens: opensRepository(sql) }
  const eventHandlers = { ...crmEventHandlers(crm), ...notificationEventHandlers(sent) }
  const events = eventsService({ repo: eventsRepository(sql), crm, handlers: eventHandlers, clock, log })
  const gateways = gatewaysService({ repo: gatewaysRepository(sql), lanes: lanesRepository(sql), vault, clock })
  const audience = audienceOf(sql)
  const ledger = ledgerRepository(sql)
  const queue = databaseQueue(sql, PAGE_QUEUE, wake)
  const notifications = notificationsService({
    ...sent,
    ledger,
    book: crm,
    previewers: Object.values(gatewayKinds),
    clock,
    defaultTtl: config['delivery.ttl'],
  })
  const dispatch = dispatchOf({ ledger, audience, gateways, config, clock })
  return { apps, idempotency, crm, events, gateways, audience, ledger, notifications, queue, dispatch }
}

export function createApp(parts: Omit<Kernel, 'wake' | 'ticks'> & Partial<Pick<Kernel, 'wake'>>): App {
  const kernel: Kernel = { wake() {}, ticks: new Map(), ...parts }
  return {
    ...areas(kernel.db.read, kernel),
    kernel,
    inTransaction: (work) => kernel.db.write((trx) => work(areas(trx, kernel))),
    migrate: () => migrateUp(kernel.db, migrations),
    close: () => kernel.db.close(),
  }
}
