import { availableParallelism } from 'node:os'
import type { Config } from '../platform/config.ts'

/** The loops there are. Each runs in a thread of its own. */
export type JobName = 'dispatch' | 'deliver' | 'sweep'

export interface JobRow {
  /** Unique; Bree's name of the thread. */
  name: string
  job: JobName
  why: string
}

/** Which threads a process runs. Nothing is timed here: what is due stands in the database. */
export function jobTable(config: Config): JobRow[] {
  const deliver = config['workers.deliver'] || Math.max(1, availableParallelism() - 1)
  return [
    { name: 'scheduler', job: 'dispatch', why: 'turns what is due into pages of recipients' },
    ...Array.from({ length: deliver }, (_, i) => ({
      name: `deliver-${i + 1}`,
      job: 'deliver' as const,
      why: 'claims pages, sends, records',
    })),
    {
      name: 'sweep',
      job: 'sweep',
      why: 'takes back lost pages, forgets what is over its time, keeps the log of the database short',
    },
  ]
}
