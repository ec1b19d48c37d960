import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'

/**
 * The keys of a request that would be ignored in another place, where something else would be sent than was meant: braces, the wrong
 * language, or once what shall repeat. Pure.
 */

/** The places of a key: the blocks in which it stands, `''` for the top of the request, and where it belongs, in words. */
interface Place {
  at: readonly string[]
  says: string
}

/** The blocks of a form that are looked through, with the blocks inside them, and the places of its keys. */
export interface Places {
  blocks: readonly string[]
  keys: Readonly<Record<string, Place>>
}

/**
 * The blocks inside the blocks of any form. What callers name themselves is not looked into, neither `data` nor objects that we do not know:
 * a `template` in there is theirs.
 */
const INNER: ReadonlySet<string> = new Set('ios android badge sound media buttons icon languages'.split(' '))
/** The blocks inside each other of the deepest form: the icon of a button of a language. */
const MAX_DEPTH = 5

const nameOf = (at: string) => at.slice(at.lastIndexOf('.') + 1)

/** Makes the judge of a form: it returns the keys that stand in the wrong place of a request. Every send is judged, so it must cost little. */
export function judgeOfPlaces({ blocks, keys }: Places): (body: Record<string, unknown>) => FieldErrors {
  const known = Object.entries(keys).map(([key, place]) => ({ key, ...place }))

  function judge(at: string, block: Record<string, unknown>, errors: FieldErrors): void {
    for (const { key, at: places, says } of known) {
      // Null says nothing, as in answers that are sent back.
      if (block[key] == null || places.includes(at)) continue
      errors[at === '' ? key : `${at}.${key}`] = [says]
    }
  }

  function look(at: string, value: unknown, depth: number, errors: FieldErrors): void {
    // The only list of blocks is that of buttons.
    if (Array.isArray(value) && nameOf(at) === 'buttons') {
      for (const [i, one] of value.entries()) look(`${at}[${i}]`, one, depth, errors)
    }
    if (!isPlainObject(value)) return
    judge(at, value, errors)
    if (depth === MAX_DEPTH) return
    const isTags = nameOf(at) === 'languages'
    for (const name in value) {
      const inner = value[name]
      if (typeof inner === 'object' && inner !== null && (isTags || INNER.has(name)))
        look(`${at}.${name}`, inner, depth + 1, errors)
    }
  }

  return (body) => {
    const errors: FieldErrors = {}
    judge('', body, errors)
    for (const name of blocks) if (body[name] !== undefined) look(name, body[name], 1, errors)
    return errors
  }
}
