import { availableParallelism } from 'node:os'
import type { Config } from '../platform/config.ts'

/** The loops there are. */
export type JobName = 'dispatch' | 'in-app' | 'deliver' | 'ingest' | 'sweep'

/** A thread and the loops that take turns in it. */
export interface JobRow {
  /** Unique; Bree's name of the thread. */
  name: string
  jobs: readonly JobName[]
  why: string
}

/** How a loop is called where it is looked after: by its own name where a thread has several, else by the thread's. */
export function loopName({ name, jobs }: Pick<JobRow, 'name' | 'jobs'>, job: JobName): string {
  return jobs.length === 1 ? name : job
}

/** Which threads a process runs. Nothing is timed here: what is due stands in the database. */
export function jobTable(config: Config): JobRow[] {
  const deliver = config['workers.deliver'] || Math.max(1, availableParallelism() - 1)
  return [
    // One thread for everything that waits most of the time: each costs some 30 MB.
    {
      name: 'background',
      jobs: ['dispatch', 'in-app', 'ingest', 'sweep'],
      why:
        'turns what is due into pages of recipients; gives in-app messages to users; applies files of channel subscribers; takes back lost pages, forgets what is ' +
        'over its time, keeps the log of the database short',
    },
    ...Array.from({ length: deliver }, (_, i) => ({
      name: `deliver-${i + 1}`,
      jobs: ['deliver' as const],
      why: 'claims pages, sends, records',
    })),
  ]
}
