import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/**
 * The semi-space of each kind of thread (MB): how much garbage it makes before V8 collects it. The young generation takes
 * up to three times as much. More costs memory in each thread; less costs time, because V8 collects more often and moves
 * more of what has not become garbage yet (docs/decisions/0005-what-was-measured.md).
 *
 * `main` is the first thread, which is the first HTTP thread: only a flag of the process sets it. The executable has the
 * flag (packaging/package.ts), and so has the Node that bin/own-node.js starts; elsewhere Node decides for this thread.
 */
export const SEMI_SPACE_MB = { main: 4, http: 4, deliver: 4, background: 4, reader: 4 } as const

type ThreadKind = Exclude<keyof typeof SEMI_SPACE_MB, 'main'>

/** V8 divides the young generation into three of these: two halves, and room for large objects. */
const PARTS = 3
/** The old generation (MB) of threads that keep little. Without a limit Node takes what it takes for the first thread. */
const OLD_MB: Partial<Record<ThreadKind, number>> = { deliver: 256, background: 256, reader: 256 }

let isMainFlagEnded = false

/** The limits with which a thread of this kind is started. From now on they count, and not the flag of the process. */
export function heapOf(kind: ThreadKind): ResourceLimits {
  endMainFlag()
  const maxOldGenerationSizeMb = OLD_MB[kind]
  return {
    maxYoungGenerationSizeMb: PARTS * SEMI_SPACE_MB[kind],
    ...(maxOldGenerationSizeMb && { maxOldGenerationSizeMb }),
  }
}

/**
 * Sets the flag `--max-semi-space-size` back, which V8 prefers to the limits of a thread. V8 reads the flag when a thread starts,
 * so the main thread keeps its size.
 */
export function endMainFlag(): void {
  if (isMainFlagEnded) return
  isMainFlagEnded = true
  setFlagsFromString('--max-semi-space-size=0')
}

/** The flag of `keepNewObjectsYoung`, with which programs are compiled in advance as well. */
export const YOUNG_FLAG = '--no-allocation-site-pretenuring'

/**
 * Keeps V8 from making objects in the old generation, in all threads. It does so where most objects of a place in the code outlive a
 * collection, as those of requests do that wait for the disk together. They then stay until everything is collected, which V8 puts off until
 * the heap of the first thread is four times as large, and which threads with a small heap do all the time
 * (docs/decisions/0141-garbage-of-small-sends.md). Compiled code is not changed, so call it before there is work.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString(YOUNG_FLAG)
}
