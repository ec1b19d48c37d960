import { readObject } from '../../../platform/json/json.ts'
import { hasPlainMembers, memberOf } from '../../../platform/json/members.ts'
import { valueAt } from '../../../platform/json/path.ts'
import type { Attributes } from '../../crm/types.ts'

/** Names from the outermost to the value: `['address', 'city']`. */
type Names = readonly string[]

/** The attributes that texts read, picked from all that a person has. */
export interface PickedAttributes {
  /** Picks from the JSON text of all attributes. Equal results are equal attributes. */
  pick(text: string): string
  /** The attributes of a person without those that no text reads. `picked`: what `pick` returned. */
  read(picked: string): Attributes
  /** `read` of what `pick` returns. */
  readFrom(text: string): Attributes
}

/** The most that are picked. For more the whole document is read. */
export const MAX_PICKED = 8

/** A name that JSON never escapes. */
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u
const ROOT = 'user.attributes.'

/**
 * The picked attributes for texts that read `paths` (`user.attributes.plan`, and others of which nothing is picked), and for the path `also`.
 * Undefined where the whole document has to be read: for too many, and for names that JSON may spell otherwise.
 */
export function pickedAttributes(paths: readonly string[], also: Names | undefined): PickedAttributes | undefined {
  const read = paths
    .filter((path) => path.startsWith('user.attributes'))
    .map((path) => path.slice(ROOT.length).split('.'))
  const wanted = withoutInner(also ? [...read, also] : read)
  const isPlain = wanted.every((names) => names.every((name) => PLAIN.test(name) && name !== '__proto__'))
  if (!isPlain || wanted.length === 0 || wanted.length > MAX_PICKED) return undefined
  const keys = wanted.every((names) => names.length === 1) ? wanted.map(([name]) => `"${name}"`) : undefined
  return {
    pick(text) {
      const members = membersOf(text, keys)
      if (members) return members.length === 1 ? members[0]! : members.join()
      const document = readObject(text)
      return wanted.map((names) => JSON.stringify(valueAt(names, document) ?? null)).join()
    },
    read(picked) {
      const values = JSON.parse(`[${picked}]`) as unknown[]
      return attributesOf(wanted, (i) => values[i])
    },
    readFrom(text) {
      const members = membersOf(text, keys)
      if (members) return attributesOf(wanted, (i) => scalarOf(members[i]!))
      const document = readObject(text)
      return attributesOf(wanted, (i) => valueAt(wanted[i]!, document))
    },
  }
}

/** The JSON texts of these members of an object, `null` where it has none; undefined when it must be parsed to find them. */
function membersOf(text: string, keys: readonly string[] | undefined): string[] | undefined {
  if (!keys || !hasPlainMembers(text)) return undefined
  const members: string[] = []
  for (const key of keys) {
    const member = memberOf(text, key)
    if (member === undefined) return undefined
    members.push(member ?? 'null')
  }
  return members
}

/** The value of a JSON text that has no escapes and is no object and no list. */
const scalarOf = (json: string): unknown => (json.startsWith('"') ? json.slice(1, -1) : JSON.parse(json))

/** The attributes with these paths. */
function attributesOf(wanted: readonly Names[], valueOf: (i: number) => unknown): Attributes {
  const attributes: Attributes = {}
  for (let i = 0; i < wanted.length; i++) put(attributes, wanted[i]!, valueOf(i))
  return attributes
}

/** Each path once, and none that leads into the value of another one. */
function withoutInner(paths: readonly Names[]): Names[] {
  const starts = (names: Names, outer: Names) => outer.every((name, i) => names[i] === name)
  return paths.filter(
    (names, i) => !paths.some((other, j) => starts(names, other) && (other.length < names.length || j < i)),
  )
}

/** Stores a value at its path. Null, which means absent to texts, is left out. */
function put(attributes: Attributes, names: Names, value: unknown): void {
  if (value === null || value === undefined) return
  let at: Record<string, unknown> = attributes
  const last = names.length - 1
  for (let i = 0; i < last; i++) {
    const name = names[i]!
    // Every object has a `constructor` that is not its own, and leads to what all objects share.
    if (!Object.hasOwn(at, name)) at[name] = {}
    at = at[name] as Record<string, unknown>
  }
  at[names[last]!] = value
}
