/** Digits of the longest number that a version may have in one place; its length must fit one base-36 digit. */
const MOST_DIGITS = 35

/**
 * A text that sorts, byte by byte, as the app version does: `1.9` < `1.10-beta.2` < `1.10-beta.11` < `1.10` = `1.10.0`. Null for
 * what does not begin with a number (`nightly`). As semantic versioning has it (https://semver.org, section 11), and kinder to
 * what apps really send: any number of places, a leading `v`, `2.0b3` without a hyphen, letters in any case, and a build number
 * behind a blank, a bracket or `+` that does not count. Stored with the install (migration 0007 holds a copy of this).
 */
export function versionKey(version: string | null): string | null {
  const match = /^\s*v?(\d+(?:\.\d+)*)([^+\s(]*)/i.exec(version ?? '')
  if (!match) return null
  const places = match[1]!.split('.').map(withoutZeros)
  while (places.at(-1) === '0') places.pop()
  const words = match[2]!.toLowerCase().match(/\d+|[^\d\p{P}\p{S}]+/gu) ?? []
  if ([...places, ...words].some((part) => /^\d/.test(part) && withoutZeros(part).length > MOST_DIGITS)) return null
  // '-' sorts before '.', and both before the digit that begins a further place.
  return places.map(sized).join('') + (words.length > 0 ? `-${words.map(wordKey).join('')}` : '.')
}

/** Numbers come before words, and a version that ends here before one that goes on. */
function wordKey(word: string): string {
  return /^\d/.test(word) ? `1${sized(withoutZeros(word))}` : `2${word}!`
}

/** Longer numbers are greater, so the length comes first. */
function sized(digits: string): string {
  return digits.length.toString(36) + digits
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}
