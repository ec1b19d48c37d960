import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with a digest of each statement of the scenario: the way in which it chooses rows. */
export const STATEMENTS_FILE = join(import.meta.dirname, 'statements.txt')

/** The digests that are written down. */
export const readStatements = (): Set<string> => new Set(readFileSync(STATEMENTS_FILE, 'utf8').split('\n'))

/**
 * A statement's effect on rows without the values that it selects and stores: its tables, conditions and order, in lower case.
 * Two statements that choose rows in the same way have the same digest on both databases. Numbers and lists of values are left
 * out, because they depend on the world. Undefined for the data tables of operators: their statements depend on the caller.
 */
export function digestOf(sql: string): string | undefined {
  const text = sql
    .replace(/--[^\n]*\n/g, ' ')
    .replace(/[`"]/g, '')
    .replace(/\$\d+|\+\?/g, '?')
    .replace(/:(?=[a-z])[a-zA-Z]+\b(?<!::\w+)/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/\b(limit|offset) (?:\d+|\?)/g, '$1 n')
    .replace(/\(\s*\?(?:\s*,\s*\?)*\s*\)/g, '(?)')
    .replace(/(?:\(\?\)(?:, ?)?){2,}/g, '(?)')
    // What the two databases write in two ways.
    .replace(/ = any\(\?\)| in \(select value from json_each\(\?\)\)/g, ' in (?)')
    .replace(/\bctid = any\(array\((.+)\)\)/g, 'rowid in ($1)')
    .replace(/json_array_elements\(\?::json\) as line where json_typeof\(line\) = 'array'/g, 'json_each(?) where true')
    .replace(/^(?<into>.*\binsert into \w+) \([^()]*\)/, '$<into> (…)')
  if (/\bdata_\d+_/.test(text)) return undefined
  return withoutLists(text).replace(/\s+/g, ' ').trim()
}

/** The beginning of a list that tells nothing of the choice of rows, and its end at the same depth. */
const LISTS: readonly [begin: RegExp, end: RegExp][] = [
  [/select (?:distinct )?/y, /from\b/y],
  [/set /y, /(?:where|from|returning)\b/y],
  [/returning /y, /\0/y],
]

/** The text without lists of columns and values; of these the inner statements stay. */
function withoutLists(text: string): string {
  let result = ''
  for (let i = 0; i < text.length; ) {
    const list = LISTS.find(([begin]) => matches(begin, text, i) && (i === 0 || !/\w/.test(text[i - 1]!)))
    if (!list) {
      result += text[i++]
      continue
    }
    const [begin, end] = list
    begin.lastIndex = i
    const word = begin.exec(text)![0]
    const from = i + word.length
    const to = endOfList(text, from, end)
    const inner = innerStatements(text.slice(from, to)).map(withoutLists)
    result += `${word}… ${inner.map((one) => `(${one}) `).join('')}`
    i = to
  }
  return result
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function endOfList(text: string, from: number, end: RegExp): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text[i] === '(') depth++
    if (text[i] === ')' && --depth < 0) return i
    if (depth === 0 && !/\w/.test(text[i - 1] ?? ' ') && matches(end, text, i)) return i
  }
  return text.length
}

/** Statements in brackets. */
function innerStatements(list: string): string[] {
  const found: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < list.length; i++) {
    if (list[i] === '(' && depth++ === 0) from = i + 1
    if (list[i] === ')' && --depth === 0) {
      const inner = list.slice(from, i)
      if (/^\s*select\b/.test(inner)) found.push(inner.trim())
      else found.push(...innerStatements(inner))
    }
  }
  return found
}
