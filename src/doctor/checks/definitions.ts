import { isTarget, isUserTarget } from '../../domain/audience/stored.ts'
import { NOWHERE, shapeOfStored } from '../../domain/geofences/shape/shape.ts'
import { DATA, readWhere } from '../../domain/metrics/where.ts'
import { readRecurrence } from '../../domain/schedules/recurrence.ts'
import { isSchedule } from '../../domain/schedules/schedule.ts'
import { readFilter } from '../../domain/segments/filter.ts'
import type { Database } from '../../platform/db/connect.ts'
import { tablesOfDefinitions } from '../../platform/db/table.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { readJsonPath } from '../../platform/json/path.ts'
import { type Check, error, type Finding, ok } from './types.ts'

/** The newest rows of each table that are read. */
const MOST_READ = 5000
/** Rows of one table that are named. */
const MOST_NAMED = 5

/** A table of definitions: how people name a row of it, and what they do about one that cannot be read. */
interface Described {
  /** The noun for a row, before its number or name. */
  what: string
  /** Columns that name the row; the first orders the rows. */
  key: readonly [string, ...string[]]
  /** The column with the app; absent where the table has none of its own. */
  app?: string
  remedy: string
  /** Tests by column: whether the value is right beyond being an object or a list. */
  deep?: Readonly<Record<string, (value: unknown) => boolean>>
}

const AGAIN = 'store it again, or delete it'

/** The tables with definitions. A test compares them with those that the repositories describe. */
export const DESCRIBED: Readonly<Record<string, Described>> = {
  data_tables: { what: 'table', key: ['id', 'name'], app: 'app_id', remedy: 'restore it from a backup, or drop it' },
  metrics: {
    what: 'metric',
    key: ['id', 'name'],
    app: 'app_id',
    remedy: `${AGAIN} (appsvc metrics set, appsvc metrics delete): until then it counts nothing`,
    deep: {
      filter: (value) => !readWhere(value).errors,
      value_path: (value) => typeof value === 'string' && readJsonPath(DATA, value) !== undefined,
    },
  },
  segments: {
    what: 'segment',
    key: ['id', 'name'],
    app: 'app_id',
    remedy: `${AGAIN} (appsvc segments update, appsvc segments delete): until then what is sent to it ends as failed`,
    deep: { filter: (value) => readFilter(value).condition !== undefined },
  },
  geofences: {
    what: 'geofence',
    key: ['id', 'name'],
    app: 'app_id',
    remedy: `${AGAIN} (appsvc geofences update, appsvc geofences delete): until then nobody is inside`,
    deep: { bounds: (value) => shapeOfStored(value) !== NOWHERE },
  },
  webhooks: {
    what: 'webhook',
    key: ['id', 'url'],
    app: 'app_id',
    remedy: `${AGAIN} (appsvc webhooks update, appsvc webhooks delete): until then it gets no events`,
    deep: { types: (value) => Array.isArray(value) && value.every((type) => typeof type === 'string') },
  },
  webhook_cursors: {
    what: 'position of webhook',
    key: ['webhook_id', 'kind'],
    app: 'app_id',
    remedy: 'nothing is lost: its message is chosen anew; a replay is to be started again (appsvc webhooks replay)',
  },
  push_template_versions: {
    what: 'version of push template',
    key: ['push_template_id', 'version'],
    remedy: 'update the push template (appsvc push-templates update): until then sends that name it are refused',
  },
  template_versions: { what: 'version of template', key: ['template_id', 'version'], remedy: 'update the template' },
  web_prompts: { what: 'prompt', key: ['id'], app: 'app_id', remedy: `${AGAIN} (appsvc prompts update)` },
  banners: { what: 'banner', key: ['id'], app: 'app_id', remedy: `${AGAIN} (appsvc banners update)` },
  deep_links: { what: 'link', key: ['id', 'slug'], app: 'app_id', remedy: `${AGAIN} (appsvc links update)` },
  link_settings: {
    what: 'link settings of app',
    key: ['app_id'],
    app: 'app_id',
    remedy: 'set them again (appsvc links settings)',
  },
  gateway_configs: {
    what: 'gateway',
    key: ['id', 'platform'],
    app: 'app_id',
    remedy: 'set it again (appsvc gateways set)',
  },
  channels: { what: 'channel', key: ['id', 'uuid'], app: 'app_id', remedy: `${AGAIN} (appsvc channels update)` },
  push_approvals: {
    what: 'push that waits for approval',
    key: ['id'],
    app: 'app_id',
    remedy: 'decline it, and send it again',
  },
  series: {
    what: 'series',
    key: ['id'],
    app: 'app_id',
    remedy: 'end it (appsvc series end), and make it again: it breaks when it is planned next',
    deep: { request: (value) => isPlainObject(value) && readRecurrence(value.schedule) !== undefined },
  },
  imports: {
    what: 'import',
    key: ['id'],
    app: 'app_id',
    remedy: 'forget it (appsvc import delete), and begin it again',
  },
  admin_tokens: {
    what: 'personal token',
    key: ['id', 'name'],
    remedy: 'delete it, and make another: it may do nothing',
  },
  admin_passkeys: { what: 'passkey', key: ['id', 'name'], remedy: 'remove it, and register it again' },
  notifications: {
    what: 'notification',
    key: ['id'],
    app: 'app_id',
    remedy: 'cancel it, and send it again: it ends as failed when it is due',
    deep: { target: isTarget, schedule: isSchedule },
  },
  in_app_messages: {
    what: 'in-app message',
    key: ['id'],
    app: 'app_id',
    remedy: 'withdraw it, and send it again: it ends as failed when it is due',
    deep: { target: isUserTarget, schedule: isSchedule },
  },
}

