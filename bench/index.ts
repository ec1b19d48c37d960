/**
 * `npm run bench [-- name... --flag=value]`: the benches one after another, never two at once. Every number that can be is a
 * ratio to something measured in the same run. Names: see BENCHES; none means all.
 */
import { parseArgs } from 'node:util'
import { benchHttp2 } from './http2.ts'
import { benchIngest } from './ingest.ts'
import { benchSend } from './send.ts'
import { benchStart } from './start.ts'
import { type Result, table } from './support/result.ts'
import { benchUsers } from './users.ts'

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    /** Run the server from this packaged executable instead of a bundle of the sources. */
    executable: { type: 'string' },
    /** send: installs of the broadcast. */
    installs: { type: 'string', default: '100000' },
    /** users: how many there are; a page far down is compared with the first. */
    users: { type: 'string', default: '200000' },
    /** ingest: connections that call at once. */
    connections: { type: 'string', default: '32' },
    /** ingest, users: how long each kind of call is made. */
    seconds: { type: 'string', default: '3' },
    /** start: how often. */
    rounds: { type: 'string', default: '7' },
  },
})

const { executable } = flags
const ms = Number(flags.seconds) * 1000

const BENCHES: Record<string, () => Promise<Result[]>> = {
  start: () => benchStart({ rounds: Number(flags.rounds), executable }),
  users: () => benchUsers({ users: Number(flags.users), ms, executable }),
  ingest: () => benchIngest({ connections: Number(flags.connections), ms, executable }),
  send: () => benchSend({ installs: Number(flags.installs), executable }),
  http2: benchHttp2,
}

const wanted = names.length > 0 ? names : Object.keys(BENCHES)
for (const name of wanted) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`there is no bench ${name}: ${Object.keys(BENCHES).join(', ')}`)
  const results = await bench()
  console.log(flags.json ? JSON.stringify({ bench: name, results }) : `${table(results)}\n`)
}
