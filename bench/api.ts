import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DataDirectory, makeDataDirectory } from './support/audience.ts'
import { openExecutable, type Running, start } from './support/executable.ts'
import { percentile, type Result, spreadOf } from './support/result.ts'

export interface ApiOptions {
  /** Number of installs, each with a user of its own. */
  installs: number
  connections: number
  rounds: number
  /** Duration of each measurement (s). */
  seconds: number
  /** Numbers of HTTP threads that are compared. */
  threads: readonly number[]
  /** Texts separated by commas: only calls with one of them in their name run. */
  only?: string | undefined
  executable?: string | undefined
}

/** Each thread compiles its code by itself: with a shorter load before, two threads look slower than one. */
const WARM_UP_S = 5

interface Run {
  rate: number
  /** Processor time of the server for one call (µs). */
  cpu: number
  p99: number
}

/** A server under load. */
interface Target {
  url: string
  cpuMs(): number
  data?: DataDirectory
}

/** The writes that `support/bare-writes.ts` can do. */
const WRITES = ['PUT attributes', 'session event']

/**
 * Measures calls of the HTTP interface with wrk beside a Koa server that does nothing, and writes beside one that does nothing
 * but write. All servers run at once and take turns in each round, so that other work of the machine hits them alike; the rows
 * show medians of the rounds.
 */
