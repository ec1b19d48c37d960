/**
 * `npm run bench [-- name... --flag=value]` runs benches one after another. Where possible, a result is also given as a ratio to a
 * baseline that was measured in the same run. The names are those in BENCHES; without a name all run.
 */
import { parseArgs } from 'node:util'
import { benchApi } from './api.ts'
import { benchAudience } from './audience.ts'
import { benchBroadcast } from './broadcast.ts'
import { benchEvents } from './events.ts'
import { benchFailover } from './failover.ts'
import { benchGrowth } from './growth.ts'
import { benchHostile } from './hostile.ts'
import { benchHttp2 } from './http2.ts'
import { benchIdle } from './idle.ts'
import { benchInApp } from './in-app.ts'
import { benchIngest } from './ingest.ts'
import { benchKills } from './kills.ts'
import { benchLinks } from './links.ts'
import { benchLive } from './live.ts'
import { benchLongReads } from './long-reads.ts'
import { benchMessages } from './messages.ts'
import { benchNodes } from './nodes.ts'
import { benchPartitions } from './partitions.ts'
import { benchPeers } from './peers.ts'
import { benchPersonal } from './personal.ts'
import { benchPositions } from './positions.ts'
import { benchSend } from './send.ts'
import { benchSeries } from './series.ts'
import { benchSmall } from './small/index.ts'
import { benchStart } from './start.ts'
import { benchSteady } from './steady.ts'
import { benchSubscribers } from './subscribers.ts'
import { changesText, compareRuns } from './support/compare.ts'
import { type Result, table } from './support/result.ts'
import { type BenchRow, readRun, repeated, writeRun } from './support/runs.ts'
import { benchTables } from './tables.ts'
import { benchUsers } from './users.ts'
import { benchWebPush } from './web-push.ts'

const OPTIONS = {
  help: { type: 'boolean', default: false },
  /** Writes the results of all benches of this run into this file; then each bench runs five times. */
  json: { type: 'string' },
  /** The number of times that each bench runs. Default: once; with --json five times. */
  times: { type: 'string' },
  /** growth, api: only rows with one of these texts in their name; small: only these parts. Separated by commas. */
  only: { type: 'string' },
  /** Run the server from this packaged executable instead of a bundle of the sources. */
  executable: { type: 'string' },
  /**
   * Number of installs. Defaults: ingest and events 10 000; send, broadcast and live 100 000, which get it; audience 1 000 000; in-app 200 000 (users);
   * api and idle 1000; web-push 20 000 (pushes); steady 20 000; growth 1 000 000; peers 10 000 (devices).
   */
  installs: { type: 'string' },
  /** broadcast: platforms of the devices, with commas: android, ios, hcm, web (20 000 browsers at most). */
  platform: { type: 'string', default: 'android' },
  /** broadcast: numbers of delivery threads to measure, with commas; api: of HTTP threads, one or two. */
  threads: { type: 'string', default: '1,2' },
  /** nodes: numbers of processes to measure, with commas. */
  processes: { type: 'string', default: '1,2,4' },
  /** users: number of users. */
  users: { type: 'string', default: '200000' },
  /** small: number of sends to one user; of larger ones there are fewer. */
  sends: { type: 'string', default: '4000' },
  /** small: number of sends of an app that floods the server while another one sends. */
  flood: { type: 'string', default: '20000' },
  /** ingest, small: number of concurrent connections. */
  connections: { type: 'string', default: '32' },
  /** ingest, users: duration of each kind of call; hostile: of each attack; events: of each part of a round; steady: duration of the load. */
  seconds: { type: 'string', default: '3' },
  /** events: events per second that are offered. */
  rate: { type: 'string', default: '5000' },
  /** ingest, events, positions, audience, in-app, subscribers, kills, growth, small, series: `sqlite` or `postgres`, which starts a server of its own. */
  database: { type: 'string', default: 'sqlite' },
  /** positions: number of geofences. */
  fences: { type: 'string', default: '100000' },
  /** series: number of sends that repeat and are due at once. */
  series: { type: 'string', default: '10000' },
  /** messages: number of in-app messages of the user with many. */
  messages: { type: 'string', default: '10000' },
  /** Number of records in the table. Defaults: tables 1 000 000; long-reads 500 000; partitions 2 000 000 (events). */
  records: { type: 'string' },
  /** links: number of links. */
  links: { type: 'string', default: '1000000' },
  /** subscribers: number of lines in the file, and of users. */
  lines: { type: 'string', default: '1000000' },
  /** start, kills, live, partitions: number of rounds. */
  rounds: { type: 'string', default: '7' },
} as const

const { values: flags, positionals: names } = parseArgs({ allowPositionals: true, options: OPTIONS })

const { executable, database } = flags
const ms = Number(flags.seconds) * 1000

