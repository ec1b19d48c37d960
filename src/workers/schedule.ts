import { availableParallelism } from 'node:os'
import type { Config } from '../platform/config/settings.ts'

/** The loops of worker threads. Operators see these names in `/readyz` and the log. */
export type JobName =
  | 'dispatch'
  | 'in-app'
  | 'series'
  | 'deliver'
  | 'ingest'
  | 'follow'
  | 'webhooks'
  | 'certificates'
  | 'sweep'

/**
 * The number of connections to PostgreSQL that a loop uses at once. No code that holds a connection waits for another one
 * (docs/decisions/0071-one-connection-for-each-task.md), so a pool of one would do; but a loop shall not wait for the slow
 * statement of another.
 */
const CONNECTIONS: Record<JobName, number> = {
  dispatch: 1,
  'in-app': 1,
  series: 1,
  // The turns of two lanes, iOS and Android; the page that is read meanwhile; claims and leases.
  deliver: 4,
  ingest: 1,
  // Several followers and several endpoints are served side by side.
  follow: 2,
  webhooks: 2,
  certificates: 1,
  sweep: 1,
}

/** Read connections of a thread to SQLite, where a read takes the thread whole. */
const SQLITE_READERS = 2

/** The size of the pool of a thread with these loops. */
export function poolOf(jobs: readonly JobName[], config: Config): number {
  if (config['database.url'].reveal() === '') return SQLITE_READERS
  return jobs.reduce((sum, job) => sum + CONNECTIONS[job], 0)
}

/** A thread and the loops that run in it. */
export interface JobRow {
  /** Bree's name of the thread; unique. */
  name: string
  jobs: readonly JobName[]
  why: string
}

/** The name of a loop in reports: its own name if its thread has several loops, otherwise the name of the thread. */
export function loopName({ name, jobs }: Pick<JobRow, 'name' | 'jobs'>, job: JobName): string {
  return jobs.length === 1 ? name : job
}

/** Tells whether a thread only sends. Such threads run while there is something to send (sending-threads.ts). */
export const isSendingThread = (jobs: readonly JobName[]) => jobs.length === 1 && jobs[0] === 'deliver'

/** The threads of a process. There are no timers here: due work is stored in the database. */
export function jobTable(config: Config): JobRow[] {
  const deliver = config['workers.deliver'] || Math.max(1, availableParallelism() - 1)
  return [
    // One thread for all loops that mostly wait: each thread costs about 30 MB.
    {
      name: 'background',
      jobs: [
        ...(['dispatch', 'in-app', 'series', 'deliver', 'ingest', 'follow', 'webhooks', 'sweep'] as const),
        ...(config['acme.enabled'] ? (['certificates'] as const) : []),
      ],
      why:
        'turns due runs into pages of recipients, and sends the first of them; gives in-app messages to users; plans what repeats; applies files of channel subscribers; runs ' +
        'followers of the event log; sends events to webhooks; gets and renews certificates; recovers lost pages, deletes expired data, truncates the write-ahead log of SQLite',
    },
    ...Array.from({ length: deliver }, (_, i) => ({
      name: `deliver-${i + 1}`,
      jobs: ['deliver' as const],
      why: 'claims pages of recipients, sends to them, records the outcomes',
    })),
  ]
}
