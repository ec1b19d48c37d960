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
  /** True when null says nothing, as in answers that are sent back. */
  mayBeNull?: boolean
}

/** The blocks of a form that are looked through, with the blocks inside them, and the places of its keys. */
export interface Places {
  blocks: readonly string[]
  keys: Readonly<Record<string, Place>>
}

/** Values that callers name as they like. */
const FREE: ReadonlySet<string> = new Set(['data', 'userMeta', 'reportingMeta'])
/** The blocks inside each other of the deepest form: the buttons of a language. */
const MAX_DEPTH = 4

/** The schedule of a send that repeats. */
const WHEN = { at: ['schedule'], says: 'belongs into schedule, beside "strategy": "recurring"', mayBeNull: true }
export const RECURRING_KEYS = { cron: WHEN, startsAt: WHEN, endsAt: WHEN } as const

/** Makes the judge of a form: it returns the keys that stand in the wrong place of a request. Every send is judged, so it must cost little. */
export function judgeOfPlaces({ blocks, keys }: Places): (body: Record<string, unknown>) => FieldErrors {
  const known = Object.entries(keys).map(([key, place]) => ({ key, ...place }))

  function judge(at: string, block: Record<string, unknown>, errors: FieldErrors): void {
    for (const { key, at: places, says, mayBeNull } of known) {
      const value = block[key]
      if (value === undefined || (value === null && mayBeNull) || places.includes(at)) continue
      errors[at === '' ? key : `${at}.${key}`] = [says]
    }
  }

  function look(at: string, value: unknown, depth: number, errors: FieldErrors): void {
    // The only list of blocks is that of buttons.
    if (Array.isArray(value) && at.endsWith('buttons')) {
      for (const [i, one] of value.entries()) look(`${at}[${i}]`, one, depth, errors)
    }
    if (!isPlainObject(value)) return
    judge(at, value, errors)
    if (depth === MAX_DEPTH) return
    for (const name in value) {
      const inner = value[name]
      if (typeof inner === 'object' && inner !== null && !FREE.has(name))
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
