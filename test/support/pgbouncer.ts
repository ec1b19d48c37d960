import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { findProgram } from './needs.ts'
import { claimPort } from './ports.ts'
import { serverAccount } from './postgres-binaries.ts'

/** Debian's PgBouncer before a PostgreSQL server. */
export interface PgBouncer {
  /** The address of the same database through PgBouncer. */
  urlOf(url: string): string
  pid: number
  close(): Promise<void>
}

export interface PgBouncerOptions {
  mode?: 'session' | 'transaction' | 'statement'
  /** Connections to the server for each database. */
  size?: number
  /** Clients change between the connections of the server as often as they can. Default: true. */
  robin?: boolean
}

/** Starts PgBouncer, which has to be there (`needs(this, 'pgbouncer')`), before the server of an address. */
export async function openPgBouncer(
  url: string,
  { mode = 'transaction', size = 5, robin = true }: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const { hostname, port: server, username, password } = new URL(url)
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-pgbouncer-'))
  chmodSync(dir, 0o755)
  const port = await claimPort()
  // Also the password with which it connects to the server.
  writeFileSync(join(dir, 'users'), `"${username}" "${password}"\n`)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(dir, 'users'),
    admin_users: username,
    pool_mode: mode,
    max_client_conn: 500,
    default_pool_size: size,
    server_round_robin: robin ? 1 : 0,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(
    join(dir, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${server}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  // It does not run as root.
  const child: ChildProcess = spawn(findProgram('pgbouncer')!, ['-q', join(dir, 'pgbouncer.ini')], {
    ...serverAccount(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr!.on('data', (chunk) => (said = (said + String(chunk)).slice(-4000)))
  const ended = once(child, 'exit')
  const urlOf = (other: string) => {
    const through = new URL(other)
    through.host = `127.0.0.1:${port}`
    return through.href
  }
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`)
    return answers(urlOf(url))
  }, 'pgbouncer answers')
  return {
    urlOf,
    pid: child.pid!,
    async close() {
      // Which other signal ends it at once depends on its version.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
