import { leavesFolder } from '../../platform/values/dot-segments.ts'
import { urlPart, withoutApostrophes } from '../../platform/values/url-part.ts'
import { checkAddress, hidesHost, mayBeAddress, type Place } from './address.ts'
import { conditionOf } from './conditions.ts'
import { applied, readingsOf } from './filters/filters.ts'
import { pathOf } from './paths.ts'
import type { Call, Operand } from './read/syntax.ts'
import { type Node, type Problems, problemsOf, treeOf } from './read/tree.ts'
import { type Get, type Run, TOO_LARGE } from './run.ts'
import type {
  Compiled,
  Reading,
  Rendered,
  RenderOptions,
  Scope,
  Template,
  TemplateContext,
  TextOutput,
} from './types.ts'
import { isMissing } from './values.ts'

/** Compiles template texts: once for each text, to functions that are called for each recipient. Pure. */

/**
 * Compiles a text that people read. It names every wrong place, or gives the template; it never throws. `context` says what
 * the text may read besides what every text may.
 */
export function compile(text: string, context: TemplateContext = {}): Compiled {
  const problems = problemsOf(text)
  const nodes = treeOf(text, problems)
  return finish(nodes, problems, context, () => 'text', render)
}

/**
 * Compiles the text of an address. Its scheme and host are literal, or it comes whole from `meta`, a look-up or an event that a
 * server sent; other values are percent-encoded. A result is empty where the value of a whole address is missing, or is neither
 * `scheme://…` nor a path. The caller checks each result by its own rule, such as that the scheme is https.
 */
export function compileAddress(text: string, context: TemplateContext = {}): Compiled {
  const plain = compile(text, context)
  if (plain.problems !== undefined) return plain
  const problems = problemsOf(text)
  const nodes = treeOf(text, problems)
  const places = checkAddress(nodes, problems, context)
  return finish(nodes, problems, context, (node) => places.get(node) ?? 'path', renderAddress)
}

function finish(
  nodes: readonly Node[],
  problems: Problems,
  context: TemplateContext,
  placeOf: (output: Node) => Place,
  renderSteps: typeof render,
): Compiled {
  const parts = new Parts(problems, context, placeOf)
  const steps = parts.stepsOf(nodes)
  if (problems.found.length > 0) return { problems: [...problems.found].sort(byPlace) }
  const template: Template = {
    isConstant: nodes.every(({ kind }) => kind === 'text'),
    reads: parts.reads,
    lookups: parts.lookups,
    paths: [...parts.paths.keys()],
    outputs: [...parts.outputs.values()],
    leastBytes: leastBytesOf(nodes),
    render: (scope, options) => renderSteps(steps, scope, options),
    whole:
      renderSteps === render ? wholeOf(steps) : (scope, maxBytes) => wholeIn(renderSteps(steps, scope, { maxBytes })),
    has: (path, scope) => isThere(parts.paths.get(path)?.(runOf(scope, {}))),
  }
  return { template }
}

const byPlace = (a: { line: number; column: number }, b: { line: number; column: number }) =>
  a.line - b.line || a.column - b.column

/** A step of rendering: literal text, or what adds to the text of the run. */
type Step = string | ((run: Run) => void)

/** Compiles the nodes of one text, and gathers what they read. */
class Parts {
  readonly reads = new Set<Reading>()
  readonly lookups = new Set<string>()
  readonly paths = new Map<string, Get>()
  readonly outputs = new Map<string, TextOutput>()
  readonly #problems: Problems
  readonly #context: TemplateContext
  readonly #placeOf: (output: Node) => Place

  constructor(problems: Problems, context: TemplateContext, placeOf: (output: Node) => Place) {
    this.#problems = problems
    this.#context = context
    this.#placeOf = placeOf
  }

