import { sizeLimit } from '../../platform/config.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { activityRepository } from './activity.repository.ts'
import { installsRepository } from './installs.repository.ts'
import type { CrmParts } from './parts.ts'
import { usersRepository } from './repository.ts'
import { crmService } from './service.ts'
import { signedIdsRepository } from './signed-ids.repository.ts'
import { type SigningMemory, signedIdsService } from './signed-ids.service.ts'
import { tokensRepository } from './tokens.repository.ts'

export type CrmWire = ReturnType<typeof wireCrm>

interface Needs {
  /** What apps ask of devices that name a user: one for the process. */
  signing: SigningMemory
  refusalOfEndpoint: NonNullable<CrmParts['refusalOfEndpoint']>
}

/** Users, their installs and push tokens, and users that a server signed. */
export function wireCrm({ sql, config, clock, vault }: Base, { signing, refusalOfEndpoint }: Needs) {
  const users = once(() => usersRepository(sql))
  const installs = once(() => installsRepository(sql))
  const signedIds = once(() =>
    signedIdsService({
      repo: signedIdsRepository(sql),
      users: users(),
      installs: installs(),
      vault,
      clock,
      memory: signing,
    }),
  )
  const crm = once(() =>
    crmService({
      users: users(),
      installs: installs(),
      tokens: tokensRepository(sql),
      activity: activityRepository(sql),
      clock,
      defaultZone: config.timezone,
      checkInstallName: (...named) => signedIds().checkInstallName(...named),
      refusalOfEndpoint,
      maxInstalls: config['limits.installsPerUser'],
      maxAttributes: sizeLimit(config, 'limits.attributes'),
    }),
  )
  const clearings = (): Clearing[] => [installs().clearApp, users().clearApp]
  return { users, installs, signedIds, crm, clearings }
}
