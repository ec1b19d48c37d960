/**
 * Template texts as the picker writes and reads them: nobody types braces. What a text may say besides is
 * docs/personalising.md; the picker shows such parts as they are written and leaves them alone. Pure.
 */

/** A value that a text shows for each person. */
export interface Picked {
  /** `user.attributes.firstName` */
  path: string
  /** A filter as it is written, of `LOOKS`; empty: as the value is stored. */
  look: string
  /** The text for whoever lacks the value; empty: none. */
  fallback: string
}

/** Filters that the picker offers, each with an example. */
export const LOOKS: readonly { value: string; label: string }[] = [
  { value: '', label: 'As it is stored' },
  { value: 'capitalize', label: 'First letter large: Anna' },
  { value: 'upcase', label: 'Capitals: ANNA' },
  { value: 'downcase', label: 'Small letters: anna' },
  { value: 'number', label: 'Number: 1,240.5' },
  { value: 'number: 2', label: 'Number, two decimals: 1,240.50' },
  { value: "date: '%d.%m.%Y'", label: 'Date: 31.12.2031' },
  { value: "date: '%-d %B'", label: 'Date: 31 December' },
  { value: "date: '%H:%M'", label: 'Time: 18:30' },
]

/** A piece of a template text. `start` and `end` are the indices of a part with its braces. */
export type Piece =
  | { kind: 'text'; text: string }
  /** `picked` is undefined for an expression that the picker cannot write. */
  | { kind: 'value'; start: number; end: number; source: string; picked: Picked | undefined }
  | { kind: 'logic'; source: string }

const PARTS = /\{\{-?((?:'[^']*'|"[^"]*"|[^'"}]|\}(?!\}))*)\}\}|\{%-?((?:'[^']*'|"[^"]*"|[^'"%]|%(?!\}))*)%\}/g

const unmarked = (source: string): string => source.replace(/-$/, '').trim()

/** The pieces of a text in their order. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(PARTS)) {
    const start = match.index
    if (start > at) pieces.push({ kind: 'text', text: text.slice(at, start) })
    at = start + match[0].length
    const [, output, logic] = match
    if (output === undefined) pieces.push({ kind: 'logic', source: unmarked(logic!) })
    else
      pieces.push({
        kind: 'value',
        start,
        end: at,
        source: unmarked(output),
        picked: pickedOf(unmarked(output)),
      })
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) })
  return pieces
}

/** Tells whether a text has a part in braces. */
export const looksLikeTemplate = (text: unknown): boolean => typeof text === 'string' && text.search(PARTS) !== -1

/** Tells whether a text anywhere in a JSON value has a part in braces. */
export const holdsTemplate = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(holdsTemplate) : looksLikeTemplate(value)

/** A text as a literal. Template texts have no escapes: of both kinds of quotes one becomes typographic. */
const literal = (text: string): string =>
  text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", '’')}'`

/** The part that shows a value: `{{ user.attributes.firstName | default: 'friend' }}`. The fallback is last, so that no filter changes it. */
export function written({ path, look, fallback }: Picked): string {
  const filters = [look, fallback === '' ? '' : `default: ${literal(fallback)}`].filter((one) => one !== '')
  return `{{ ${[path, ...filters].join(' | ')} }}`
}

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_-]*`
const PATH = String.raw`${NAME}(?:\.${NAME}|\[(?:'[^']*'|"[^"]*"|\d+)\])*`
const WRITTEN = new RegExp(
  String.raw`^(${PATH})(?:\s*\|\s*(?!default\b)([a-z_]+(?:\s*:\s*(?:'[^']*'|"[^"]*"|\d+))?))?(?:\s*\|\s*default\s*:\s*(?:'([^']*)'|"([^"]*)"))?$`,
  'u',
)

/** Reads an expression as the picker writes them; undefined for another one. */
export function pickedOf(expression: string): Picked | undefined {
  const match = WRITTEN.exec(expression.trim())
  if (!match) return undefined
  const [, path, filter = '', single, double] = match
  const look = filter.replace(/\s*:\s*/, ': ').replaceAll('"', "'")
  if (!LOOKS.some(({ value }) => value === look)) return undefined
  return { path: path!, look, fallback: single ?? double ?? '' }
}

/** A text with a part in place of what is between two indices. */
export const spliced = (text: string, start: number, end: number, part: string): string =>
  text.slice(0, start) + part + text.slice(end)

/** The path of a member: `meta.order`, `meta['order no']`. */
export function member(root: string, name: string): string {
  if (new RegExp(`^${NAME}$`, 'u').test(name)) return `${root}.${name}`
  return name.includes("'") ? `${root}["${name}"]` : `${root}['${name}']`
}

const SEGMENT_NAME = /(?:^|\.)([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]/g

/** The path of what a segment calls `attributes.first name`, or somebody types: `user.attributes['first name']`. */
export const pathBelow = (root: string, field: string): string =>
  [...field.matchAll(SEGMENT_NAME)]
    .map(([, plain, quoted = '']) => plain ?? quoted.replaceAll(/\\(.)/g, '$1'))
    .reduce((path, name) => member(path, name), root)

/** Values of an install, with their words. */
export const INSTALL: Readonly<Record<string, string>> = {
  os: 'system',
  osVersion: 'version of the system',
  appVersion: 'version of the app',
  locale: 'locale',
  language: 'language',
  country: 'country',
  timezone: 'time zone',
}
const FIXED: Readonly<Record<string, string>> = {
  'user.identifier': 'user id',
  'app.name': 'name of the app',
  now: 'time of sending',
}

/** `firstName` -> `first name` */
const spaced = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(
      /(\p{Ll})(\p{Lu})(?=\p{Ll})/gu,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    )
    .trim()

/** A value in words: `user.attributes.firstName` is “first name”. */
export function wordsOf(path: string): string {
  const fixed = FIXED[path]
  if (fixed !== undefined) return fixed
  const names = path.split(/\.|\[(?:'|")?|(?:'|")?\]/).filter((name) => name !== '')
  const [root, second = '', ...deeper] = names
  if (root === 'install') return INSTALL[second] ?? path
  if (root === 'lookup') return deeper.length === 0 ? path : `${spaced(deeper.join(' '))} of ${second}`
  const own = root === 'user' ? deeper : names.slice(1)
  return own.length === 0 ? path : spaced(own.join(' '))
}

/** An expression in words; one that the picker does not write stays as it is. */
export function inWords(expression: string): string {
  const picked = pickedOf(expression)
  return picked ? wordsOf(picked.path) : expression
}

/** A text with its values in words, for headings: `Hello [first name]`. */
export const readable = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.kind === 'logic' ? '' : `[${inWords(piece.source)}]`))
    .join('')
