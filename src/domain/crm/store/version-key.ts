/** Maximum number of digits in one part of a version. The length must fit one base-36 digit. */
const MAX_DIGITS = 35

/**
 * A key whose byte order is the order of app versions: `1.9` < `1.10-beta.2` < `1.10-beta.11` < `1.10` = `1.10.0`. Null
 * when the version does not begin with a number (`nightly`). It follows semantic versioning (https://semver.org,
 * section 11), and also accepts versions that apps really send: any number of parts, a leading `v`, `2.0b3` without a
 * hyphen, and letters in any case. A build number after a blank, a bracket or `+` is ignored. The key is stored with
 * the install.
 */
export function versionKey(version: string | null): string | null {
  const match = /^\s*v?(\d+(?:\.\d+)*)([^+\s(]*)/i.exec(version ?? '')
  if (!match) return null
  const places = match[1]!.split('.').map(withoutZeros)
  while (places.at(-1) === '0') places.pop()
  const words = match[2]!.toLowerCase().match(/\d+|[^\d\p{P}\p{S}]+/gu) ?? []
  if ([...places, ...words].some((part) => /^\d/.test(part) && withoutZeros(part).length > MAX_DIGITS)) return null
  // '-' sorts before '.', and both before the digit that begins another part.
  return places.map(sized).join('') + (words.length > 0 ? `-${words.map(wordKey).join('')}` : '.')
}

/** Numbers sort before words, and a version that ends here before one that continues. */
function wordKey(word: string): string {
  return /^\d/.test(word) ? `1${sized(withoutZeros(word))}` : `2${word}!`
}

/** The length comes first, because longer numbers are greater. */
function sized(digits: string): string {
  return digits.length.toString(36) + digits
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '')
}
