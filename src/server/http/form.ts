import { AppError } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'

/** Media type of forms. Parameters are ignored: the text is UTF-8. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i
/** Maximum nesting. Devices nest two levels. */
const DEEPEST = 4
/** Maximum number of fields. Devices send about ten; parsing 400 000 blocked the thread for 1.7 s. */
const MAX_FIELDS = 1000
const MAX_NAME_LENGTH = 1000

/**
 * Whether a device sent a form: Swift SDKs of 2016 to 2018 do (Kumulos.swift, Alamofire's default encoding). Others
 * write this type and send JSON.
 */
export function isForm(type: string | undefined, bytes: Buffer): boolean {
  return type !== undefined && FORM_TYPE.test(type) && !/^\s*[[{]/.test(bytes.toString('latin1', 0, 64))
}

/**
 * `os[version]=10.3&uuids[]=a&uuids[]=b` -> `{ os: { version: '10.3' }, uuids: ['a', 'b'] }`. All values are strings;
 * the schemas of device calls accept numbers and flags as strings. A field that contradicts an earlier one is
 * ignored. Throws `too_large` for more than a thousand fields.
 */
export function readForm(bytes: Buffer): Record<string, unknown> {
  if (hasMoreFields(bytes, MAX_FIELDS)) {
    throw new AppError('too_large', `the form has more than ${MAX_FIELDS} fields: send less at once, or JSON`)
  }
  const form: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (name.length > MAX_NAME_LENGTH) continue
    const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name)
    if (!match) continue
    const rest = [...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1]!)
    const keys = [match[1]!, ...rest]
    const isList = keys.at(-1) === ''
    if (isList) keys.pop()
    if (keys.length > DEEPEST || keys.includes('') || keys.includes('__proto__')) continue
    put(form, keys, value, isList)
  }
  return form
}

/** Counted before the form is parsed. */
function hasMoreFields(bytes: Buffer, max: number): boolean {
  let fields = 1
  for (let at = bytes.indexOf('&'); at >= 0; at = bytes.indexOf('&', at + 1)) if (++fields > max) return true
  return false
}

type Tree = Record<string, unknown>

function put(form: Tree, keys: readonly string[], value: string, isList: boolean): void {
  let at = form
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(at, key)) at[key] = {}
    const next = at[key]
    if (!isPlainObject(next)) return
    at = next
  }
  const last = keys.at(-1)!
  const before = Object.hasOwn(at, last) ? at[last] : undefined
  if (!isList) {
    if (before === undefined) at[last] = value
  } else if (before === undefined) at[last] = [value]
  else if (Array.isArray(before)) before.push(value)
}
