/** Text that differs each time, and the word that takes its place on both sides. */
const VARIABLE: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b(ak|sk|dk|rk|ss)_[\w-]{43}/g, '$1_KEY'],
  [/\bwhsec_[\w+/=-]{20,}/g, 'whsec_SECRET'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b[a-z0-9]{11}(?=\.localhost\b)/g, 'LINKHOST'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/\b\d{8}T\d{6}Z\b/g, 'TIME'],
  [/\b\d\d:\d\d:\d\d\b/g, 'CLOCK'],
  [/(?<=127\.0\.0\.1:|localhost:)\d{2,5}\b/g, 'PORT'],
  [/\b\d{13}\b/g, 'MILLISECONDS'],
  [/\/(?:home|tmp)\/[\w./-]+?(?=\/data\b|\/sandbox\b)/g, 'FOLDER'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, 'DURATION'],
  [/\b\d{10}\b/g, 'SECONDS'],
  [/\b[\d,]+(?:\.\d+)? [MG]iB\b/g, 'BYTES'],
  [/-{3,}/g, '---'],
  [/[ \t]+/g, ' '],
]

/**
 * Tells whether the output of a command is the one that its page shows. A line of `…` or `...` stands for any lines,
 * `…` in a line for any text.
 */
export function isAsShown(shown: string, printed: string): boolean {
  return asPattern(shown).test(`${plain(printed)}\n`)
}

function plain(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const without = lines.filter((line) => line !== '').join('\n')
  return VARIABLE.reduce((all, [pattern, word]) => all.replace(pattern, word), without)
}

function asPattern(shown: string): RegExp {
  const lines = plain(shown).split('\n')
  const patterns = lines.map((line) => (line === '…' || line === '...' ? '(?:.*\\n)*?' : `${escaped(line)}\\n`))
  return new RegExp(`^${patterns.join('')}$`)
}

function escaped(line: string): string {
  return line
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*')
}