const BENCHES: Record<string, () => Promise<Result[]>> = {
  idle: () => benchIdle({ installs: Number(flags.installs ?? 1000), executable }),
  start: () => benchStart({ rounds: Number(flags.rounds), executable }),
  users: () => benchUsers({ users: Number(flags.users), ms, executable }),
  api: () =>
    benchApi({
      installs: Number(flags.installs ?? 1000),
      connections: Number(flags.connections),
      rounds: 5,
      seconds: 1,
      threads: flags.threads.split(',').map(Number),
      only: flags.only,
      executable,
    }),
  ingest: () =>
    benchIngest({
      installs: Number(flags.installs ?? 10_000),
      connections: Number(flags.connections),
      ms,
      executable,
      database,
    }),
  events: () => benchEvents({ installs: Number(flags.installs ?? 10_000), rate: Number(flags.rate), ms, database }),
  partitions: () =>
    benchPartitions({
      installs: Number(flags.installs ?? 20_000),
      events: Number(flags.records ?? 2_000_000),
      rounds: Number(flags.rounds),
    }),
  positions: () =>
    benchPositions({
      fences: Number(flags.fences),
      connections: Number(flags.connections),
      ms,
      executable,
      database,
    }),
  messages: () =>
    benchMessages({
      messages: Number(flags.messages),
      connections: Number(flags.connections),
      ms,
      executable,
      database,
    }),
  send: () => benchSend({ installs: Number(flags.installs ?? 100_000), executable }),
  broadcast: () =>
    benchBroadcast({
      installs: Number(flags.installs ?? 100_000),
      threads: flags.threads.split(',').map(Number),
      platforms: flags.platform,
      executable,
      database,
    }),
  personal: () => benchPersonal({ installs: Number(flags.installs ?? 100_000), database, executable }),
  small: () =>
    benchSmall({
      sends: Number(flags.sends),
      flood: Number(flags.flood),
      connections: Number(flags.connections),
      database,
      executable,
      only: flags.only,
    }),
  live: () => benchLive({ installs: Number(flags.installs ?? 100_000), rounds: Number(flags.rounds), executable }),
  audience: () => benchAudience({ installs: Number(flags.installs ?? 1_000_000), database }),
  'in-app': () => benchInApp({ users: Number(flags.installs ?? 200_000), database }),
  series: () => benchSeries({ series: Number(flags.series), database }),
  tables: () =>
    benchTables({
      records: Number(flags.records ?? 1_000_000),
      connections: Number(flags.connections),
      ms,
      executable,
      database,
    }),
  'long-reads': () => benchLongReads({ records: Number(flags.records ?? 500_000), ms, executable, database }),
  links: () =>
    benchLinks({ links: Number(flags.links), connections: Number(flags.connections), ms, executable, database }),
  subscribers: () => benchSubscribers({ lines: Number(flags.lines), executable, database }),
  hostile: () => benchHostile({ ms, executable }),
  http2: benchHttp2,
  'web-push': () => benchWebPush({ pushes: Number(flags.installs ?? 20_000) }),
  peers: () => benchPeers({ connections: Number(flags.connections), ms, devices: Number(flags.installs ?? 10_000) }),
  steady: () => benchSteady({ installs: Number(flags.installs ?? 20_000), ms, executable }),
  growth: () => benchGrowth({ installs: Number(flags.installs ?? 1_000_000), database, only: flags.only }),
  nodes: () =>
    benchNodes({
      installs: Number(flags.installs ?? 20_000),
      connections: Number(flags.connections),
      ms,
      processes: flags.processes.split(',').map(Number),
    }),
  failover: benchFailover,
  kills: () => benchKills({ rounds: Number(flags.rounds), database }),
}

const known = Object.keys(BENCHES)
/** Installs other products, so it only runs when it is named. */
const ON_REQUEST = ['peers']

/** `npm run bench -- compare A.json B.json`: exits with 1 when something got worse. */
function compare(files: readonly string[]): void {
  if (files.length !== 2) throw new Error('compare takes two files: npm run bench -- compare A.json B.json')
  const [before, after] = [readRun(files[0]!), readRun(files[1]!)]
  const changes = compareRuns(before, after)
  console.log(changesText(before, after, changes))
  if (changes.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1
}

async function runBenches(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.find((name) => !Object.hasOwn(BENCHES, name))
  if (unknown !== undefined) throw new Error(`there is no bench ${unknown}: ${known.join(', ')}`)
  const times = Number(flags.times ?? (flags.json === undefined ? 1 : 5))
  const rows: BenchRow[] = []
  for (const name of wanted) {
    const results = await repeated(BENCHES[name]!, times)
    console.log(`${table(results)}\n`)
    rows.push(...results.map((result) => ({ bench: name, ...result })))
  }
  if (flags.json !== undefined) writeRun(flags.json, rows)
}

if (flags.help) {
  console.log(
    `npm run bench -- [name ...] [--flag=value ...]\nnpm run bench -- compare A.json B.json\n\nnames  ${known.join(' ')}\nflags  ${Object.keys(OPTIONS).join(' ')}`,
  )
} else if (names[0] === 'compare') compare(names.slice(1))
else await runBenches(names.length > 0 ? names : known.filter((name) => !ON_REQUEST.includes(name)))
