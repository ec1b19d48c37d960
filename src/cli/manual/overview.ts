import { cutToWidth, widthOf } from '../output/columns.ts'
import type { Output } from '../output/output.ts'
import { aboutWord, type Catalogue, EXAMPLES, GROUPS } from './groups.ts'
import type { FoundCommand } from './search.ts'

/** The widest lines: longer ones are hard to read. */
const WIDEST = 100
/** Left of this width what an example does stands below it. */
const INDENT = '  '

/** The help of the whole program: its commands in groups, five examples, and how to find out more. `columns`: width of the terminal. */
export function printOverview(out: Output, catalogue: Catalogue, about: string, columns: number): void {
  const width = Math.min(columns, WIDEST)
  const words = GROUPS.flatMap(([, names]) => names)
  const column = Math.max(...words.map((word) => word.length))
  for (const line of wrapped(about, width)) out.line(line)
  out.line()
  out.line(`${out.paint('bold', 'Usage')}  appsvc COMMAND [ARGUMENTS] [FLAGS]`)
  for (const [title, names] of GROUPS) {
    out.line()
    out.line(out.paint('bold', title))
    for (const name of names) {
      const text = cutToWidth(aboutWord(catalogue, name), Math.max(10, width - column - 2 * INDENT.length))
      out.line(`${INDENT}${out.paint('cyan', name.padEnd(column))}${INDENT}${text}`)
    }
  }
  out.line()
  out.line(out.paint('bold', 'Examples'))
  for (const [line, what] of EXAMPLES) {
    out.line(`${INDENT}${out.paint('dim', `# ${what}`)}`)
    out.line(`${INDENT}${line}`)
  }
  out.line()
  out.line(out.paint('bold', 'More'))
  const more = [
    ['appsvc help WORD', 'finds commands by their names and descriptions: appsvc help certificate'],
    ['appsvc COMMAND --help', 'its arguments and flags, with examples'],
  ] as const
  printPairs(out, more, width)
}

/** The commands that a search has found, or a sentence. */
export function printFound(
  out: Output,
  words: readonly string[],
  found: readonly FoundCommand[],
  columns: number,
): void {
  out.line(out.paint('bold', `Commands about ${words.join(' ')}`))
  printPairs(
    out,
    found.map(({ id, summary }) => [`appsvc ${id}`, summary] as const),
    Math.min(columns, WIDEST),
  )
  out.line()
  out.line('appsvc COMMAND --help shows the arguments and flags of one, with examples.')
}

/** Names with a text behind each, or below it where the terminal is narrow. */
function printPairs(out: Output, pairs: readonly (readonly [string, string])[], width: number): void {
  const column = Math.max(...pairs.map(([name]) => widthOf(name)))
  const isNarrow = width - column < 40
  const indent = isNarrow ? INDENT.repeat(2) : ' '.repeat(column + 2 * INDENT.length)
  for (const [name, text] of pairs) {
    const [first = '', ...rest] = wrapped(text, width - indent.length)
    const label = out.paint('cyan', isNarrow ? name : name.padEnd(column))
    out.line(isNarrow ? `${INDENT}${label}` : `${INDENT}${label}${INDENT}${first}`)
    for (const line of isNarrow ? [first, ...rest] : rest) out.line(`${indent}${line}`)
  }
}

/** The words of a text in lines of at most `width` columns; a longer word has its own line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
