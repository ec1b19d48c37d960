import type { Durations } from './durations.ts'

/** Slow tests, for a checkout in which no run has measured them yet. The first ones mostly wait for programs that they start. */
const KNOWN_TO_WAIT = [
  'test/workers/',
  'test/handbook.test.ts',
  'test/cli/http-threads.test.ts',
  'test/cli/serve.test.ts',
]
const KNOWN_TO_WORK = [
  'test/console/',
  'test/server/sweep.test.ts',
  'test/domain/segments/',
  'test/every-statement.test.ts',
]
const GUESSED_MS = 10_000
/** The share of a processor below which a file waits more than it works. */
const WORKS = 0.5

interface Waiting {
  file: string
  ms: number
  waits: boolean
}

/** Hands out test files. `done` tells that a file is through. */
export interface Queue {
  next(): string | undefined
  done(file: string): void
}

/**
 * The longest first, so that none is begun at the end. At most half of the processes run files that wait for the programs that they
 * started, as long as there are others: side by side they would leave the processors idle.
 */
export function createQueue(files: readonly string[], durations: Durations, processes: number): Queue {
  const startsWith = (file: string, names: readonly string[]) => names.some((name) => file.startsWith(name))
  const left: Waiting[] = files
    .map((file) => {
      const known = durations[file]
      if (known) return { file, ms: known.ms, waits: known.cpuMs < known.ms * WORKS }
      const waits = startsWith(file, KNOWN_TO_WAIT)
      return { file, ms: waits || startsWith(file, KNOWN_TO_WORK) ? GUESSED_MS : 0, waits }
    })
    .toSorted((a, b) => b.ms - a.ms || (a.file < b.file ? -1 : 1))
  const waitingNow = new Set<string>()
  return {
    next() {
      const mayWait = waitingNow.size < Math.max(1, processes / 2)
      const preferred = left.findIndex(({ waits }) => waits === mayWait)
      const [taken] = left.splice(Math.max(0, preferred), 1)
      if (taken?.waits) waitingNow.add(taken.file)
      return taken?.file
    },
    done: (file) => void waitingNow.delete(file),
  }
}
