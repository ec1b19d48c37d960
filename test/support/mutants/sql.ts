/** Changes of one thing in the text of a statement: a condition that is always true, a comparison, an order. */

/** A change of a text: `before` stands at `at`. */
export interface SqlChange {
  kind: 'condition' | 'where' | 'order' | 'bound'
  at: number
  before: string
  after: string
}

const IS_SQL =
  /\b(?:SELECT|UPDATE \w+ SET|DELETE FROM|INSERT INTO|ORDER BY|IS NULL|IS NOT NULL)\b|\b(?:WHERE|AND)\b.*(?:[=<>]|\bIN\b|\bIS\b)/s

const COMPARISONS: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '<>', '<>': '=' }

/** The end of a condition. */
const AFTER_CONDITION =
  /\b(?:AND|OR|ORDER|GROUP|LIMIT|HAVING|RETURNING|ON|UNION|WINDOW|FOR|WHEN|THEN|ELSE|END|SET|FROM|WHERE)\b/y

/** Words of the same length where something of JavaScript stands in the text. */
function masked(text: string): string {
  let depth = 0
  let result = ''
  for (let i = 0; i < text.length; i++) {
    if (depth === 0 && text.startsWith('${', i)) depth = 0.5
    if (depth > 0) {
      if (text[i] === '{') depth = depth === 0.5 ? 1 : depth + 1
      if (text[i] === '}') depth--
      result += text[i] === '\n' ? '\n' : 'v'
    } else result += text[i]
  }
  return result
}

/** The end of the condition that begins at `from`: an AND, a closing bracket, the next clause or the end of the text. */
function endOfCondition(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    const at = text[i]!
    if (at === '(') depth++
    if (at === ')' && --depth < 0) return i
    if (depth > 0) continue
    if (at === ',' || at === '`' || at === ';' || (at === "'" && i === text.length - 1)) return i
    AFTER_CONDITION.lastIndex = i
    if (/\W/.test(text[i - 1] ?? ' ') && AFTER_CONDITION.test(text)) return i
  }
  return text.length
}

/** Changes in a literal, with its quotes. Empty when it is no statement nor a part of one. */
export function sqlChanges(literal: string): SqlChange[] {
  const text = masked(literal)
  if (!IS_SQL.test(text)) return []
  const changes: SqlChange[] = []
  for (const { 0: word, index } of text.matchAll(/\b(?:AND|WHERE)\s+/g)) {
    if (/\bBETWEEN\s+\S+\s+$/.test(text.slice(0, index))) continue
    const from = index + word.length
    const condition = literal.slice(from, endOfCondition(text, from)).trimEnd()
    // The whole list of conditions, a row value or nothing at all.
    if (condition.length < 4 || /^v+$/.test(masked(condition))) continue
    changes.push({ kind: 'where', at: from, before: condition, after: `(${condition} OR TRUE)` })
  }
  for (const { index, groups } of text.matchAll(/(?<=[\w?)] )(?<sign><=|>=|<>|<|>|=)(?= [\w?(:$'])/g)) {
    const sign = groups!.sign!
    if (isInSet(text, index)) continue
    changes.push({ kind: 'condition', at: index, before: sign, after: COMPARISONS[sign]! })
  }
  for (const { 0: word, index } of text.matchAll(/\bIS NOT NULL\b|\bIS NULL\b/g)) {
    changes.push({ kind: 'condition', at: index, before: word, after: word === 'IS NULL' ? 'IS NOT NULL' : 'IS NULL' })
  }
  for (const { 0: word, index } of text.matchAll(/\b(?:DESC|ASC)\b/g)) {
    changes.push({ kind: 'order', at: index, before: word, after: word === 'ASC' ? 'DESC' : 'ASC' })
  }
  for (const { 1: terms, index, 0: whole } of text.matchAll(
    /\bORDER BY ((?:[\w.]+(?: (?:ASC|DESC))?)(?:, [\w.]+(?: (?:ASC|DESC))?)*)/g,
  )) {
    const at = index + whole.length - terms!.length
    const names = terms!.split(', ')
    if (names.length > 1) changes.push({ kind: 'order', at, before: terms!, after: names.slice(0, -1).join(', ') })
    if (!/\b(?:ASC|DESC)$/.test(names[0]!)) {
      changes.push({ kind: 'order', at, before: names[0]!, after: `${names[0]} DESC` })
    }
  }
  for (const { index, groups } of text.matchAll(/\bLIMIT (?<count>\d+)\b/g)) {
    const count = groups!.count!
    changes.push({ kind: 'bound', at: index + 6, before: count, after: String(Number(count) + 1) })
  }
  return changes
}

/** Tells whether a `=` stores something: between SET and the next clause, outside of brackets. */
function isInSet(text: string, index: number): boolean {
  const before = text.slice(0, index)
  const set = Math.max(before.lastIndexOf(' SET '), before.lastIndexOf('\nSET '))
  return set >= 0 && !/\b(?:WHERE|FROM|CASE|WHEN)\b/.test(before.slice(set))
}
