import { AUDIENCE } from './words/audience.ts'
import { COMMON } from './words/common.ts'
import { DATA } from './words/data.ts'
import { DEVICES } from './words/devices.ts'
import { IN_APP } from './words/in-app.ts'
import { LINKS } from './words/links.ts'
import { NOTIFICATIONS } from './words/notifications.ts'
import { PUSH } from './words/push.ts'
import { USERS } from './words/users.ts'

/**
 * What the document says of operations, schemas and fields; a file for each area in `words/`. A field is found by the longest end of
 * its path that has an entry: `Channel.name` for the name of a channel, `name` for all other names. So a field that means the same
 * everywhere is described once.
 */
export interface Words {
  /** `get /v1/geofences`, or `post /push/v2/notifications` where the areas differ. */
  operations?: Record<string, OperationWords>
  /** By title; the example is only needed where the members' own do not make a good one. */
  schemas?: Record<string, readonly [description: string, example?: unknown]>
  fields?: Record<string, readonly [description: string, example?: unknown]>
}

/** Of an operation: what its summary and schemas do not say. */
interface OperationWords {
  description: string
  /** The name of its body among the schemas. */
  takes?: string
  /** An example of its body. */
  sends?: unknown
}

const ALL: readonly Words[] = [COMMON, USERS, AUDIENCE, NOTIFICATIONS, IN_APP, LINKS, DATA, PUSH, DEVICES]

export const OPERATIONS = merged(ALL.map(({ operations }) => operations))
export const SCHEMAS = merged(ALL.map(({ schemas }) => schemas))
export const FIELDS = merged(ALL.map(({ fields }) => fields))

/** Throws when two files have an entry of the same name: one of them would never be read. */
function merged<T>(parts: readonly (Record<string, T> | undefined)[]): Readonly<Record<string, T>> {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}))
  const all = Object.fromEntries(entries)
  if (Object.keys(all).length < entries.length) {
    const twice = entries.map(([name]) => name).filter((name, i, names) => names.indexOf(name) !== i)
    throw new Error(`described twice: ${twice.join(', ')}`)
  }
  return all
}
