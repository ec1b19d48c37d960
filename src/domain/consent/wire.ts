import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import type { CrmWire } from '../crm/wire.ts'
import { purposesRepository } from './purposes.repository.ts'
import { type PurposesParts, purposesService } from './purposes.service.ts'
import { refusalsRepository } from './refusals.repository.ts'
import { suppressionsRepository } from './suppressions.repository.ts'
import { suppressionsService } from './suppressions.service.ts'

export type ConsentWire = ReturnType<typeof wireConsent>

interface Needs extends Pick<PurposesParts, 'awaitedBy'> {
  crm: () => CrmWire
}

/** Purposes that people allow or refuse, and the suppression list. */
export function wireConsent({ sql, clock, vault }: Base, { crm, awaitedBy }: Needs) {
  const purposesStored = once(() => purposesRepository(sql))
  const suppressionsStored = once(() => suppressionsRepository(sql))
  const purposes = once(() =>
    purposesService({
      repo: purposesStored(),
      users: crm().users(),
      ensureUsers: (appId, identifiers) => crm().crm().ensureUsers(appId, identifiers),
      clock,
      awaitedBy,
    }),
  )
  const suppressions = once(() => suppressionsService({ repo: suppressionsStored(), vault, clock }))
  const refusals = once(() => refusalsRepository(sql, purposesStored(), suppressionsStored(), vault))
  const clearings = (): Clearing[] => [suppressionsStored().clearApp]
  return { purposes, suppressions, refusals, clearings }
}
