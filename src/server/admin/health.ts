import { SETTINGS } from '../../config.ts'
import { createRounds } from '../../doctor/rounds.ts'
import { readLastBackup } from '../../domain/backups/last-backup.ts'
import { sourcesOf } from '../../platform/config/config.ts'
import { masked } from '../../platform/config/masked.ts'
import { disagreements, judgeNodes } from '../../platform/instance/nodes.ts'
import { latestLines } from '../../platform/log/tail.ts'
import { integer, oneOf, shape, text } from '../../platform/values/parse.ts'
import {
  health,
  logLines,
  presentHealth,
  presentLogLine,
  presentSetting,
  serverSettings,
} from '../../present/admin/health.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import { get, type Route } from '../routing/route.ts'

const OPERATE = { area: 'admin', needs: 'person', right: 'operate' } as const

/** Routes for people who keep the server well: of the whole server, not of one app. */
export const healthRoutes: readonly Route[] = [
  get('/v1/health', {
    ...OPERATE,
    summary: 'Read how the server is: what is wrong and its remedy, nodes, lanes, backups',
    description:
      'Findings and their counts are those of `appsvc doctor`: all its checks run in the process that answers, also those that connect to gateways and to your host names. ' +
      'What has not answered after 2.5 seconds is named in `underWay`; ask again for its findings. At most 1,000 lanes are shown.',
    returns: health,
    run: async ({ program }) => presentHealth(await healthOf(program)),
  }),
  get('/v1/settings', {
    ...OPERATE,
    summary: 'Read the settings of the server and where each comes from; secrets are masked',
    description: 'All settings, in the order of `appsvc config show`. Secrets are `***`.',
    returns: serverSettings,
    run: ({ program }) => {
      const { config } = program.kernel
      const sources = sourcesOf(config)
      const items = (Object.keys(SETTINGS) as (keyof typeof config)[]).map((name) => {
        const { default: preset, why } = SETTINGS[name]!
        const value = masked(config[name]!)
        return presentSetting({
          name,
          value,
          isDefault: String(value) === preset,
          source: sources?.[name] ?? null,
          why,
        })
      })
      return Promise.resolve({ items })
    },
  }),
  get('/v1/log', {
    ...OPERATE,
    summary: 'Read the newest lines of the log, the newest first',
    description:
      'The newest thousand lines of all threads of the process that answers, from the level `info` on. Older lines, and those of other nodes, are where the log goes.',
    query: shape({
      level: oneOf(['info', 'warn', 'error']),
      text: text({ max: 100 }),
      limit: integer({ min: 1, max: 1000 }),
    }),
    returns: logLines,
    run: ({ query: { level, text: part, limit } }) => {
      const least = LEVELS.indexOf(level ?? 'info')
      const wanted = part?.toLowerCase() ?? ''
      const items = latestLines()
        .toReversed()
        .filter((line) => line.toLowerCase().includes(wanted))
        .map(presentLogLine)
        .filter((line) => LEVELS.indexOf(line.level) >= least)
        .slice(0, limit ?? DEFAULT_LINES)
      return Promise.resolve({ items })
    },
  }),
]

const roundsOf = onePerProgram((program) => ({ look: createRounds(program) }))

const LEVELS: readonly string[] = ['info', 'warn', 'error', 'fatal']
const DEFAULT_LINES = 200

/** The facts that the page on the health of the server shows. */
async function healthOf(program: Program) {
  const { config, clock, db, disk, ticks } = program.kernel
  const now = clock.now()
  const monotonic = clock.monotonic()
  const nodes = judgeNodes(await program.nodes.list(), {
    now: await program.nodes.now(),
    served: db.kind === 'postgres' ? undefined : true,
  })
  const names = new Map((await program.apps.list()).map(({ id, name }) => [id, name]))
  return {
    now,
    database: db.kind,
    round: await roundsOf(program).look(),
    nodes,
    disagreements: disagreements(nodes),
    loops: [...ticks].map(([name, at]) => ({ name, secondsAgo: Math.round((monotonic - at) / 1000) })),
    lanes: (await program.gateways.lanes.list())
      .slice(0, MOST_LANES)
      .map((lane) => ({ ...lane, appName: names.get(lane.appId) ?? '' })),
    backup: {
      to: db.kind === 'postgres' ? '' : config['backup.to'],
      every: config['backup.every'],
      ...readLastBackup(config.dataDir),
    },
    space: disk.look(),
    unfinished: (await program.ledger.unfinished(0, MOST_COUNTED + 1)).length,
  }
}

/** Lanes that are shown, and open notifications that are counted. */
const MOST_LANES = 1000
const MOST_COUNTED = 10_000
