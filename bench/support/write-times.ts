import type { App } from '../../src/app.ts'

/** From now on the longest write of the app (ms), from its first statement until it is on disk; set it to 0 to begin anew. */
export function timeWrites({ kernel: { db } }: App): { ms: number } {
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
