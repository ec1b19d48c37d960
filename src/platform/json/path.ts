import { isPlainObject, isStorable } from './json.ts'

/** Paths into a JSON object as filters write them: `attributes.plan`, `data.item["post.code"]`. */

const MAX_DEPTH = 8

/** The forms of a path below `prefix`, for error messages. */
export function pathRule(prefix: string): string {
  return `${prefix}.NAME, ${prefix}.NAME.NAME (at most ${MAX_DEPTH} names), or ${prefix}["a name with . or quotes"]`
}

/** Tells whether a field name leads below `prefix`, even if it is malformed. */
export function isPathField(prefix: string, field: string): boolean {
  return field === prefix || field.startsWith(`${prefix}.`) || field.startsWith(`${prefix}[`)
}

/**
 * The keys of `attributes.address["post.code"]`, with the prefix `attributes`: `['address', 'post.code']`. A name after a
 * dot contains no dots, brackets or quotes; any other name is written in brackets as a JSON string. Undefined if the path
 * is malformed.
 */
export function readJsonPath(prefix: string, field: string): string[] | undefined {
  if (!isPathField(prefix, field)) return undefined
  const keys: string[] = []
  let rest = field.slice(prefix.length)
  while (rest !== '') {
    const step = /^\.([^.[\]"]+)/.exec(rest) ?? /^\[("(?:[^"\\]|\\.)*")\]/s.exec(rest)
    const key = step && (rest.startsWith('.') ? step[1] : asText(step[1]!))
    if (key === null || key === undefined || !isStorable(key)) return undefined
    keys.push(key)
    rest = rest.slice(step![0].length)
  }
  return keys.length >= 1 && keys.length <= MAX_DEPTH ? keys : undefined
}

/**
 * The keys of a path that is written without a prefix: `profile.language`, `["my.language"]`. Undefined if it is malformed.
 */
export function readBarePath(path: string): string[] | undefined {
  return readJsonPath('', path.startsWith('[') ? path : `.${path}`)
}

/** The value at a path in `data`, which leads only through objects; undefined where there is none. */
export function valueAt(path: readonly string[], data: unknown): unknown {
  let value = data
  for (const key of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

function asText(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}
