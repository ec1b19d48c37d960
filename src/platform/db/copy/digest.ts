import { hash } from 'node:crypto'
import type { Row } from './store.ts'

/** The number of rows and the sum of their digests: the same for the same rows in any order. */
export interface Digest {
  rows: number
  /** 128 bits in hex. */
  sum: string
}

const MASK = (1n << 128n) - 1n

/**
 * Adds up the digests of rows (SHA-256, the first half). A sum needs no order, and the two databases order texts differently.
 * `from` is the sum that an interrupted copy had reached.
 */
export function digestOfRows(from: Digest = { rows: 0, sum: '0' }) {
  let { rows } = from
  let sum = BigInt(`0x${from.sum}`)
  return {
    add(row: Row): void {
      rows++
      sum += BigInt(`0x${hash('sha256', textOf(row)).slice(0, 32)}`)
    },
    value: (): Digest => ({ rows, sum: (sum & MASK).toString(16) }),
  }
}

/** Each value with its length, so that two different rows never have the same text. */
function textOf(row: Row): string {
  let text = ''
  for (const value of row) text += value === null ? '-' : `${value.length}:${value}`
  return text
}
