import type { Filter } from '../../domain/segments/types.ts'
import type { Io } from '../process/io.ts'
import { checked } from './checked.ts'
import { readJsonFile } from './files.ts'

/** The checked filter in a file, or on standard input for `-`. Throws `invalid` naming every wrong key. */
export async function readCheckedFilter(io: Io, file: string): Promise<Filter> {
  const given = await readJsonFile(io, file, '--filter')
  const { filterOnly } = await import('../../domain/segments/schema.ts')
  return (await checked(filterOnly, { filter: given })).filter
}
