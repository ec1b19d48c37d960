import type { Database, WriteOptions } from '../../platform/db/database.ts'
import type { CrmService } from './service.ts'
import type { Attributes } from './types.ts'

/** Runs `work`, which changes something with one statement at most, in a transaction. */
type InTransaction = <T>(
  work: (areas: { crm: Pick<CrmService, 'replaceAttributes' | 'putAttributes'> }) => Promise<T>,
  options?: Pick<WriteOptions, 'isSingle' | 'shares'>,
) => Promise<T>

/** `CrmService.putAttributes` in a transaction of its own; resolves after the commit. */
export type AttributePuts = (appId: number, identifier: string, attributes: Attributes) => Promise<void>

/**
 * Creates `AttributePuts`. Most calls are about a user who is there: one statement, which shares a transaction without a savepoint. Those
 * of a shared transaction of PostgreSQL are one statement. It changes a user once, so who puts the same user at the same time is told of no
 * change, and puts it again alone.
 */
export function createAttributePuts(inTransaction: InTransaction, kind: Database['kind']): AttributePuts {
  const how = kind === 'sqlite' ? { isSingle: true } : { shares: true }
  return async (appId, identifier, attributes) => {
    const replace = ({ crm }: Parameters<Parameters<InTransaction>[0]>[0]) =>
      crm.replaceAttributes(appId, identifier, attributes)
    if (await inTransaction(replace, how)) return
    await inTransaction(({ crm }) => crm.putAttributes(appId, identifier, attributes))
  }
}
