import { sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { Clearing } from '../apps/types.ts'
import { adoptionRepository } from './adoption/repository.ts'
import { adoptionService } from './adoption/service.ts'
import { createUserRows } from './adoption/user-rows.ts'
import { crmService } from './service.ts'
import { signedIdsRepository } from './signed-ids/repository.ts'
import { type SigningMemory, signedIdsService } from './signed-ids/service.ts'
import { activityRepository } from './store/activity.repository.ts'
import { installsRepository } from './store/installs.repository.ts'
import { newInstallsRepository } from './store/new-installs.repository.ts'
import type { CrmNews, CrmParts } from './store/parts.ts'
import { tokensRepository } from './store/tokens.repository.ts'
import { usersRepository } from './store/users.repository.ts'
import { testDevicesRepository } from './test-devices/repository.ts'
import { testDevicesService } from './test-devices/service.ts'

export type CrmWire = ReturnType<typeof wireCrm>

interface Needs {
  /** The signing modes and keys of apps: one cache for the thread. */
  signing: SigningMemory
  refusalOfEndpoint: NonNullable<CrmParts['refusalOfEndpoint']>
  news: CrmNews
}

/** Users, their installs and push tokens, and users that a server signed. */
export function wireCrm({ sql, config, clock, vault, afterCommit }: Base, { signing, refusalOfEndpoint, news }: Needs) {
  const users = once(() => usersRepository(sql))
  const installs = once(() => installsRepository(sql))
  const tokens = once(() => tokensRepository(sql))
  const memory: SigningMemory = {
    ...signing,
    // Once more after the commit: until then other calls read the former state, and keep it.
    forget() {
      signing.forget()
      afterCommit(signing.forget)
    },
  }
  const signedIds = once(() =>
    signedIdsService({
      repo: signedIdsRepository(sql),
      users: users(),
      installs: installs(),
      vault,
      clock,
      memory,
    }),
  )
  const crm = once(() =>
    crmService({
      users: users(),
      installs: installs(),
      newInstalls: newInstallsRepository(sql),
      tokens: tokens(),
      activity: activityRepository(sql),
      clock,
      defaultZone: config.timezone,
      checkInstallName: (...named) => signedIds().checkInstallName(...named),
      refusalOfEndpoint,
      news,
      maxInstalls: config['limits.installsPerUser'],
      maxAttributes: sizeLimit(config, 'limits.attributes'),
    }),
  )
  const adoption = once(() =>
    adoptionService({
      adoption: adoptionRepository(sql),
      users: users(),
      installs: installs(),
      clock,
      maxInstalls: config['limits.installsPerUser'],
      maxAttributes: sizeLimit(config, 'limits.attributes'),
    }),
  )
  const userRows = once(() =>
    createUserRows({
      adoption: adoptionRepository(sql),
      users: users(),
      clock,
      maxAttributes: sizeLimit(config, 'limits.attributes'),
    }),
  )
  const testDevices = once(() => testDevicesService({ repo: testDevicesRepository(sql), book: crm(), clock }))
  const clearings = (): Clearing[] => [installs().clearApp, users().clearApp]
  return { users, installs, tokens, signedIds, crm, adoption, userRows, testDevices, clearings }
}
