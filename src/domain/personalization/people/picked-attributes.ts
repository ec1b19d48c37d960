import type { Attributes } from '../../crm/types.ts'

/** Names from the outermost to the value: `['address', 'city']`. */
type Names = readonly string[]

/** The attributes that texts read, picked from the others by the database. */
export interface PickedAttributes {
  /** The paths of the attributes as SQLite writes them; at least one. */
  paths: readonly string[]
  /** The attributes of a person without those that no text reads. `picked`: the JSON text that the database made of these paths. */
  read(picked: string): Attributes
}

/** The most that are picked. For more the whole document is read. */
export const MAX_PICKED = 8

/** A name that JSON never escapes. */
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u
const ROOT = 'user.attributes.'

/**
 * The picked attributes for texts that read `paths` (`user.attributes.plan`, and others of which nothing is picked), and for the path `also`.
 * Undefined where the whole document has to be read: for too many, and for names that JSON or SQLite may spell otherwise.
 */
export function pickedAttributes(paths: readonly string[], also: Names | undefined): PickedAttributes | undefined {
  const read = paths
    .filter((path) => path.startsWith('user.attributes'))
    .map((path) => path.slice(ROOT.length).split('.'))
  const wanted = withoutInner(also ? [...read, also] : read)
  const isPlain = wanted.every((names) => names.every((name) => PLAIN.test(name) && name !== '__proto__'))
  if (!isPlain || wanted.length === 0 || wanted.length > MAX_PICKED) return undefined
  return {
    paths: wanted.map((names) => `$${names.map((name) => `."${name}"`).join('')}`),
    read(picked) {
      const attributes: Attributes = {}
      const values: unknown = JSON.parse(picked)
      if (wanted.length === 1) put(attributes, wanted[0]!, values)
      else for (const [i, names] of wanted.entries()) put(attributes, names, (values as unknown[])[i])
      return attributes
    },
  }
}

/** Each path once, and none that leads into the value of another one. */
function withoutInner(paths: readonly Names[]): Names[] {
  const starts = (names: Names, outer: Names) => outer.every((name, i) => names[i] === name)
  return paths.filter(
    (names, i) => !paths.some((other, j) => starts(names, other) && (other.length < names.length || j < i)),
  )
}

/** Stores a value at its path; what is absent in the document is null here, and is left out. */
function put(attributes: Attributes, names: Names, value: unknown): void {
  if (value === null) return
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
