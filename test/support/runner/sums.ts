/** The results of a run, so far. */
export interface Sums {
  passed: number
  failed: number
  skipped: { name: string; why: string }[]
  /** Answers of routes in any test. */
  answered: Set<string>
  /** The answers of these that tests got which need no programs. */
  onAnyMachine: Set<string>
  /** Times of the files. */
  files: Took[]
  /** Files in which something failed: the names of the failures, and how many tests of the file passed. */
  broken: Map<string, Broken>
  /** Times of the tests, without their hooks. */
  tests: Took[]
  /**
   * Texts about failures, printed when they happened. They are printed again at the end, because often the end is all
   * that is kept of a log.
   */
  reports: Report[]
  races: Race[]
  /** The number of documented answers that were given, and of all; of a run of everything. */
  answers?: { given: number; documented: number }
}

interface Report {
  text: string
  /** The file of which it tells, if it is of one. */
  file?: string
}

interface Broken {
  failed: string[]
  passed: number
}

export interface Took {
  name: string
  ms: number
  /** Processor time, of a file. */
  cpuMs?: number
}

/** Tests of a file that failed and passed when the file ran again, alone. */
export interface Race {
  file: string
  tests: string[]
  /** The text that was printed when they failed. */
  log: string
}

/** The sums of nothing. */
export const newSums = (): Sums => ({
  passed: 0,
  failed: 0,
  skipped: [],
  answered: new Set(),
  onAnyMachine: new Set(),
  files: [],
  broken: new Map(),
  tests: [],
  reports: [],
  races: [],
})

/** Prints a failure, and keeps it for the end. */
export function report(sums: Sums, text: string, file?: string): void {
  console.log(text)
  sums.reports.push({ text, ...(file !== undefined && { file }) })
}
