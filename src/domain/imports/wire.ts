import { sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { ChannelsWire } from '../channels/wire.ts'
import type { ConsentWire } from '../consent/wire.ts'
import type { CrmWire } from '../crm/wire.ts'
import { importsRepository } from './repository.ts'
import { importsService } from './service.ts'
import type { Comer } from './types.ts'
import { userImportsService } from './users/service.ts'

interface Needs {
  crm: () => CrmWire
  consent: () => ConsentWire
  channels: () => ChannelsWire
  refusalOfEndpoint(endpoint: string): string | undefined
  erasedAmong(appId: number, comers: readonly Comer[]): Promise<Set<number>>
}

/** Installs and users of other services. */
export function wireImports(
  { sql, config, clock }: Base,
  { crm, consent, channels, refusalOfEndpoint, erasedAmong }: Needs,
) {
  const imports = once(() =>
    importsService({
      repo: importsRepository(sql),
      adoption: crm().adoption(),
      lockListing: crm().users().lockListing,
      subscriptions: channels().ingestion().subscriptions,
      suppress: (...of) =>
        consent()
          .suppressions()
          .putAll(...of),
      clock,
      maxAttributes: sizeLimit(config, 'limits.attributes'),
      refusalOfEndpoint,
      erasedAmong,
    }),
  )
  const userImports = once(() =>
    userImportsService({ rows: crm().userRows(), lockListing: crm().users().lockListing, erasedAmong }),
  )
  return { imports, userImports }
}
