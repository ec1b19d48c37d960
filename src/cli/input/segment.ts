import type { Filter } from '../../domain/segments/types.ts'
import type { Io } from '../io.ts'
import { readJsonFile } from './files.ts'

/** The filter in a file, or on standard input for `-`, checked, for use without storing it. Throws `invalid` with every wrong key. */
export async function readCheckedFilter(io: Io, file: string): Promise<Filter> {
  const given = await readJsonFile(io, file, '--filter')
  const [{ filterOnly }, { parseJson }] = await Promise.all([
    import('../../domain/segments/schema.ts'),
    import('../../platform/parse.ts'),
  ])
  return parseJson(filterOnly, { filter: given }).filter
}
