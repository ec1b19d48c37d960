import { type Base, once } from '../../platform/wiring.ts'
import type { AppsWire } from '../apps/wire.ts'
import { auditRepository } from './audit/repository.ts'
import { auditService } from './audit/service.ts'
import { linksRepository } from './links.repository.ts'
import { passkeysRepository } from './passkeys/repository.ts'
import { passkeysService } from './passkeys/service.ts'
import { adminsRepository } from './repository.ts'
import { secondFactorService } from './second-factor/second-factor.ts'
import { adminsService } from './service.ts'
import { sessionsRepository } from './sessions/repository.ts'
import { sessionsService } from './sessions/service.ts'
import { tokensRepository } from './tokens/repository.ts'
import { tokensService } from './tokens/service.ts'
import { codeTriesService } from './tries/code-tries.ts'
import { triesRepository } from './tries/repository.ts'
import { triesService } from './tries/service.ts'

/** The people of the admin interface: who they are, what they may do, and what they did. */
export function wireAdmins({ sql, config, vault, clock }: Base, { apps }: { apps: () => AppsWire }) {
  const repo = once(() => adminsRepository(sql))
  const sessions = once(() => sessionsService({ repo: sessionsRepository(sql), vault, clock }))
  const tokens = once(() => tokensService({ repo: tokensRepository(sql), vault, clock }))
  const triesRepo = once(() => triesRepository(sql))
  const tries = once(() => triesService({ repo: triesRepo(), vault, clock }))
  const codeTries = once(() => codeTriesService({ repo: triesRepo(), vault, clock }))
  const audit = once(() => auditService({ repo: auditRepository(sql), clock }))
  const secondFactor = once(() => secondFactorService({ repo: repo(), vault, clock }))
  const passkeysRepo = once(() => passkeysRepository(sql))
  const passkeys = once(() =>
    passkeysService({ repo: passkeysRepo(), admins: repo(), vault, clock, baseUrl: config.baseUrl }),
  )
  const admins = once(() =>
    adminsService({
      repo: repo(),
      links: linksRepository(sql),
      passkeys: passkeysRepo(),
      sessions: sessions(),
      tokens: tokens(),
      vault,
      clock,
      appExists: async (id) => (await apps().apps().find(id)) !== undefined,
      appsThere: (ids) => apps().apps().there(ids),
    }),
  )
  /** Forgets what is over: at most `limit` one-time links, challenges, tries and sessions each; returns how many. */
  const forget = async (limit: number) => {
    const now = clock.now()
    const links = await linksRepository(sql).forget(now, limit)
    const challenges = await passkeysRepo().forget(now, limit)
    const tried = await triesRepo().forget(now, limit)
    return links + challenges + tried + (await sessionsRepository(sql).forget(now, limit))
  }
  const upkeep = once(() => ({ forget }))
  return { upkeep, admins, secondFactor, passkeys, sessions, tokens, tries, codeTries, audit }
}
