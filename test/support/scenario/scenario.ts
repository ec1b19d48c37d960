import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../src/config.ts'
import { EVENT_TYPES } from '../../../src/domain/events/event-types.ts'
import { routes } from '../../../src/server/routes.ts'
import { jobTable } from '../../../src/workers/schedule.ts'
import { ADMIN_GATEWAY_ROWS } from './admin-gateway-rows.ts'
import { ADMIN_ROWS } from './admin-rows.ts'
import { ADMIN_USER_ROWS } from './admin-user-rows.ts'
import { AUDIENCE_ROWS } from './audience-rows.ts'
import { COMMAND_ROWS } from './command-rows.ts'
import { COMPOSE_ROWS } from './compose-rows.ts'
import { DEVICE_ROWS } from './device-rows.ts'
import type { Row } from './row.ts'
import { SERIES_ROWS } from './series-rows.ts'
import { SERVER_ROWS } from './server-rows.ts'
import { LATER_WORK_ROWS, WORK_ROWS } from './work-rows.ts'

/**
 * Everything that the program does, at least once: every route, job, type of event and command. The guard of statements
 * and the bench of growth both play it; a new one of these gets a row.
 */
export const SCENARIO: readonly Row[] = [
  ...SERVER_ROWS,
  ...DEVICE_ROWS,
  ...WORK_ROWS,
  ...COMMAND_ROWS,
  ...LATER_WORK_ROWS,
  ...SERIES_ROWS,
  ...ADMIN_ROWS,
  ...AUDIENCE_ROWS,
  ...COMPOSE_ROWS,
  ...ADMIN_USER_ROWS,
  ...ADMIN_GATEWAY_ROWS,
]

const SRC = join(import.meta.dirname, '../../../src')

/** Routes that run the same as a command, which has a row. */
const BY_COMMANDS = [
  '/v1/commands',
  '/v1/apps/:appId/tables/:tableAlias/changes',
  '/v1/apps/:appId/tables/:tableAlias/imports',
]

/** Everything that the rows must cover, read from the program itself. */
export async function everythingToCover(): Promise<string[]> {
  const { config } = await loadConfig({ environment: {} })
  const jobs = new Set(jobTable(config).flatMap((thread) => thread.jobs))
  const others = new Set(callsIn('server').union(callsIn('workers')))
  return [
    // A twin runs what its route runs; commands, and changes and imports of tables, have rows of their own below `cli`.
    ...routes
      .filter(({ twinOf, path }) => twinOf === undefined && !BY_COMMANDS.includes(path))
      .filter(({ method, path }) => !(method === 'delete' && path === '/v1/apps/:appId/tables/:tableAlias'))
      .map(({ method, area, path }) => `${method} ${[area].flat()[0]} ${path}`),
    ...Object.keys(EVENT_TYPES).map((type) => `event ${type}`),
    ...[...jobs].map((job) => `job ${job}`),
    ...[...callsIn('workers/jobs/sweep.ts', 'tx')].map((call) => `sweep ${call}`),
    ...[...callsIn('cli'), ...callsIn('doctor')].filter((call) => !others.has(call)).map((call) => `cli ${call}`),
  ]
}

/** Calls of services in a folder or a file: `taps.forget`. */
function callsIn(where: string, handles = 'app|tx|host'): Set<string> {
  const found = where.endsWith('.ts') ? [where] : globSync(`${where}/**/*.ts`, { cwd: SRC })
  // The history of the demo fills a new app, once.
  const files = found.filter((file) => !file.includes('demo/history'))
  const calls = files.flatMap((file) => [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(new RegExp(`\\b(?:${handles})\\.(\\w+\\.\\w+)\\(`, 'g')),
  ])
  return new Set(calls.map(([, call]) => call!).filter((call) => !call.startsWith('kernel.')))
}
