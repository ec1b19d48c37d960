/**
 * Runs one throw-away PostgreSQL for a test run and outlives it by a moment: `node postgres-keeper.ts`, one line of JSON on
 * standard output when the server accepts connections, everything stopped and deleted when standard input closes. A test run
 * that is killed closes it too. A keeper that was itself killed is cleaned up by the next one.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimPort } from './ports.ts'
import {
  type Account,
  copyBinaries,
  initialise,
  installedBinaries,
  SUPERUSER,
  serverAccount,
} from './postgres-binaries.ts'

const PREFIX = 'appsvc-postgres-'

/** The report of the keeper: the server is ready, or the reason why it never will be. */
export type KeeperReport = Ready | { error: string }

interface Ready {
  /** The server by TCP. */
  url: string
  pid: number
  dir: string
  /** The directory of its socket; undefined where it has none. */
  socket?: string
}

/** A later report: the server has ended a session that stood idle in a transaction. `line`: its words, with the name of the database. */
export interface IdleReport {
  line: string
}

/** The longest path that a socket may have (`sun_path`), less the name that PostgreSQL gives it. */
const LONGEST_SOCKET_DIRECTORY = 80

const ENDED_IDLE = /^.*idle-in-transaction timeout.*$/gm

/** A command line's text, or '' when the process is gone. */
function commandOf(pid: number): string {
  try {
    if (platform() === 'linux') return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

function readPid(file: string): number {
  try {
    return Number.parseInt(fs.readFileSync(file, 'utf8'), 10)
  } catch {
    return Number.NaN
  }
}

/** A directory without a keeper's pid this old was left by one that died before it wrote any. */
const ABANDONED_AFTER_MS = 60_000

/** Removes what killed keepers left behind: their server, by its pid and only when it is that server, and their directory. */
function sweep(): void {
  for (const name of fs.readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const dir = join(tmpdir(), name)
    const keeper = readPid(join(dir, 'keeper.pid'))
    try {
      if (Number.isNaN(keeper) && Date.now() - fs.statSync(dir).mtimeMs < ABANDONED_AFTER_MS) continue
      if (commandOf(keeper).includes('postgres-keeper')) continue
      const server = readPid(join(dir, 'data', 'postmaster.pid'))
      if (commandOf(server).includes(dir)) process.kill(server, 'SIGKILL')
      fs.rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    } catch {
      // Somebody else's, or another keeper is sweeping too.
    }
  }
}

/** The directory for the socket of a server in `dir`; undefined where there can be none. */
function socketIn(dir: string): string | undefined {
  return platform() === 'win32' || dir.length > LONGEST_SOCKET_DIRECTORY ? undefined : dir
}

async function startServer(
  dir: string,
  port: number,
  account: Account,
  report: (line: IdleReport) => void,
): Promise<ChildProcess> {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketIn(dir) ?? '',
    max_connections: '200',
    log_line_prefix: '%d [%p] ',
    // Containers give /dev/shm little room.
    dynamic_shared_memory_type: 'mmap',
    // The data lives as long as the test run: durability is not what these tests are about. Benches ask for it.
    ...(process.argv[2] !== 'durable' && { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(dir, 'native', 'bin', 'postgres'), ['-D', join(dir, 'data'), ...flags], {
    ...account,
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.stderr.on('data', (chunk) => {
    for (const [line] of String(chunk).matchAll(ENDED_IDLE)) report({ line })
    said = (said + String(chunk)).slice(-4000)
    if (said.includes('ready to accept connections')) resolve()
  })
  server.once('error', reject)
  server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)))
  await promise
  return server
}

async function main(): Promise<void> {
  let server: ChildProcess | undefined
  const stopping = Promise.withResolvers<void>()
  process.stdin.on('end', stopping.resolve).resume()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stopping.resolve)
  // The test run may be gone when we speak.
  process.stdout.on('error', () => {})
  const report = (line: KeeperReport | IdleReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

  sweep()
  const dir = fs.mkdtempSync(join(tmpdir(), PREFIX))
  try {
    fs.writeFileSync(join(dir, 'keeper.pid'), String(process.pid))
    const account = serverAccount()
    if (account.uid !== undefined) fs.chownSync(dir, account.uid, account.gid!)
    copyBinaries(installedBinaries(), join(dir, 'native'))
    const password = randomBytes(16).toString('hex')
    initialise(dir, password, account)
    for (let attempt = 1; ; attempt++) {
      const port = await claimPort()
      try {
        server = await startServer(dir, port, account, report)
        const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`
        const socket = socketIn(dir)
        report({ url, pid: server.pid!, dir, ...(socket && { socket }) })
        break
      } catch (error) {
        // Somebody took the port in between.
        if (attempt === 3 || !String(error).includes('could not bind')) throw error
      }
    }
    await Promise.race([stopping.promise, once(server, 'exit')])
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) })
    process.exitCode = 1
  } finally {
    if (server && server.exitCode === null && server.signalCode === null) {
      const exited = once(server, 'exit')
      // Immediate shutdown: there is nothing to save.
      server.kill('SIGQUIT')
      await exited
    }
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    process.stdin.destroy()
  }
}

void main()
