/** What came of a run, so far. */
export interface Sums {
  passed: number
  failed: number
  skipped: { name: string; why: string }[]
  /** What routes answered in any test. */
  answered: Set<string>
  /** Those of them that tests got which need no programs. */
  onAnyMachine: Set<string>
  /** What each file took. */
  files: Took[]
  /** Files in which something failed: the names of what failed, and how many tests of the file passed. */
  broken: Map<string, Broken>
  /** What each test took, without its hooks. */
  tests: Took[]
  /** What was printed about failures when they happened. It is printed again at the end, because often the end is all that is kept of a log. */
  reports: Report[]
  races: Race[]
  /** How many of the documented answers were given, of how many; of a run of everything. */
  answers?: { given: number; documented: number }
}

interface Report {
  text: string
  /** Of which it tells, if it is of one. */
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
  /** What was printed when they failed. */
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

/** Prints what failed, and keeps it for the end. */
export function report(sums: Sums, text: string, file?: string): void {
  console.log(text)
  sums.reports.push({ text, ...(file !== undefined && { file }) })
}
