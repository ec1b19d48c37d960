import { type Base, once } from '../../platform/wiring.ts'
import { idempotencyRepository } from './idempotency.repository.ts'
import { issuedKeysRepository } from './issued-keys.repository.ts'
import { issuedKeysService } from './issued-keys.service.ts'
import { appsRepository } from './repository.ts'
import { type AppDeletion, appsService } from './service.ts'

export type AppsWire = ReturnType<typeof wireApps>

/**
 * Accounts, apps, their keys, and requests that callers may repeat. `deletion` is what the other areas do when an app
 * is deleted.
 */
export function wireApps({ sql, vault, clock }: Base, { deletion }: { deletion: AppDeletion }) {
  const keysOf = <K extends 'rest' | 'server'>(kind: K) =>
    issuedKeysService({ kind, repo: issuedKeysRepository(sql, kind), vault, clock })
  const restKeys = once(() => keysOf('rest'))
  const serverKeys = once(() => keysOf('server'))
  const idempotency = once(() => idempotencyRepository(sql, clock))
  const apps = once(() =>
    appsService({
      repo: appsRepository(sql),
      vault,
      clock,
      deletion: {
        stop: () => [restKeys().revokeAll, serverKeys().revokeAll, ...deletion.stop()],
        clear: () => [...deletion.clear(), idempotency().clearApp],
        finish: deletion.finish,
      },
    }),
  )
  return { apps, restKeys, serverKeys, idempotency }
}
