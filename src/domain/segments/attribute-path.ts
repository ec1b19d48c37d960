import { isStorable } from '../../platform/json.ts'

const PREFIX = 'attributes'
const MAX_DEPTH = 8

/** The forms of a path, for error messages. */
export const PATH_RULE = `attributes.NAME, attributes.NAME.NAME (at most ${MAX_DEPTH} names), or attributes["a name with . or quotes"]`

/** Whether a field name refers to an attribute, even if it is malformed. */
export function isAttributeField(field: string): boolean {
  return field === PREFIX || field.startsWith(`${PREFIX}.`) || field.startsWith(`${PREFIX}[`)
}

/**
 * The keys of `attributes.address["post.code"]`: `['address', 'post.code']`. A name after a dot contains no dots,
 * brackets or quotes; any other name is written in brackets as a JSON string. Undefined if the path is malformed.
 */
export function readAttributePath(field: string): string[] | undefined {
  const keys: string[] = []
  let rest = field.slice(PREFIX.length)
  while (rest !== '') {
    const step = /^\.([^.[\]"]+)/.exec(rest) ?? /^\[("(?:[^"\\]|\\.)*")\]/s.exec(rest)
    const key = step && (rest.startsWith('.') ? step[1] : asText(step[1]!))
    if (key === null || key === undefined || !isStorable(key)) return undefined
    keys.push(key)
    rest = rest.slice(step![0].length)
  }
  return keys.length >= 1 && keys.length <= MAX_DEPTH ? keys : undefined
}

function asText(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}
