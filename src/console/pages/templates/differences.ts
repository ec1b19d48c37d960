/** A place at which two versions differ; undefined in the version where it is missing. */
export interface Difference {
  /** `content.frame.nodes[2].text` */
  path: string
  before: string | undefined
  after: string | undefined
}

/** Every place at which two JSON values differ, in the order of the second. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>]
    const names = [...new Set([...Object.keys(b), ...Object.keys(a)])]
    return names.flatMap((name) => differencesOf(a[name], b[name], below(path, name, Array.isArray(after))))
  }
  return written(before) === written(after) ? [] : [{ path, before: written(before), after: written(after) }]
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null
const below = (path: string, name: string, isList: boolean) =>
  isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
const written = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value))
