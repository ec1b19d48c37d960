import type { DefaultTaken, Scope } from './types.ts'

/** The state of one rendering. */
export interface Run {
  scope: Scope
  text: string
  maxBytes: number
  /** Characters that filters and searches have read or made. */
  work: number
  missing: string[] | undefined
  /** The number of defaults that were taken. */
  defaults: number
  /** Takes notes of the outputs in which a default stands; undefined: nobody asks. */
  notes: DefaultTaken[] | undefined
  /** True when the value that gives the whole address is missing. */
  isLost: boolean
}

/** A compiled value. */
export type Get = (run: Run) => unknown

/**
 * The most characters that filters and searches read and make for one text: values of devices may be large, and many filters
 * stand in 16 KiB.
 */
const MAX_WORK = 8 * 2 ** 20

/** Thrown when a rendering is too much. It says nothing, so it is made once and has no stack of its own. */
export const TOO_LARGE = new Error('the text is too large')

/** Counts characters. Throws `TOO_LARGE`. */
export function spend(run: Run, characters: number): void {
  run.work += characters
  if (run.work > MAX_WORK) throw TOO_LARGE
}

/** Length up to which a searched text costs nothing besides. */
const SHORT = 64

/** Counts the search for one text in another: in the worst case it compares each with each. Throws `TOO_LARGE`. */
export function spendSearch(run: Run, text: string, search: string): void {
  spend(run, text.length * Math.ceil(search.length / SHORT))
}
