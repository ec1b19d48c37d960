import type { Depth } from '../depth.ts'

/** What a child tells while it runs; `wants` asks for the next file, and `cpuMs` is what it and its programs have used until then. */
export type Progress =
  | { start: string }
  | { passed: string; ms: number }
  | { failed: string }
  | { skipped: string; why: string }
  /** `onAnyMachine`: by a test that needs no programs. */
  | { answered: string; onAnyMachine: boolean }
  | { report: string; file: string }
  | { wants: 'file'; cpuMs: number }
  | { finished: true }

/** What the parent answers to `wants`: null when there is nothing left to do. */
export interface Handed {
  file: string | null
}

/** The variable that makes a process of the runner a child; the tests see it too. */
export const CHILD = 'MOCHA_SUPERVISED'

/** What a command line asks of a run. */
export interface Order {
  options: Mocha.MochaOptions
  files: string[]
  depth: Depth
  /** Several children take files in turn; otherwise one runs all of them in their order, with the reporter that somebody asked for. */
  isShared: boolean
  /** Nobody has named anything: all tests of the depth. */
  isEverything: boolean
}
