import { together } from '../../../platform/concurrency/together.ts'
import { AppError, isAppError } from '../../../platform/errors.ts'
import type { Created, RecordsService } from './records.service.ts'

/**
 * Maximum number of requests, records and bytes of bodies in one transaction; a request with more gets a transaction of its
 * own. A few dozen share the cost of its statements and its flush well enough, and a longer one makes the next ones wait.
 */
const MAX_REQUESTS = 64
const MAX_RECORDS = 500
const MAX_BYTES = 1024 * 1024

interface Creation {
  appId: number
  alias: string
  body: unknown
  /** Bytes of the body. */
  size: number
}

/** Runs `work` in a transaction. */
type InTransaction = <T>(
  work: (areas: { records: Pick<RecordsService, 'create' | 'createAll'> }) => Promise<T>,
) => Promise<T>

export type Creations = ReturnType<typeof createCreations>

/**
 * Creations that arrive while another transaction creates records in the same table share the next one. On PostgreSQL
 * a creation by itself is five round trips, and its commit waits for a flush.
 */
export function createCreations(inTransaction: InTransaction) {
  const add = together<string, Creation, Created | AppError>({
    async run(_, some) {
      const { appId, alias, body } = some[0]!
      if (some.length === 1) return [await inTransaction(({ records }) => records.create(appId, alias, body))]
      const bodies = some.map((one) => one.body)
      return inTransaction(({ records }) => records.createAll(appId, alias, bodies)).catch((error: unknown) => {
        // The table is not there for any of them.
        if (isAppError(error) && error.code === 'not_found') return some.map(() => error)
        throw error
      })
    },
    count: countTogether,
  })

  return {
    /** `RecordsService.create` in a transaction shared with others; resolves after the commit. */
    async create(appId: number, alias: string, body: unknown, size: number): Promise<Created> {
      const created = await add(`${appId} ${alias}`, { appId, alias, body, size })
      if (created instanceof AppError) throw created
      return created
    },
  }
}

/** The number of waiting creations that go into the next transaction; at least one. */
function countTogether(waiting: readonly Creation[]): number {
  let [count, records, bytes] = [0, 0, 0]
  for (const { body, size } of waiting) {
    records += Array.isArray(body) ? body.length : 1
    bytes += size
    if (count > 0 && (count >= MAX_REQUESTS || records > MAX_RECORDS || bytes > MAX_BYTES)) break
    count++
  }
  return count
}