  stepsOf(nodes: readonly Node[]): Step[] {
    return nodes.map((node) => this.#problems.attempt(() => this.#stepOf(node)) ?? '')
  }

  #stepOf(node: Node): Step {
    if (node.kind === 'text') return node.text
    if (node.kind === 'output') {
      this.outputs.set(node.source, { expression: node.source, path: this.#nameOf(node.operand) })
      const value = node.calls.reduce<Get>((get, call) => this.#applied(call, get), this.#valueOf(node.operand))
      const isEncoded = node.calls.at(-1)?.name === 'url_encode'
      return PRINTERS[this.#placeOf(node)](value, node.source, isEncoded)
    }
    const branches = node.branches.map(({ condition, nodes }) => {
      const holds = this.#problems.attempt(() => conditionOf(condition, (operand) => this.#valueOf(operand)))
      return { holds: holds ?? never, steps: this.stepsOf(nodes) }
    })
    const otherwise = this.stepsOf(node.otherwise)
    return (run) => {
      for (const { holds, steps } of branches) if (holds(run)) return runSteps(steps, run)
      runSteps(otherwise, run)
    }
  }

  #applied(call: Call, value: Get): Get {
    for (const reading of readingsOf(call)) this.reads.add(reading)
    return applied(
      call,
      value,
      call.args.map((arg) => this.#valueOf(arg)),
    )
  }

  #nameOf(operand: Operand): string | null {
    return operand.kind === 'literal' ? null : pathOf(operand.names, operand.at, this.#context).name
  }

  #valueOf(operand: Operand): Get {
    if (operand.kind === 'literal') {
      const { value } = operand
      return () => value
    }
    const path = pathOf(operand.names, operand.at, this.#context)
    this.reads.add(path.reading)
    this.paths.set(path.name, path.get)
    if (path.lookup !== undefined) this.lookups.add(path.lookup)
    return path.get
  }
}

const never = () => false

const isThere = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Functions that print an output, by its place. */
const PRINTERS: Readonly<Record<Place, (get: Get, source: string, isEncoded: boolean) => Exclude<Step, string>>> = {
  text: (get, source) => printed(get, source, (text) => text),
  whole: (get, source) => {
    const print = printed(get, source, (text) => (mayBeAddress(text) ? text : ''))
    return (run) => {
      print(run)
      if (run.text === '') run.isLost = true
    }
  },
  // One that would lead to another folder is missing.
  path: (get, source, isEncoded) =>
    printed(get, source, (text) => (leavesFolder(text) ? '' : encoded(text, isEncoded))),
  query: (get, source, isEncoded) => printed(get, source, (text) => encoded(text, isEncoded)),
}

/** A value as a part of an address. */
const encoded = (text: string, isEncoded: boolean) => (isEncoded ? withoutApostrophes(text) : urlPart(text))

function printed(get: Get, source: string, write: (text: string) => string): Exclude<Step, string> {
  return (run) => {
    const { defaults } = run
    const value = get(run)
    const text = isMissing(value) ? '' : write(String(value))
    if (text !== '') {
      run.text += text
      if (run.defaults > defaults) run.notes?.push({ expression: source, text })
    } else if (run.missing === undefined) run.missing = [source]
    else if (!run.missing.includes(source)) run.missing.push(source)
  }
}

function runSteps(steps: readonly Step[], run: Run): void {
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!
    if (typeof step === 'string') run.text += step
    else step(run)
    // A character has at least one byte.
    if (run.text.length > run.maxBytes) throw TOO_LARGE
  }
}

const MAX_BYTES = 65_536
const NONE: readonly string[] = []

function runOf(scope: Scope, { maxBytes = MAX_BYTES, defaults: notes }: RenderOptions): Run {
  return { scope, text: '', maxBytes, work: 0, missing: undefined, defaults: 0, notes, isLost: false }
}

function render(steps: readonly Step[], scope: Scope, options: RenderOptions = {}): Rendered {
  const run = runOf(scope, options)
  const { maxBytes } = run
  try {
    runSteps(steps, run)
  } catch (error) {
    if (error !== TOO_LARGE) throw error
    return { text: '', missing: run.missing ?? NONE, tooLarge: true }
  }
  const { missing = NONE } = run
  const text = run.isLost ? '' : run.text
  if (!isWithin(text, maxBytes)) return { text: '', missing, tooLarge: true }
  return { text, missing, tooLarge: false }
}

/** A character has at most three bytes for each of its units, so short texts need not be counted. */
const isWithin = (text: string, maxBytes: number) => text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes

const NOBODY: Scope = { now: 0 }

/** Makes `whole` of a text. Its run is used again for each recipient, and keeps nothing of the one before. */
function wholeOf(steps: readonly Step[]): Template['whole'] {
  const run = runOf(NOBODY, {})
  return (scope, maxBytes) => {
    run.scope = scope
    run.maxBytes = maxBytes
    run.work = 0
    run.missing = undefined
    run.defaults = 0
    try {
      runSteps(steps, run)
      const { text } = run
      if (run.missing !== undefined || !isWithin(text, maxBytes)) return undefined
      return text
    } catch (error) {
      if (error !== TOO_LARGE) throw error
      return undefined
    } finally {
      run.scope = NOBODY
      run.text = ''
    }
  }
}

const wholeIn = ({ text, missing, tooLarge }: Rendered) => (tooLarge || missing.length > 0 ? undefined : text)

/** An address; empty when its whole value is missing, or when an empty value would turn its path into a host. */
function renderAddress(steps: readonly Step[], scope: Scope, options?: RenderOptions): Rendered {
  const rendered = render(steps, scope, options)
  return hidesHost(rendered.text) ? { ...rendered, text: '' } : rendered
}

function leastBytesOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, node) => sum + leastOf(node), 0)
}

function leastOf(node: Node): number {
  if (node.kind === 'text') return Buffer.byteLength(node.text)
  if (node.kind === 'output') return 0
  return Math.min(...[...node.branches.map(({ nodes }) => nodes), node.otherwise].map(leastBytesOf))
}
