import type { Operand } from './read/syntax.ts'
import type { Node, Problems } from './read/tree.ts'
import type { TemplateContext } from './types.ts'

/**
 * Places at which the values of an address may stand. Everybody who has the public keys of an app may write attributes, so a value may not
 * decide which host an address leads to, unless the app's own server said it. Pure.
 */

/** The place of an output: in a text, as a whole address, or in the path or in the rest of an address. */
export type Place = 'text' | 'whole' | 'path' | 'query'

/** Schemes of which browsers read a host even where none is written. */
const WITH_HOST = '(?:https?|wss?|ftp):'
/** The beginning of an address up to the end of its host. Browsers read a backslash as a slash and drop line breaks. */
const BEGINNING = new RegExp(
  String.raw`^(?:${WITH_HOST}//[^\s\p{Cc}\\/?#]+|(?!${WITH_HOST})[a-z][a-z0-9+.\-]*://[^\s\p{Cc}\\/?#]*)[/?#]|^/[^/\\\s\p{Cc}]`,
  'iu',
)
/** A value that may be a whole address: it has a host, or it is a path on the website of the app. */
const WHOLE = new RegExp(
  String.raw`^(?:${WITH_HOST}//[^\s\p{Cc}\\/?#]|(?!${WITH_HOST})[a-z][a-z0-9+.\-]*://|/(?![/\\\s\p{Cc}]))`,
  'iu',
)
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** Tells whether a value may be a whole address. What else an address must be is up to the caller. */
export const mayBeAddress = (value: string): boolean => WHOLE.test(value)

/** Tells whether browsers would read a host at the beginning of this path. They drop tabs and line breaks before. */
export const hidesHost = (address: string): boolean => /^[/\\][\t\r\n]*[/\\]/.test(address)

/** The ways in which an address may have begun. */
interface State {
  /** Beginnings whose host has not ended yet: `''`, `https://sho`. */
  open: ReadonlySet<string>
  /** True when a value may just have given the whole address. */
  whole: boolean
  path: boolean
  query: boolean
}

/** Beginnings that are followed at the same time. */
const MAX_OPEN = 16

const SHOWN = 'https://shop.example/{{ … }}'

/** The places of the outputs of an address; the values that may not stand where they do are added to the problems. */
export function checkAddress(nodes: readonly Node[], problems: Problems, context: TemplateContext): Map<Node, Place> {
  const places = new Map<Node, Place>()
  const last = nodes.at(-1)
  /** Texts with control characters, and texts that end within an escape such as `%2`. */
  const spoilt: number[] = []
  const cut: number[] = []

  function follow(some: readonly Node[], start: State): State {
    return some.reduce((state, node) => step(node, state), start)
  }

  function step(node: Node, state: State): State {
    if (node.kind === 'output') return behindOutput(node, state)
    if (node.kind === 'text') {
      if (/\p{Cc}/u.test(node.text)) spoilt.push(node.at)
      if (node !== last && /%[0-9a-f]?$/i.test(node.text)) cut.push(node.at)
      if (state.whole && !/^[/?#]/.test(node.text)) {
        problems.add(node.at, 'a value that gives the whole address ends with its host: put / ? or # behind it')
        return { ...state, whole: false, path: true }
      }
      return behindText(node.text, state)
    }
    const ends = [...node.branches.map(({ nodes: inside }) => inside), node.otherwise].map((inside) =>
      follow(inside, state),
    )
    const joined = ends.reduce(either)
    if (joined.open.size <= MAX_OPEN) return joined
    problems.add(node.at, 'the host of this address has too many forms: write a whole address in each branch of one if')
    return { open: new Set(), whole: false, path: true, query: false }
  }

  function behindOutput(node: Node & { kind: 'output' }, { open, whole, path, query }: State): State {
    const problem = whole
      ? 'two values stand beside each other where the host may end: put / ? or # between them'
      : problemOf(open, path || query, isTrusted(node, context))
    if (problem !== undefined) problems.add(node.at, problem)
    const isWhole = open.has('')
    places.set(node, isWhole ? 'whole' : path || open.size > 0 ? 'path' : 'query')
    if (problem !== undefined) return { open: new Set(), whole: false, path: true, query: false }
    return { open: new Set(), whole: isWhole, path: path || (!isWhole && open.size > 0), query }
  }

  if (last?.kind === 'text' && last.text.endsWith(' '))
    problems.add(last.at, 'an address does not end with a blank: take it out')
  follow(nodes, { open: new Set(['']), whole: false, path: false, query: false })
  for (const at of cut)
    problems.add(at, 'a value may not complete an escape: write all of it, such as %25 for a percent sign')
  for (const at of spoilt) problems.add(at, 'an address has no line breaks and control characters: take them out')
  return places
}

/** The reason why a value may not stand behind these beginnings. `ended`: it may also stand behind a host that has ended. */
function problemOf(open: ReadonlySet<string>, ended: boolean, trusted: boolean): string | undefined {
  for (const beginning of open) {
    if (beginning === '' || beginning === '/') continue
    return HAS_SCHEME.test(beginning)
      ? `this value could change the host of the address: put / ? or # before it, as in ${SHOWN}`
      : `scheme and host of an address must be written out: begin with them, as in ${SHOWN}`
  }
  if (!open.has('')) return undefined
  if (open.size > 1 || ended) {
    return `this value is a whole address in one case and a part of one in another: write a whole address in each branch of an if`
  }
  return trusted
    ? undefined
    : `a whole address may come only from meta, a look-up or an event that a server sent, because anybody may write attributes: write scheme and host out, as in ${SHOWN}`
}

function behindText(text: string, { open, whole, path, query }: State): State {
  const left = new Set<string>()
  let [inPath, inQuery] = [false, query]
  const enter = (rest: string) => {
    if (/[?#]/.test(rest)) inQuery = true
    else inPath = true
  }
  for (const beginning of open) {
    const longer = beginning + text
    if (BEGINNING.test(longer)) enter(longer)
    else left.add(longer)
  }
  if (whole || path) enter(text)
  return { open: left, whole: false, path: inPath, query: inQuery }
}

function either(one: State, other: State): State {
  return {
    open: new Set([...one.open, ...other.open]),
    whole: one.whole || other.whole,
    path: one.path || other.path,
    query: one.query || other.query,
  }
}

/** Tells whether every value of an expression is one that only a server can set. */
function isTrusted({ operand, calls }: Node & { kind: 'output' }, { event }: TemplateContext): boolean {
  const isOwn = (value: Operand) => {
    if (value.kind === 'literal') return true
    const [root] = value.names
    return root === 'meta' || root === 'lookup' || (root === 'event' && event === 'server')
  }
  return [operand, ...calls.flatMap(({ args }) => args)].every(isOwn)
}
