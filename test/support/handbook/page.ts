/**
 * The commands of a page of the handbook, in their order. What authors write is described in CONTRIBUTING.md, "Commands in the handbook".
 */

/** One thing that the reader does, and what the page says comes of it. */
export type Step =
  /** Commands of a block `sh`, or hidden ones: they run as one script and end with `exit`. */
  | { kind: 'script'; line: number; commands: string; exit: number }
  /** One command of a block `console`, with the output that stands below it. */
  | { kind: 'command'; line: number; commands: string; exit: number; output: string }
  /** A file that the reader writes. */
  | { kind: 'file'; line: number; path: string; text: string }
  /** A block that the test does not run, and why. */
  | { kind: 'left out'; line: number; why: string }

/** Information strings of blocks whose commands run. */
const RUN = new Set(['sh', 'console'])
/** A line that a reader would type. */
const LIKE_A_COMMAND = /^(?:\$ |(?:npx )?appsvc (?!-?\/)|curl |docker |sudo )/
/** The form of a command in a synopsis, not one to type. */
const SYNOPSIS = / \| \w|\.\.\.|…|\[--|\b(?:APP|ID|PLATFORM|FILE|PORT|INSTALL)\b/
const FENCE = /^(`{3,})(.*)$/

/** Marks before a block, which the test has to know of it. */
interface Marks {
  leftOut?: string
  exit?: number
  file?: string
}

/** Throws with the line when a block, or a mark, is not of this form. */
export function stepsOf(markdown: string): Step[] {
  const lines = markdown.split('\n')
  const steps: Step[] = []
  let marks: Marks = {}
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const number = at + 1
    if (line.startsWith('<!--')) {
      const end = lines.findIndex((one, i) => i >= at && one.includes('-->'))
      if (end < 0) throw new Error(`line ${number}: the comment does not end`)
      const words = lines
        .slice(at, end + 1)
        .join('\n')
        .replace(/^<!--\s*|\s*-->.*$/g, '')
      if (words.startsWith('run\n')) steps.push(...scripts(number + 1, words.slice(4), 0))
      else marks = { ...marks, ...markOf(words) }
      at = end
      continue
    }
    const fence = FENCE.exec(line)
    if (fence) {
      const end = lines.findIndex((one, i) => i > at && one === fence[1])
      if (end < 0) throw new Error(`line ${number}: the block does not end`)
      steps.push(...stepsOfBlock(fence[2]!.trim(), lines.slice(at + 1, end), number + 1, marks))
      marks = {}
      at = end
      continue
    }
    if (line.trim() !== '') {
      if (Object.keys(marks).length > 0) throw new Error(`line ${number}: the mark above it stands before no block`)
      if (
        line.startsWith('    ') &&
        LIKE_A_COMMAND.test(line.trim()) &&
        !SYNOPSIS.test(line) &&
        /^ {4}|^\s*$/.test(lines[at - 1] ?? '')
      )
        throw new Error(`line ${number}: commands stand in blocks \`\`\`sh or \`\`\`console: ${line.trim()}`)
    }
  }
  return steps
}

function markOf(words: string): Marks {
  const mark = /^(not run|exits|file): (.+)$/s.exec(words)
  if (!mark) return {}
  const [, name, value] = mark as unknown as [string, string, string]
  if (name === 'not run') return { leftOut: value }
  if (name === 'file') return { file: value }
  return { exit: Number(value) }
}

function stepsOfBlock(language: string, lines: string[], line: number, marks: Marks): Step[] {
  const { leftOut, exit = 0, file } = marks
  if (file !== undefined) return [{ kind: 'file', line, path: file, text: `${lines.join('\n')}\n` }]
  if (!RUN.has(language)) {
    const typed = lines.find((one) => LIKE_A_COMMAND.test(one) && !SYNOPSIS.test(one))
    if (typed !== undefined)
      throw new Error(`line ${line}: commands stand in blocks \`\`\`sh or \`\`\`console: ${typed}`)
    return []
  }
  if (leftOut !== undefined) return [{ kind: 'left out', line, why: leftOut }]
  if (language === 'sh') return scripts(line, lines.join('\n'), exit)
  return dialogue(lines, line, exit)
}

/** A server that the reader starts in a terminal of its own is a step by itself. */
function scripts(line: number, commands: string, exit: number): Step[] {
  const parts = commands.split(
    /^(?=(?:[A-Z_]+=\S+ )*(?:npx )?appsvc (?:serve|worker|sandbox|demo)\b)|(?<=^(?:[A-Z_]+=\S+ )*(?:npx )?appsvc (?:serve|worker|sandbox|demo)\b.*\n)/m,
  )
  let at = line
  return parts.map((part, i) => {
    const step: Step = { kind: 'script', line: at, commands: part.trimEnd(), exit: i === parts.length - 1 ? exit : 0 }
    at += part.split('\n').length - 1
    return step
  })
}

/** `$ ` begins a command, `> ` continues it; what follows is its output. The last command of the block ends with `exit`. */
function dialogue(lines: string[], first: number, exit: number): Step[] {
  const said: { line: number; commands: string[]; output: string[] }[] = []
  for (const [i, line] of lines.entries()) {
    const current = said.at(-1)
    if (line.startsWith('$ ')) said.push({ line: first + i, commands: [line.slice(2)], output: [] })
    else if (!current) throw new Error(`line ${first + i}: a block \`\`\`console begins with a command after "$ "`)
    else if (line.startsWith('> ') && current.output.length === 0) current.commands.push(line.slice(2))
    else current.output.push(line)
  }
  return said.map(({ line, commands, output }, i) => ({
    kind: 'command',
    line,
    commands: commands.join('\n'),
    exit: i === said.length - 1 ? exit : 0,
    output: output.join('\n').trim(),
  }))
}
