import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { claimPort } from './ports.ts'
import { copyBinaries, initialise, installedBinaries, SUPERUSER, serverAccount } from './postgres-binaries.ts'

/** A primary and a streaming standby, both durable, of one cluster. */
export interface PostgresPair {
  /** The database `postgres` of the primary. */
  primary: string
  /** The same of the standby, which refuses writes until it is promoted. */
  standby: string
  /** The number of bytes of the log that the standby has not applied. */
  lag(): Promise<number>
  /** Kills the primary at once (SIGKILL of all its processes). */
  killPrimary(): Promise<void>
  /** Ends the primary as a power cut does, and starts it again. */
  restartPrimary(): Promise<void>
  /** Makes the standby the primary; resolves when it takes writes. */
  promote(): Promise<void>
  close(): Promise<void>
}

/** `synchronous`: the primary answers a COMMIT when the standby has it on disk too. */
export async function openPostgresPair({ synchronous }: { synchronous: boolean }): Promise<PostgresPair> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-pair-'))
  chmodSync(dir, 0o755)
  const account = serverAccount()
  if (account.uid !== undefined) chownSync(dir, account.uid, account.gid!)
  copyBinaries(installedBinaries(), join(dir, 'native'))
  const password = randomBytes(16).toString('hex')
  initialise(dir, password, account)
  const [first, second] = [await claimPort(), await claimPort()]
  // A copy of a cluster that was never started follows it from its first byte, without pg_basebackup.
  cpSync(join(dir, 'data'), join(dir, 'standby'), { recursive: true })
  chmodSync(join(dir, 'standby'), 0o700)
  writeFileSync(join(dir, 'standby', 'standby.signal'), '')
  appendFileSync(
    join(dir, 'standby', 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${first} user=${SUPERUSER} password=${password}'\n`,
  )
  if (account.uid !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, join(dir, 'standby')])
  const urlOf = (port: number) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`

  async function startServer(data: string, port: number, more: string[] = []): Promise<ChildProcess> {
    const settings = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '100',
      dynamic_shared_memory_type: 'mmap',
      wal_keep_size: '1GB',
    }
    const flags = [...Object.entries(settings).map(([name, value]) => `${name}=${value}`), ...more]
    const argv = ['-D', join(dir, data), ...flags.flatMap((flag) => ['-c', flag])]
    const server = spawn(join(dir, 'native/bin/postgres'), argv, {
      ...account,
      cwd: dir,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.stderr.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-4000)
      if (/ready to accept (read-only )?connections/.test(said)) resolve()
    })
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${said}`)))
    await promise
    return server
  }

  const ask = async (port: number, sql: string) => {
    const client = new pg.Client({ connectionString: urlOf(port) })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  let primary = await startServer('data', first)
  const standby = await startServer('standby', second)
  const pair: PostgresPair = {
    primary: urlOf(first),
    standby: urlOf(second),
    async lag() {
      const [row] = await ask(
        first,
        'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float AS lag FROM pg_stat_replication',
      )
      return row === undefined ? Number.POSITIVE_INFINITY : Number(row.lag)
    },
    async killPrimary() {
      const exited = once(primary, 'exit')
      // Its children end when they notice, which takes them no longer than a turn.
      primary.kill('SIGKILL')
      await exited
    },
    async restartPrimary() {
      const exited = once(primary, 'exit')
      primary.kill('SIGQUIT')
      await exited
      primary = await startServer('data', first)
    },
    async promote() {
      await ask(second, 'SELECT pg_promote()')
    },
    async close() {
      for (const server of [primary, standby]) {
        if (server.exitCode !== null || server.signalCode !== null) continue
        const exited = once(server, 'exit')
        server.kill('SIGQUIT')
        await exited
      }
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  // Not before it streams: every COMMIT would wait for it.
  while (!Number.isFinite(await pair.lag())) await new Promise((resolve) => setTimeout(resolve, 50))
  if (synchronous) {
    await ask(first, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await ask(first, 'SELECT pg_reload_conf()')
  }
  return pair
}
