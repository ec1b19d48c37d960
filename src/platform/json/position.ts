const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' }
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * The index of the first character that makes a text invalid JSON, or its length if the text ends too early. JSON.parse
 * of V8 does not report the position of an unexpected token. Linear time, no recursion.
 */
export function findUnexpected(source: string): number {
  const closers: string[] = []
  let expects: 'value' | 'item or end' | 'key or end' | 'key' | 'colon' | 'comma or end' = 'value'
  let i = 0
  for (;;) {
    while (i < source.length && ' \t\n\r'.includes(source[i]!)) i++
    const c = source[i]
    if (c === undefined) return i
    const isEnd = c === closers.at(-1) && expects.endsWith('or end')
    if (isEnd) {
      closers.pop()
      expects = 'comma or end'
      i++
    } else if (expects === 'comma or end') {
      if (c !== ',' || closers.length === 0) return i
      expects = closers.at(-1) === '}' ? 'key' : 'value'
      i++
    } else if (expects === 'colon') {
      if (c !== ':') return i
      expects = 'value'
      i++
    } else if (c === '"') {
      expects = expects.startsWith('key') ? 'colon' : 'comma or end'
      i = endOfString(source, i)
    } else if (expects.startsWith('key')) {
      return i
    } else if (c === '{' || c === '[') {
      closers.push(c === '{' ? '}' : ']')
      expects = c === '{' ? 'key or end' : 'item or end'
      i++
    } else {
      const literal = LITERALS[c]
      NUMBER.lastIndex = i
      const length: number = literal ? sharedPrefix(literal, source, i) : (NUMBER.exec(source)?.[0].length ?? 0)
      if (length === 0 || (literal && length < literal.length)) return i + length
      expects = 'comma or end'
      i += length
    }
  }
}

/** The index after a string that begins at `start`, or the length of the text if the string does not end. */
function endOfString(source: string, start: number): number {
  let i = start + 1
  while (i < source.length && source[i] !== '"') i += source[i] === '\\' ? 2 : 1
  return Math.min(i + 1, source.length)
}

function sharedPrefix(word: string, source: string, start: number): number {
  let length = 0
  while (length < word.length && source[start + length] === word[length]) length++
  return length
}
