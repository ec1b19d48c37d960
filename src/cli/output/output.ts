import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { AppError, messageOf } from '../../platform/errors.ts'
import { catchInterruption, Interrupted } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { pauseBar } from './bar-line.ts'
import { cutToWidth, fitColumns, widthOf } from './columns.ts'
import { groupedUnder } from './numbers.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
type Cell = string | number | null | undefined

/** Output of a command: results go to standard output, everything else to standard error. */
export interface Output {
  readonly json: boolean
  /** Colours if standard output is a terminal and colours are not turned off. */
  paint(style: Style, text: string): string
  /** A line of the result, for people. Nothing with `--json`. */
  line(text?: string): void
  /** A JSON value on a line of its own; nothing without `--json`. */
  value(value: unknown): void
  /** Part of a JSON value that is too long to be held in memory; nothing without `--json`. */
  piece(text: string): void
  /** Writes the lines and values of `work` at once: a system call for each takes longer than the line. */
  together(work: () => void): void
  /** A remark on standard error. */
  note(text: string): void
  /**
   * Aligned columns with a header, or the sentence `empty` if there are no rows. Nothing with `--json`. On a terminal long
   * texts are cut with `…` so that each row has one line, and where even that is too wide each row is printed as fields.
   */
  table(head: readonly string[], rows: readonly (readonly Cell[])[], empty: string): void
  /** Aligned `name  value` lines; undefined values are left out. Nothing with `--json`. */
  fields(fields: Record<string, Cell>): void
  /** A JSON document, indented, for people. Nothing with `--json`. */
  document(value: unknown): void
  /** Resolves when the reader has caught up, so that a long result does not accumulate in memory. */
  drained(): Promise<void>
  /** Asks for confirmation on the terminal. Throws `usage` if there is no terminal or the answer is no. */
  confirm(question: string, yes: boolean): Promise<void>
  /**
   * Asks on the terminal. Returns undefined if there is no terminal, `''` if the question was dismissed. Throws
   * `Interrupted` for Ctrl-C.
   */
  ask(question: string): Promise<string | undefined>
  /** True once the reader of standard output is gone (`| head`). */
  closed(): boolean
  /**
   * Resolves when everything is written. Throws `unavailable` if the result could not be written, for example to a full
   * disk. A reader that is gone (`| head`) is not a failure.
   */
  written(): Promise<void>
}

