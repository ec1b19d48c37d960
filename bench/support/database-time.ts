import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** The process that all processes of this PostgreSQL are children of. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const parent = Number(statOf(rows[0]!.pid)[1])
  await client.end()
  return parent
}

/** The fields of /proc/PID/stat behind the name, the state first. */
export const statOf = (pid: number | string) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')

/** Processor time (ms) of the server and its children, also of those that ended. */
export function databaseMs(postmaster: number): number {
  const [, , , , , , , , , , , user, system, ofEndedUser, ofEndedSystem] = statOf(postmaster).map(Number)
  let ticks = user! + system! + ofEndedUser! + ofEndedSystem!
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const stat = statOf(pid)
      if (Number(stat[1]) === postmaster) ticks += Number(stat[11]) + Number(stat[12])
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * 10
}
