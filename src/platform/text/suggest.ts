/**
 * Finds the known word that a mistyped one probably means. That is the closest one if its edit distance is at most
 * `most` (default: a third of the word's length, at least 1), otherwise the first one that begins with the word.
 * Undefined when there is none.
 */
export function suggest(
  word: string,
  known: readonly string[],
  most = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  // Comparing takes time with the product of both lengths, and nobody mistypes a word of ours at such length.
  if (word.length > LONGEST) return undefined
  let best: string | undefined
  let least = most + 1
  for (const candidate of known) {
    const distance = distanceOf(word, candidate)
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best ?? known.find((candidate) => word.length > 2 && candidate.startsWith(word))
}

const LONGEST = 100

/** Edit distance: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      next[j] = least
    }
    before = row
    row = next
  }
  return row[b.length]!
}
