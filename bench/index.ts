/**
 * `npm run bench [-- name... --flag=value]` runs benches one after another. Where possible, a result is also given as a ratio to a
 * baseline that was measured in the same run. The names are those in BENCHES; without a name all run.
 */
import { parseArgs } from 'node:util'
import { benchAudience } from './audience.ts'
import { benchHttp2 } from './http2.ts'
import { benchInApp } from './in-app.ts'
import { benchIngest } from './ingest.ts'
import { benchKills } from './kills.ts'
import { benchLinks } from './links.ts'
import { benchMessages } from './messages.ts'
import { benchPositions } from './positions.ts'
import { benchSend } from './send.ts'
import { benchStart } from './start.ts'
import { benchSteady } from './steady.ts'
import { benchSubscribers } from './subscribers.ts'
import { type Result, table } from './support/result.ts'
import { benchTables } from './tables.ts'
import { benchUsers } from './users.ts'
import { benchWebPush } from './web-push.ts'

const OPTIONS = {
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  /** Run the server from this packaged executable instead of a bundle of the sources. */
  executable: { type: 'string' },
  /**
   * Number of installs. Defaults: ingest 10 000; send 100 000, which get the broadcast; audience 1 000 000; in-app 200 000 (users);
   * web-push 20 000 (pushes); steady 20 000.
   */
  installs: { type: 'string' },
  /** users: number of users. */
  users: { type: 'string', default: '200000' },
  /** ingest: number of concurrent connections. */
  connections: { type: 'string', default: '32' },
  /** ingest, users: duration of each kind of call; steady: duration of the load. */
  seconds: { type: 'string', default: '3' },
  /** ingest, positions, audience, in-app, subscribers, kills: `sqlite` or `postgres`, which starts a server of its own. */
  database: { type: 'string', default: 'sqlite' },
  /** positions: number of geofences. */
  fences: { type: 'string', default: '100000' },
  /** messages: number of in-app messages of the user with many. */
  messages: { type: 'string', default: '10000' },
  /** tables: number of records in the table. */
  records: { type: 'string', default: '1000000' },
  /** links: number of links. */
  links: { type: 'string', default: '1000000' },
  /** subscribers: number of lines in the file, and of users. */
  lines: { type: 'string', default: '1000000' },
  /** start, kills: number of rounds. */
  rounds: { type: 'string', default: '7' },
} as const

const { values: flags, positionals: names } = parseArgs({ allowPositionals: true, options: OPTIONS })

const { executable, database } = flags
const ms = Number(flags.seconds) * 1000

const BENCHES: Record<string, () => Promise<Result[]>> = {
  start: () => benchStart({ rounds: Number(flags.rounds), executable }),
  users: () => benchUsers({ users: Number(flags.users), ms, executable }),
  ingest: () =>
    benchIngest({
      installs: Number(flags.installs ?? 10_000),
      connections: Number(flags.connections),
      ms,
      executable,
      database,
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
  audience: () => benchAudience({ installs: Number(flags.installs ?? 1_000_000), database }),
  'in-app': () => benchInApp({ users: Number(flags.installs ?? 200_000), database }),
  tables: () =>
    benchTables({ records: Number(flags.records), connections: Number(flags.connections), ms, executable, database }),
  links: () =>
    benchLinks({ links: Number(flags.links), connections: Number(flags.connections), ms, executable, database }),
  subscribers: () => benchSubscribers({ lines: Number(flags.lines), executable, database }),
  http2: benchHttp2,
  'web-push': () => benchWebPush({ pushes: Number(flags.installs ?? 20_000) }),
  steady: () => benchSteady({ installs: Number(flags.installs ?? 20_000), ms, executable }),
  kills: () => benchKills({ rounds: Number(flags.rounds), database }),
}

const known = Object.keys(BENCHES)
if (flags.help) {
  console.log(
    `npm run bench -- [name ...] [--flag=value ...]\n\nnames  ${known.join(' ')}\nflags  ${Object.keys(OPTIONS).join(' ')}`,
  )
}
const wanted = names.length > 0 ? names : known
for (const name of flags.help ? [] : wanted) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`there is no bench ${name}: ${known.join(', ')}`)
  const results = await bench()
  console.log(flags.json ? JSON.stringify({ bench: name, results }) : `${table(results)}\n`)
}
