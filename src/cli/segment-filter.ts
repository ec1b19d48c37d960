import type { Filter } from '../domain/segments/types.ts'
import { readInput } from './input.ts'
import type { Io } from './io.ts'

/** The filter in a file, or on standard input for `-`, as it is written: the area's schema judges it. Throws `invalid` for what is no JSON. */
export async function readFilterFile(io: Io, file: string): Promise<unknown> {
  const [bytes, { parseJsonBytes }] = await Promise.all([
    readInput(io, file, '--filter'),
    import('../platform/parse.ts'),
  ])
  return parseJsonBytes(bytes)
}

/** The same, checked, for use without storing it. Throws `invalid` with every wrong key. */
export async function readCheckedFilter(io: Io, file: string): Promise<Filter> {
  const given = await readFilterFile(io, file)
  const [{ filterOnly }, { parseJson }] = await Promise.all([
    import('../domain/segments/schema.ts'),
    import('../platform/parse.ts'),
  ])
  return parseJson(filterOnly, { filter: given }).filter
}
