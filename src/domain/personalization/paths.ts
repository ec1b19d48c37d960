import { suggest } from '../../platform/text/suggest.ts'
import { SyntaxProblem } from './read/tokens.ts'
import type { Get, Run } from './run.ts'
import { INSTALL_FIELDS, type InstallField, type Reading, type TemplateContext } from './types.ts'
import { memberOf } from './values.ts'

/** A path that a text may read. */
export interface Path {
  reading: Reading
  /** The name of the look-up. */
  lookup?: string
  /** The path in one spelling: `user.attributes.firstName`, `meta['first name']`. */
  name: string
  get: Get
}

type Names = readonly (string | number)[]

const NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u

/** The path of these names. Throws `SyntaxProblem` with the remedy when a text may not read it. */
export function pathOf(names: Names, at: number, context: TemplateContext): Path {
  const root = names[0] as string
  const name = spelled(names)
  switch (root) {
    case 'user':
      return { name, ...ofUser(names, at) }
    case 'install':
      return { name, reading: 'install', get: ofInstall(names, at) }
    case 'app':
      only(names, ['name'], at)
      return { name, reading: 'app', get: ({ scope }) => scope.app?.name }
    case 'now':
      if (names.length > 1) throw new SyntaxProblem(at, "now has no parts: write now | date: '%d.%m.%Y'")
      return { name, reading: 'now', get: ({ scope }) => new Date(scope.now).toISOString() }
    case 'meta':
      if (context.meta === false) break
      return { name, reading: 'meta', get: below(({ scope }) => scope.meta, names.slice(1)) }
    case 'event':
      if (context.event === undefined) break
      if (names.length < 2) throw new SyntaxProblem(at, 'event has many values: name one, as in event.total')
      return { name, reading: 'event', get: below(({ scope }) => scope.event, names.slice(1)) }
    case 'lookup':
      return { name, ...ofLookup(names, at, context.lookups ?? []) }
    default:
  }
  throw new SyntaxProblem(at, unknownRoot(root, context))
}

function unknownRoot(root: string, { lookups = [], event, meta = true }: TemplateContext): string {
  const known = ['user.identifier', 'user.attributes.…', 'install.…', ...(meta ? ['meta.…'] : []), 'app.name', 'now']
  if (event !== undefined) known.push('event.…')
  if (lookups.length > 0) known.push('lookup.…')
  const meant = suggest(root, ['user', 'install', ...(meta ? ['meta'] : []), 'app', 'now'])
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return `there is no value “${root}”; there are: ${known.join(', ')}.${hint}`
}

function ofUser(names: Names, at: number): Pick<Path, 'reading' | 'get'> {
  const [, part, ...inner] = names
  if (part === 'identifier' && inner.length === 0) {
    return { reading: 'user.identifier', get: ({ scope }) => scope.user?.identifier }
  }
  if (part !== 'attributes' || inner.length === 0) {
    const hint =
      typeof part === 'string' && part !== 'attributes' && part !== 'identifier' ? ` (user.attributes.${part}?)` : ''
    throw new SyntaxProblem(at, `a user has user.identifier and user.attributes.…: name one${hint}`)
  }
  return { reading: 'user.attributes', get: below(({ scope }) => scope.user?.attributes, inner) }
}

function ofInstall(names: Names, at: number): Get {
  only(names, INSTALL_FIELDS, at)
  const field = names[1] as InstallField
  return ({ scope }) => scope.install?.[field]
}

function ofLookup(names: Names, at: number, lookups: readonly string[]): Pick<Path, 'reading' | 'get' | 'lookup'> {
  const [, lookup, ...inner] = names
  if (typeof lookup !== 'string' || !lookups.includes(lookup)) {
    const there = lookups.length === 0 ? 'the request declares none' : `there are: ${lookups.join(', ')}`
    const named =
      lookup === undefined
        ? 'name a look-up and a column, as in lookup.product.name'
        : `there is no look-up “${lookup}”`
    throw new SyntaxProblem(at, `${named}; ${there}: declare it in lookup`)
  }
  if (inner.length === 0)
    throw new SyntaxProblem(at, `lookup.${lookup} is a row: name a column, as in lookup.${lookup}.name`)
  const row: Get = ({ scope }) => memberOf(scope.lookup, lookup)
  return { reading: 'lookup', lookup, get: below(row, inner) }
}

/** Refuses every path but `root.field`, where `field` is one of `fields`. */
function only(names: Names, fields: readonly string[], at: number): void {
  const [root, field] = names
  if (names.length === 2 && fields.includes(field as string)) return
  const known = fields.map((one) => `${root}.${one}`).join(', ')
  const meant = suggest(String(field), fields)
  const hint = meant === undefined || meant === field ? '' : ` Did you mean ${root}.${meant}?`
  throw new SyntaxProblem(at, `there is no value “${spelled(names)}”; there are: ${known}.${hint}`)
}

/** The value below another one: own members only, so that no name reaches what JavaScript adds to a value. */
function below(start: Get, names: Names): Get {
  const [first, second] = names
  if (first === undefined) return start
  if (second === undefined) return (run: Run) => memberOf(start(run), first)
  return (run) => names.reduce((value: unknown, name) => memberOf(value, name), start(run))
}

function spelled(names: Names): string {
  const rest = names.slice(1).map((name) => {
    if (typeof name === 'number') return `[${name}]`
    return NAME.test(name) ? `.${name}` : `[${name.includes("'") ? `"${name}"` : `'${name}'`}]`
  })
  return `${names[0]}${rest.join('')}`
}
