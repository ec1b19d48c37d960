import { readdirSync, readFileSync } from 'node:fs'

/** The work of the server's threads, as a bench reports it. */
export const THREAD_WORK = ['HTTP', 'fan-out', 'delivery', 'other'] as const
type ThreadWork = (typeof THREAD_WORK)[number]

/** The threads by the names that they have in /proc; all others are helpers: of the engine, of files, of long reads. */
const WORK_OF_NAMES: readonly (readonly [RegExp, ThreadWork])[] = [
  [/^(MainThread|node|http-.*)$/, 'HTTP'],
  [/^background$/, 'fan-out'],
  [/^deliver-\d+$/, 'delivery'],
]

/** Processor time (ms) of a process so far by the work of its threads. Threads that have ended do not count. */
export function threadTimes(pid: number): Record<ThreadWork, number> {
  const times = { HTTP: 0, 'fan-out': 0, delivery: 0, other: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8')
    try {
      const name = read('comm').trimEnd()
      const work = WORK_OF_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
      // Its first field is the time on a processor in nanoseconds; `stat` counts in hundredths of a second.
      times[work] += Number(read('schedstat').split(' ')[0]) / 1e6
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return times
}
