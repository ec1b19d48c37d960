import type { CrmService } from './service.ts'
import type { Attributes } from './types.ts'

/** Runs `work` in a transaction; `isSingle` when it changes something with one statement at most. */
type InTransaction = <T>(
  work: (areas: { crm: Pick<CrmService, 'replaceAttributes' | 'putAttributes'> }) => Promise<T>,
  options?: { isSingle: boolean },
) => Promise<T>

/** `CrmService.putAttributes` in a transaction of its own; resolves after the commit. */
export type AttributePuts = (appId: number, identifier: string, attributes: Attributes) => Promise<void>

/** Creates `AttributePuts`. Most calls are about a user who is there: one statement, which shares a transaction without a savepoint. */
export function createAttributePuts(inTransaction: InTransaction): AttributePuts {
  return async (appId, identifier, attributes) => {
    const replace = ({ crm }: Parameters<Parameters<InTransaction>[0]>[0]) =>
      crm.replaceAttributes(appId, identifier, attributes)
    if (await inTransaction(replace, { isSingle: true })) return
    await inTransaction(({ crm }) => crm.putAttributes(appId, identifier, attributes))
  }
}