export function createOutput(io: Io, { json, color }: { json: boolean; color: boolean }): Output {
  const colored =
    color && io.stdout.isTTY === true && !json && !io.environment.NO_COLOR && io.environment.TERM !== 'dumb'
  let closed = false
  let failure: Error | undefined
  // oclif has a listener that ends the process with a stack trace.
  io.stdout.removeAllListeners('error')
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true
    if (error.code !== 'EPIPE') failure ??= error
  })
  // A closed standard error is no reason to stop.
  io.stderr.on('error', () => {})
  /** The lines of a `together` that is under way. */
  let held: string[] | undefined
  const write = (text: string) => {
    if (closed) return
    if (held) return void held.push(text)
    // Both streams are usually the same terminal.
    pauseBar(io.stderr)
    io.stdout.write(`${text}\n`)
  }
  const line = (text = '') => void (json || write(text))
  const paint = (style: Style, text: string) => (colored ? styleText(style, text, { validateStream: false }) : text)

  function printFields(entries: readonly (readonly [string, Cell])[]): void {
    const width = Math.max(...entries.map(([name]) => name.length))
    for (const [name, value] of entries) line(`${paint('dim', name.padEnd(width))}  ${shown(name, value)}`)
  }

  async function ask(question: string): Promise<string | undefined> {
    if (json || io.stdin.isTTY !== true || io.stderr.isTTY !== true) return undefined
    pauseBar(io.stderr)
    if (io.caller) return io.caller.answer(question)
    const prompt = createInterface({ input: io.stdin, output: io.stderr })
    // While it asks, the terminal hands over single keys: whatever ends the question gives it back.
    const interruption = catchInterruption(io)
    const pressed = new Promise<never>((_, reject) => prompt.once('SIGINT', () => reject(new Interrupted('SIGINT'))))
    pressed.catch(() => {})
    try {
      // Ctrl-D rejects: no answer.
      const answer = prompt.question(question).catch(() => {
        io.stderr.write('\n')
        return ''
      })
      return (await Promise.race([answer, pressed, interruption.arrived])).trim()
    } catch (error) {
      io.stderr.write('\n')
      throw error
    } finally {
      interruption.end()
      prompt.close()
    }
  }

  return {
    json,
    paint,
    line,
    value: (value) => void (json && write(JSON.stringify(value))),
    piece: (text) => void (json && !closed && io.stdout.write(text)),
    together(work) {
      const lines: string[] = []
      held = lines
      try {
        work()
      } finally {
        held = undefined
        if (lines.length > 0) write(lines.join('\n'))
      }
    },
    note(text) {
      if (io.quiet) return
      pauseBar(io.stderr)
      io.stderr.write(`${text}\n`)
    },
    table(head, rows, empty) {
      if (rows.length === 0) return line(empty)
      const texts = rows.map((row) => row.map((cell, i) => shown(head[i]!, cell)))
      const numeric = head.map((_, i) => rows.every((row) => row[i] == null || typeof row[i] === 'number'))
      const wanted = head.map((name, i) =>
        texts.reduce((widest, row) => Math.max(widest, widthOf(row[i] ?? '')), widthOf(name)),
      )
      // A pipe gets everything.
      const columns = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY
      const firm = head.map((_, i) => numeric[i]! || texts.every((row) => FIRM.test(row[i] ?? '-')))
      const widths = fitColumns(wanted, firm, columns - GAP.length * (head.length - 1))
      if (!widths) {
        for (const [i, row] of texts.entries()) {
          if (i > 0) line()
          printFields(head.map((name, n) => [name, row[n] ?? '-']))
        }
        return
      }
      const align = (row: readonly string[]) =>
        row
          .map((text, i) => pad(cutToWidth(text, widths[i]!), widths[i]!, numeric[i]!))
          .join(GAP)
          .trimEnd()
      line(paint('bold', align(head)))
      for (const row of texts) line(align(row))
    },
    fields: (fields) => printFields(Object.entries(fields).filter(([, value]) => value !== undefined)),
    document(value) {
      // Line by line: JSON.stringify leaves marks that change the direction of text, and printable escapes line breaks.
      for (const text of JSON.stringify(value, null, 2).split('\n')) line(printable(text))
    },
    drained: () =>
      new Promise((resolve) => {
        if (closed || !io.stdout.writableNeedDrain) return resolve()
        io.stdout.once('drain', resolve)
        io.stdout.once('error', () => resolve())
      }),
    async confirm(question, yes) {
      if (yes) return
      const answer = await ask(`${question} [y/N] `)
      if (answer === undefined) {
        throw new AppError('usage', `${question} There is no terminal to ask on: add --yes to confirm`)
      }
      if (!/^y(es)?$/i.test(answer)) throw new AppError('usage', 'nothing was done')
    },
    ask,
    closed: () => closed,
    async written() {
      // The process ends with `process.exit`, which drops what a slow reader of a pipe has not taken yet.
      if (!closed && io.stdout.writableLength > 0) {
        await new Promise<void>((resolve) => void io.stdout.write('', () => resolve()))
      }
      // A stream reports an error only after the write that caused it.
      if (!closed) await new Promise<void>((resolve) => setImmediate(resolve))
      if (failure) throw new AppError('unavailable', `the result could not be written: ${messageOf(failure)}`)
    },
  }
}

/** A value as people read it below the head of a column, or beside its name. */
function shown(name: string, value: Cell): string {
  return typeof value === 'number' ? groupedUnder(name, value) : printable(value)
}

/**
 * Text from devices and callers made safe for a terminal. Control characters, which could move the cursor, change the
 * title or fake output, are escaped as `\x1b`, and so are the marks that change the direction of text.
 */
export function printable(value: Cell): string {
  if (value === null || value === undefined) return '-'
  return String(value).replace(UNSAFE, (character) => {
    const code = character.codePointAt(0)!
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
  })
}

const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu

/** Texts that people copy, or that say nothing when their end is missing: times, UUIDs, keys. Never cut to the terminal. */
const FIRM = /^(-|\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[adrs]k_\S+)$/i

/** The space between two columns of a table. */
const GAP = '  '

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return right ? space + text : text + space
}
