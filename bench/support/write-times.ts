import type { Program } from '../../src/program.ts'

/** Measures the longest write of the app from now on (ms), from its first statement until it is on disk. Set `ms` to 0 to start again. */
export function timeWrites({ kernel: { db } }: Program): { ms: number } {
  const longest = { ms: 0 }
  const write = db.write
  db.write = async (work) => {
    let began = 0
    try {
      return await write((trx) => {
        began = performance.now()
        return work(trx)
      })
    } finally {
      if (began > 0) longest.ms = Math.max(longest.ms, performance.now() - began)
    }
  }
  return longest
}
