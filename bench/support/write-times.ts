import type { Program } from '../../src/program.ts'

/**
 * Measures the writes of the app from now on (ms), each from its first statement until it is on disk: the longest, and all together. Set
 * them to 0 to start again.
 */
export function timeWrites({ kernel: { db } }: Program): { longest: number; sum: number } {
  const times = { longest: 0, sum: 0 }
  const write = db.write
  db.write = async (work, options) => {
    let began = 0
    try {
      return await write((trx) => {
        began = performance.now()
        return work(trx)
      }, options)
    } finally {
      const ms = began > 0 ? performance.now() - began : 0
      times.longest = Math.max(times.longest, ms)
      times.sum += ms
    }
  }
  return times
}
