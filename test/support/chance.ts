import { randomInt } from 'node:crypto'
import { reaches } from './depth.ts'

/** Numbers by chance (mulberry32): from 0 up to, and without, `end`. The same seed gives the same numbers. */
export function chance(seed: number): (end: number) => number {
  let state = seed
  return (end) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}

/** The seed of a test: the same in each run, and a fresh one in the long run. A test that uses it says it where it fails. */
export const seedOf = (usual: number): number => (reaches('long') ? randomInt(2 ** 31) : usual)
