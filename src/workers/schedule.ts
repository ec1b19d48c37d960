import { availableParallelism } from 'node:os'
import type { Config } from '../platform/config.ts'

/** The loops of worker threads. Operators see these names in `/readyz` and the log. */
export type JobName = 'dispatch' | 'in-app' | 'deliver' | 'ingest' | 'follow' | 'webhooks' | 'certificates' | 'sweep'

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

/** The threads of a process. There are no timers here: what is due is stored in the database. */
export function jobTable(config: Config): JobRow[] {
  const deliver = config['workers.deliver'] || Math.max(1, availableParallelism() - 1)
  return [
    // One thread for all loops that mostly wait: each thread costs about 30 MB.
    {
      name: 'background',
      jobs: [
        ...(['dispatch', 'in-app', 'ingest', 'follow', 'webhooks', 'sweep'] as const),
        ...(config['acme.enabled'] ? (['certificates'] as const) : []),
      ],
      why:
        'turns due runs into pages of recipients; gives in-app messages to users; applies files of channel subscribers; runs ' +
        'followers of the event log; sends events to webhooks; gets and renews certificates; recovers lost pages, deletes expired data, truncates the write-ahead log of SQLite',
    },
    ...Array.from({ length: deliver }, (_, i) => ({
      name: `deliver-${i + 1}`,
      jobs: ['deliver' as const],
      why: 'claims pages of recipients, sends to them, records the outcomes',
    })),
  ]
}
