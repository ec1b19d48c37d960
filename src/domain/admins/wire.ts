import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import { auditRepository } from './audit.repository.ts'
import { auditService } from './audit.service.ts'
import { linksRepository } from './links.repository.ts'
import { passkeysRepository } from './passkeys.repository.ts'
import { adminsRepository } from './repository.ts'
import { secondFactorService } from './second-factor.ts'
import { adminsService } from './service.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { sessionsService } from './sessions.service.ts'
import { tokensRepository } from './tokens.repository.ts'
import { tokensService } from './tokens.service.ts'

/** The people of the admin interface: who they are, what they may do, and what they did. */
export function wireAdmins({ sql, vault, clock }: Base, { apps }: { apps: () => AppsWire }) {
  const repo = once(() => adminsRepository(sql))
  const sessions = once(() => sessionsService({ repo: sessionsRepository(sql), vault, clock }))
  const tokens = once(() => tokensService({ repo: tokensRepository(sql), vault, clock }))
  const audit = once(() => auditService({ repo: auditRepository(sql), clock }))
  const secondFactor = once(() => secondFactorService({ repo: repo(), vault, clock }))
  const admins = once(() =>
    adminsService({
      repo: repo(),
      links: linksRepository(sql),
      passkeys: passkeysRepository(sql),
      sessions: sessions(),
      tokens: tokens(),
      vault,
      clock,
      appExists: async (id) => (await apps().apps().find(id)) !== undefined,
    }),
  )
  return { admins, secondFactor, sessions, tokens, audit }
}
