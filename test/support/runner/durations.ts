import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Times of a test file in the last run in which it passed. */
interface Duration {
  ms: number
  /** Processor time, of its programs too. */
  cpuMs: number
}

/** Durations by path from the root. */
export type Durations = Readonly<Record<string, Duration>>

const fileOf = (root: string) => join(root, 'node_modules/.cache/test-durations.json')

/** The durations of former runs in this checkout; none when it never had one. */
export function readDurations(root: string): Durations {
  try {
    return JSON.parse(readFileSync(fileOf(root), 'utf8')) as Durations
  } catch {
    return {}
  }
}

/**
 * Keeps the measures of a run for the next one, beside those of files that it did not run. A checkout that cannot be
 * written to keeps nothing.
 */
export function keepDurations(root: string, measured: Durations): void {
  const file = fileOf(root)
  try {
    mkdirSync(dirname(file), { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ ...readDurations(root), ...measured }))
    renameSync(draft, file)
  } catch {
    // The order of the next run is not worth a failure of this one.
  }
}