export async function benchApi(options: ApiOptions): Promise<Result[]> {
  const { installs, rounds, threads: numbers, executable } = options
  if (!(await hasWrk())) return [{ name: 'api: skipped', value: Number.NaN, unit: '', note: 'apt-get install wrk' }]
  const program = await openExecutable(executable)
  const dir = mkdtempSync(join(tmpdir(), 'bench-api-'))
  const ends: (() => Promise<void> | void)[] = [() => rmSync(dir, { recursive: true })]
  try {
    const bare = {
      command: process.execPath,
      args: [join(import.meta.dirname, 'support/bare-koa.ts')],
      name: 'bare Koa',
    }
    const koa: Running<{ listening: string }> = await start(bare, [])
    ends.push(() => koa.stop())
    const servers: Target[] = []
    for (const threads of numbers) {
      const data = await makeDataDirectory({ installs })
      ends.push(() => data.remove())
      const environment = { APPSVC_HTTP_THREADS: String(threads), APPSVC_LIMITS_NEW_PER_ADDRESS: '0' }
      const argv = ['serve', '--port', '0', '--data-dir', data.dir]
      const server: Running<{ listening: string }> = await start(program, argv, environment)
      ends.push(() => server.stop())
      servers.push({ url: server.ready.listening, cpuMs: server.cpuMs, data })
    }
    const calls = callsOf(options.only)
    const writer = calls.some(([name]) => WRITES.includes(name)) ? await startWriter(installs, ends) : undefined
    const results: Result[] = []
    for (const [name, scriptOf] of calls) {
      const measure = (target: Target, seconds: number) => {
        const script = target.data && scriptOf(target.data, installs)
        if (!script) return wrk(target, options.connections, seconds, undefined)
        const file = join(dir, 'call.lua')
        writeFileSync(file, script)
        return wrk(target, options.connections, seconds, file)
      }
      const targets: Target[] = [{ url: koa.ready.listening, cpuMs: koa.cpuMs }, ...servers]
      const isWrite = WRITES.includes(name)
      if (isWrite) targets.push(writer!)
      for (const target of targets) await measure(target, WARM_UP_S)
      const runs: Run[][] = targets.map(() => [])
      for (let round = 0; round < rounds; round++) {
        for (const [i, target] of targets.entries()) runs[i]!.push(await measure(target, options.seconds))
      }
      const least = isWrite ? runs.pop() : undefined
      results.push(...rowsOf(name, numbers, runs))
      if (least) results.push(...leastRows(name, runs, least))
    }
    return results
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

function callsOf(only: string | undefined): [string, (typeof CALLS)[string]][] {
  const texts = (only ?? '').split(',')
  return Object.entries(CALLS).filter(([name]) => texts.some((text) => name.includes(text)))
}

/** The server that does nothing but write, with a database of its own. */
async function startWriter(installs: number, ends: (() => Promise<void> | void)[]): Promise<Target> {
  const data = await makeDataDirectory({ installs })
  ends.push(() => data.remove())
  const args = [join(import.meta.dirname, 'support/bare-writes.ts')]
  const bare = { command: process.execPath, args, name: LEAST }
  const server: Running<{ listening: string }> = await start(bare, [join(data.dir, 'appsvc.sqlite')])
  ends.push(() => server.stop())
  return { url: server.ready.listening, cpuMs: server.cpuMs, data }
}

/** The least that a write costs in Koa and SQLite, against bare Koa; and the server against that. */
function leastRows(name: string, [koa, one]: Run[][], least: readonly Run[]): Result[] {
  return [
    rowOf(`${name}, ${LEAST}`, least, { name: KOA, runs: koa! }),
    rowOf(`${name}, of ${LEAST}`, one!, { name: LEAST, runs: least }),
  ]
}

/** One row for each number of threads, against bare Koa; and what the second number brings. */
function rowsOf(name: string, threads: readonly number[], [koa, ...servers]: Run[][]): Result[] {
  const rows = servers.map((runs, i) =>
    rowOf(`${name}, ${threads[i]} HTTP thread${threads[i] === 1 ? '' : 's'}`, runs, { name: KOA, runs: koa! }),
  )
  const [one, two] = servers
  if (!two) return rows
  const gains = two.map(({ rate }, round) => rate / one![round]!.rate)
  rows.push({
    name:
      threads.join() === '1,2' ? `${name}: two threads for one` : `${name}: ${threads[1]} threads for ${threads[0]}`,
    value: percentile(gains, 0.5),
    unit: 'x',
    spread: spreadOf(gains),
    better: 'more',
  })
  return rows
}

const KOA = 'bare Koa'
const LEAST = 'bare Koa and SQLite'

const median = (runs: readonly Run[], of: keyof Run) =>
  percentile(
    runs.map((run) => run[of]),
    0.5,
  )

/** The rounds of a server against those of another one. */
function rowOf(name: string, runs: readonly Run[], against: { name: string; runs: readonly Run[] }): Result {
  const ratios = runs.map(({ rate }, round) => rate / against.runs[round]!.rate)
  const value = median(runs, 'rate')
  return {
    name,
    value,
    unit: 'calls/s',
    against: { name: against.name, value: value / percentile(ratios, 0.5) },
    spread: spreadOf(runs.map(({ rate }) => rate)),
    ratio: { value: percentile(ratios, 0.5), ...spreadOf(ratios) },
    note:
      `${Math.round(median(runs, 'cpu'))} µs of CPU (${against.name} ${Math.round(median(against.runs, 'cpu'))}), ` +
      `p99 ${median(runs, 'p99').toFixed(1)} ms`,
  }
}

const CALLS: Record<string, (data: DataDirectory, installs: number) => string | undefined> = {
  healthz: () => 'request = function() return wrk.format("GET", "/healthz") end\n',
  'PUT attributes': ({ serverKey }, installs) =>
    script(serverKey, `local n = 0\nrequest = function() n = n + 1 return ${putOf(installs)} end`),
  'GET attributes': ({ serverKey }, installs) =>
    script(serverKey, `request = function() return ${getOf(installs)} end`),
  'session event': ({ deviceKey }, installs) =>
    script(
      deviceKey,
      'local function id() return (string.gsub("xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx", "x", function() ' +
        'return string.format("%x", math.random(0, 15)) end)) end\n' +
        `request = function() return wrk.format("POST", "/events/v1/app-installs/install-"..math.random(1, ${installs}).."/events", ` +
        `nil, '[{"uuid":"'..id()..'","timestamp":'..(os.time() * 1000)..',"type":"k.fg"}]') end`,
    ),
  'one write for three reads': ({ serverKey }, installs) =>
    script(
      serverKey,
      `local n = 0\nrequest = function() n = n + 1 if n % 4 == 0 then return ${putOf(installs)} end return ${getOf(installs)} end`,
    ),
}

const pathOf = (installs: number) => `"/crm/v1/users/user-"..math.random(1, ${installs}).."/attributes"`
const getOf = (installs: number) => `wrk.format("GET", ${pathOf(installs)})`
const putOf = (installs: number) =>
  `wrk.format("PUT", ${pathOf(installs)}, nil, ` +
  `'{"name":"Anna","age":'..(n % 90)..',"city":"Berlin","tags":["a","b"],"premium":true}')`

function script(credentials: string, request: string): string {
  return [
    `wrk.headers["Authorization"] = "Basic ${btoa(credentials)}"`,
    'wrk.headers["Content-Type"] = "application/json"',
    'math.randomseed(os.time())',
    request,
    '',
  ].join('\n')
}

async function wrk(target: Target, connections: number, seconds: number, file: string | undefined): Promise<Run> {
  const before = target.cpuMs()
  const argv = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...(file ? ['-s', file] : []), target.url]
  const { stdout } = await promisify(execFile)('wrk', argv)
  const cpuMs = target.cpuMs() - before
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1])
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)
  if (bad) throw new Error(`${bad[1]} calls were refused:\n${stdout}`)
  const [, slow, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout)!
  return {
    rate: number(/Requests\/sec:\s+([\d.]+)/),
    cpu: (cpuMs * 1000) / number(/(\d+) requests in/),
    p99: Number(slow) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
  }
}

async function hasWrk(): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('wrk', ['--version'], { stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(true))
  })
}
