/**
 * Counts how often each text was seen, for a million texts in a few tens of megabytes: only a 64-bit hash of the text
 * is kept (open addressing in typed arrays). With a million texts, the chance of a collision is about 3 in 100 million,
 * far below what an exactly-once check needs. Counts stop at 65 535.
 */
export interface Tally {
  /** Counts the text and returns its new count. `salt` separates uses of the same text, e.g. a message id. */
  add(text: string, salt?: string): number
  count(text: string, salt?: string): number
  summary(): TallySummary
  clear(): void
}

export interface TallySummary {
  /** Number of different texts. */
  distinct: number
  /** Number of texts seen more than once. */
  repeated: number
  /** The highest count of one text. */
  max: number
}

const SMALLEST = 1024
const FULL = 0.6
const HIGHEST = 65_535

export function tally(): Tally {
  let low = new Uint32Array(SMALLEST)
  let high = new Uint32Array(SMALLEST)
  let counts = new Uint16Array(SMALLEST)
  let seen: TallySummary = { distinct: 0, repeated: 0, max: 0 }
  // The hash of the last text; two variables instead of a pair, so that a send allocates nothing.
  let h1 = 0
  let h2 = 0

  function hash(text: string, salt: string): void {
    h1 = 0xdeadbeef
    h2 = 0x41c6ce57
    mix(text)
    mix(salt)
    h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909)
    h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909)
    h1 >>>= 0
    h2 >>>= 0
  }

  function mix(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      h1 = Math.imul(h1 ^ c, 2654435761)
      h2 = Math.imul(h2 ^ c, 1597334677)
    }
    // A terminator, or ("ab", "c") would count as ("a", "bc").
    h1 = Math.imul(h1 ^ 0x10000, 2654435761)
    h2 = Math.imul(h2 ^ 0x10000, 1597334677)
  }

  function slot(): number {
    const mask = counts.length - 1
    let at = h1 & mask
    while (counts[at] !== 0 && (low[at] !== h1 || high[at] !== h2)) at = (at + 1) & mask
    return at
  }

  function grow(): void {
    const [oldLow, oldHigh, oldCounts] = [low, high, counts]
    low = new Uint32Array(oldLow.length * 2)
    high = new Uint32Array(oldLow.length * 2)
    counts = new Uint16Array(oldLow.length * 2)
    for (let i = 0; i < oldCounts.length; i++) {
      if (oldCounts[i] === 0) continue
      h1 = oldLow[i]!
      h2 = oldHigh[i]!
      const at = slot()
      low[at] = h1
      high[at] = h2
      counts[at] = oldCounts[i]!
    }
  }

  return {
    add(text, salt = '') {
      if (seen.distinct > counts.length * FULL) grow()
      hash(text, salt)
      const at = slot()
      const count = Math.min(counts[at]! + 1, HIGHEST)
      low[at] = h1
      high[at] = h2
      counts[at] = count
      if (count === 1) seen.distinct++
      if (count === 2) seen.repeated++
      if (count > seen.max) seen.max = count
      return count
    },
    count(text, salt = '') {
      hash(text, salt)
      return counts[slot()]!
    },
    summary: () => ({ ...seen }),
    clear() {
      low = new Uint32Array(SMALLEST)
      high = new Uint32Array(SMALLEST)
      counts = new Uint16Array(SMALLEST)
      seen = { distinct: 0, repeated: 0, max: 0 }
    },
  }
}
