import type { Depth } from '../depth.ts'

/**
 * A message of a child while it runs; `wants` asks for the next file, and `cpuMs` is the time that it and its programs
 * have used until then.
 */
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

/** The parent's answer to `wants`: null when there is nothing left to do. */
export interface Handed {
  file: string | null
}

/** The variable that makes a process of the runner a child; the tests see it too. */
export const CHILD = 'MOCHA_SUPERVISED'

/** The order of a command line. */
export interface Order {
  options: Mocha.MochaOptions
  files: string[]
  depth: Depth
  /** Several children take files in turn; otherwise one runs all of them in their order, with the reporter that somebody asked for. */
  isShared: boolean
  /** True when nobody has named anything: all tests of the depth. */
  isEverything: boolean
  /** Parts whose tests are left to `--whole`, with the number of their files. */
  left: readonly { what: string; files: number }[]
}