/** Stored definitions that cannot be read, however they came there. Each stops nothing but itself. */
export const definitionsCheck: Check = {
  name: 'definitions',
  group: 'database',
  needs: 'program',
  async run({ storage: { db }, appId }) {
    const findings: Finding[] = []
    for (const { table, columns } of tablesOfDefinitions()) {
      const described = DESCRIBED[table]
      if (!described || (appId !== undefined && described.app === undefined)) continue
      const wrong = await unreadable(db, table, columns, described, appId)
      if (wrong.length === 0) continue
      const more = wrong.length - MOST_NAMED
      const names = `${wrong.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
      findings.push(error(`stored definitions cannot be read: ${names}`, described.remedy))
    }
    return findings.length > 0 ? findings : [ok('every stored definition can be read')]
  },
}

/** The rows of a table that cannot be read, in words: `metric 12 "purchases" of app 3 (filter)`. */
async function unreadable(
  db: Database,
  table: string,
  columns: ReturnType<typeof tablesOfDefinitions>[number]['columns'],
  { what, key, app, deep = {} }: Described,
  appId: number | undefined,
): Promise<string[]> {
  const names = [
    ...new Set([...key, ...(app ? [app] : []), ...columns.map(({ column }) => column), ...Object.keys(deep)]),
  ]
  const rows: Record<string, unknown>[] = await db
    .read(table)
    .modify((query) => {
      if (appId !== undefined && app !== undefined) void query.where({ [app]: appId })
    })
    .orderBy(key[0], 'desc')
    .limit(MOST_READ)
    .select(names)
  return rows.flatMap((row) => {
    const isWrong = ({ column, isReadable }: { column: string; isReadable(stored: string): boolean }) => {
      const stored = row[column]
      if (stored === null) return false
      return typeof stored !== 'string' || !isReadable(stored) || deep[column]?.(JSON.parse(stored)) === false
    }
    const plain = Object.keys(deep).filter((column) => !columns.some((one) => one.column === column))
    const wrong = [
      ...columns.filter(isWrong).map(({ column }) => column),
      ...plain.filter((column) => row[column] !== null && !deep[column]!(row[column])),
    ]
    if (wrong.length === 0) return []
    const [id, ...more] = key.map((column) => row[column])
    const name = more.length > 0 ? ` ${JSON.stringify(more[0])}` : ''
    const of = app !== undefined && key[0] !== app ? ` of app ${String(row[app])}` : ''
    return [`${what} ${String(id)}${name}${of} (${wrong.join(', ')})`]
  })
}
