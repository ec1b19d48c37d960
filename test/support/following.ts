import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestApp } from './app.ts'

const PROCESS = join(import.meta.dirname, '../domain/followers/following-process.ts')

/**
 * Follows the log of a database in a process of its own, to the end or until one of the `failpoints` kills it. Returns the
 * signal that killed it, or its exit code.
 */
export async function followIn(
  { app, first, dir }: TestApp,
  what: { outside: string } | { metrics: true },
  failpoints: string,
): Promise<string | number | null> {
  const given = app.kernel.db.read.client.config.connection as { url?: string; connectionString?: string } | undefined
  const url = given?.url ?? given?.connectionString
  // A worker that is gone keeps its lease until it ends.
  await app.kernel.db.write((sql) => sql('followers').update({ lease_until: 0 }))
  const env = { PATH: process.env.PATH, ...(failpoints && { APPSVC_FAILPOINTS: failpoints }) }
  const argument = JSON.stringify({ url, file: join(dir, 'appsvc.sqlite'), dir, appId: first.id, ...what })
  const child = spawn(process.execPath, [PROCESS, argument], { stdio: 'inherit', env })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code
}
