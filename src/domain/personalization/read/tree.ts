import { MAX_DEPTH, MAX_PARTS, MAX_TEXT_BYTES, type Problem } from '../types.ts'
import { type Condition, type Expression, readExpression, readTag, type Tag } from './syntax.ts'
import { placeOf, SyntaxProblem, type Token, tokensOf } from './tokens.ts'

/** A template text as a tree. */
export type Node =
  | { kind: 'text'; at: number; text: string }
  /** `source` is the expression as it is written; `at` is the index of its braces. */
  | ({ kind: 'output'; at: number; source: string } & Expression)
  | { kind: 'if'; at: number; branches: readonly Branch[]; otherwise: readonly Node[] }

interface Branch {
  at: number
  condition: Condition
  nodes: readonly Node[]
}

interface OpenIf {
  at: number
  branches: { at: number; condition: Condition; nodes: Node[] }[]
  otherwise: Node[] | undefined
  /** The nodes that it stands among. */
  around: Node[]
}

/** Collects problems of one text. */
export interface Problems {
  readonly found: readonly Problem[]
  add(at: number, message: string): void
  /** Runs `read`; a `SyntaxProblem` that it throws is added. */
  attempt<T>(read: () => T): T | undefined
}

export function problemsOf(text: string): Problems {
  const found: Problem[] = []
  const add = (at: number, message: string) => {
    const { line, column } = placeOf(text, at)
    found.push({ line, column, message: `line ${line}, column ${column}: ${message}` })
  }
  return {
    found,
    add,
    attempt(read) {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof SyntaxProblem)) throw error
        add(error.at, error.message)
        return undefined
      }
    },
  }
}

/** The tree of a text, as far as it can be read; what cannot is in `problems`. */
export function treeOf(text: string, problems: Problems): readonly Node[] {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) {
    problems.add(0, `the text has ${bytes} bytes; at most ${MAX_TEXT_BYTES} are allowed: shorten it`)
    return []
  }
  const tokens = problems.attempt(() => tokensOf(text)) ?? []
  const parts = tokens.filter((token) => token.kind !== 'text')
  const tooMany = parts[MAX_PARTS]
  if (tooMany !== undefined) {
    problems.add(
      tooMany.at,
      `the text has ${parts.length} parts in braces; at most ${MAX_PARTS} are allowed: leave some out`,
    )
    return []
  }
  const builder = new Builder(problems)
  for (const token of tokens) builder.add(token)
  return builder.end()
}

class Builder {
  readonly #nodes: Node[] = []
  readonly #open: OpenIf[] = []
  readonly #problems: Problems
  /** The list to which nodes are added. */
  #target: Node[] = this.#nodes

  constructor(problems: Problems) {
    this.#problems = problems
  }

  add(token: Token): void {
    if (token.kind === 'text') return void this.#target.push(token)
    const { kind, at, sourceAt, source } = token
    if (kind === 'output') {
      const expression = this.#problems.attempt(() => readExpression(source, sourceAt))
      if (expression) this.#target.push({ kind, at, source: source.trim(), ...expression })
      return
    }
    const tag = this.#problems.attempt(() => readTag(source, sourceAt))
    // The other tags are judged as if this one were right, so that one mistake has one problem.
    const meant = tag ?? meantTag(source)
    if (meant !== undefined) this.#addTag(meant, at)
  }

  #addTag(tag: Tag, at: number): void {
    const top = this.#open.at(-1)
    if ('condition' in tag && tag.name === 'if') return this.#begin(tag.condition, at)
    if (top === undefined) return this.#problems.add(at, `${tag.name} has no if before it: begin with {% if … %}`)
    if (tag.name === 'endif') return this.#close(top)
    if (top.otherwise !== undefined) {
      return this.#problems.add(at, `${tag.name} stands behind else: an if has one else, as its last branch`)
    }
    this.#target = []
    if ('condition' in tag) top.branches.push({ at, condition: tag.condition, nodes: this.#target })
    else top.otherwise = this.#target
  }

  #begin(condition: Condition, at: number): void {
    if (this.#open.length === MAX_DEPTH) {
      this.#problems.add(
        at,
        `more than ${MAX_DEPTH} ifs stand inside each other: join conditions with and, or use elsif`,
      )
    }
    const nodes: Node[] = []
    this.#open.push({ at, branches: [{ at, condition, nodes }], otherwise: undefined, around: this.#target })
    this.#target = nodes
  }

  #close({ at, branches, otherwise = [], around }: OpenIf): void {
    this.#open.pop()
    around.push({ kind: 'if', at, branches, otherwise })
    this.#target = around
  }

  end(): readonly Node[] {
    for (const { at } of this.#open) this.#problems.add(at, 'this if is never closed: put {% endif %} behind it')
    return this.#nodes
  }
}

const NO_CONDITION: Condition = { tests: [], joins: [] }

/** The tag of a source that cannot be read, if its name can be. */
function meantTag(source: string): Tag | undefined {
  const name = /^\W*(\w*)/.exec(source)?.[1]
  if (name === 'else' || name === 'endif') return { name }
  return name === 'if' || name === 'elsif' ? { name, condition: NO_CONDITION } : undefined
}
