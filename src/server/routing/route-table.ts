import type { Area, Method, Route } from './route.ts'

/** A route in one of its areas. */
export interface Placed {
  route: Route
  area: Area
}

/** The routes whose path fits a request, whatever their method, in the order in which they are tried. */
export interface Fitting {
  readonly routes: readonly Placed[]
  /** The percent-decoded parameters of one of them. */
  paramsOf(placed: Placed): Record<string, string>
}

/** The parameters of a path: their names by the number of the segment. */
type Names = readonly (readonly [segment: number, name: string])[]

interface Entry extends Placed {
  order: number
  names: Names
}

interface Node {
  literals: Map<string, Node>
  /** The node for any segment: a parameter. */
  any: Node | undefined
  entries: Entry[]
}

const NONE: Fitting = { routes: [], paramsOf: () => ({}) }

/**
 * Finds routes by path: a tree with a level for each segment, because trying the pattern of each of a hundred routes
 * takes longer than answering. Paths are compared as @koa/router does: literal segments exactly, before any decoding; a
 * parameter is a whole segment that is not empty; one slash at the end is ignored. Areas are tried in their order,
 * routes in the order of their declaration.
 */
export function routeTable(routes: readonly Route[], areas: readonly Area[]): (path: string) => Fitting {
  const root = newNode()
  let order = 0
  for (const area of areas) {
    for (const route of routes) {
      if ([route.area].flat().includes(area)) add(root, { route, area, order: order++, names: namesOf(route.path) })
    }
  }

  return (path) => {
    const segments = path.split('/')
    // A path begins with a slash, so the first segment is empty.
    if (segments[0] !== '' || segments.length < 2) return NONE
    if (segments.length > 2 && segments.at(-1) === '') segments.pop()
    const entries = entriesAt(root, segments, 1)
    if (entries.length === 0) return NONE
    return { routes: entries, paramsOf: (placed) => paramsAt((placed as Entry).names, segments) }
  }
}

const newNode = (): Node => ({ literals: new Map(), any: undefined, entries: [] })

const PARAMETER = /^:(\w+)$/

function add(root: Node, entry: Entry): void {
  let node = root
  for (const segment of entry.route.path.split('/').slice(1)) {
    if (PARAMETER.test(segment)) node = node.any ??= newNode()
    else if (/[:*{}()\\]/.test(segment)) throw new Error(`${entry.route.path}: a parameter is a whole segment`)
    else {
      const next = node.literals.get(segment) ?? newNode()
      node.literals.set(segment, next)
      node = next
    }
  }
  node.entries.push(entry)
}

function namesOf(path: string): Names {
  return path.split('/').flatMap((segment, i) => {
    const name = PARAMETER.exec(segment)?.[1]
    return name === undefined ? [] : [[i, name] as const]
  })
}

function entriesAt(node: Node, segments: readonly string[], level: number): readonly Entry[] {
  if (level === segments.length) return node.entries
  const segment = segments[level]!
  const literal = node.literals.get(segment)
  const named = literal ? entriesAt(literal, segments, level + 1) : []
  const any = node.any && segment !== '' ? entriesAt(node.any, segments, level + 1) : []
  if (any.length === 0) return named
  return named.length === 0 ? any : [...named, ...any].sort((a, b) => a.order - b.order)
}

function paramsAt(names: Names, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [i, name] of names) {
    const segment = segments[i]!
    params[name] = segment.includes('%') ? decodeURIComponent(segment) : segment
  }
  return params
}

/** The first of the routes with this method. */
export function withMethod({ routes }: Fitting, method: string): Placed | undefined {
  return routes.find(({ route }) => route.method === (method as Method))
}

/** Methods that take away or change what their path names. */
const NAMING: readonly Method[] = ['delete', 'patch']

/**
 * Tells whether a path may have lost its end on the way: clients make `/apps/7/` of `/apps/7/users/..` before they send it, so that deleting
 * the user `..` would delete the app. Devices send ids of their own making, and old ones end paths with a slash.
 */
export function mayBeCut(path: string, { method, device }: Pick<Route, 'method' | 'device'>): boolean {
  return path.length > 1 && path.endsWith('/') && !device && NAMING.includes(method)
}
