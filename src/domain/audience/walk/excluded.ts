import { chunks } from '../../../platform/concurrency/chunks.ts'
import { ascending } from '../target.ts'
import type { Exclusion } from '../types.ts'
import type { AudienceRepository } from './audience.repository.ts'

/** Ids that one statement looks up. */
const AT_ONCE = 1000

/** The rows of the installs that a send leaves out now, ascending: also of those that have registered since it was accepted. */
export async function excludedBy(
  repo: Pick<AudienceRepository, 'rowsOf'>,
  appId: number,
  { exclude, awaited = [] }: Exclusion,
): Promise<number[]> {
  if (awaited.length === 0) return exclude
  const rows = [...exclude]
  for (const some of chunks(awaited, AT_ONCE)) rows.push(...(await repo.rowsOf(appId, some)))
  return ascending(rows)
}
