import { type Base, once } from '../../platform/wiring.ts'
import { idempotencyRepository } from './idempotency.repository.ts'
import { issuedKeysRepository } from './issued-keys.repository.ts'
import { issuedKeysService } from './issued-keys.service.ts'
import type { KeyMemory } from './key-memory.ts'
import { appsRepository } from './repository.ts'
import { type AppDeletion, appsService } from './service.ts'

export type AppsWire = ReturnType<typeof wireApps>

interface Needs {
  /** Steps of the other areas when an app is deleted. */
  deletion: AppDeletion
  /** Valid keys: one for the process. */
  keys: KeyMemory
}

/** Accounts, apps, their keys, and requests that callers may repeat. */
export function wireApps({ sql, vault, clock, afterCommit }: Base, { deletion, keys }: Needs) {
  // What a transaction reads may never be committed.
  const known: Pick<KeyMemory, 'find'> = sql.isTransaction ? { find: (_kind, _keys, lookUp) => lookUp() } : keys
  const keysEnded = () => afterCommit(keys.forget)
  const keysOf = <K extends 'rest' | 'server'>(kind: K) =>
    issuedKeysService({ kind, repo: issuedKeysRepository(sql, kind), vault, clock, known, keysEnded })
  const restKeys = once(() => keysOf('rest'))
  const serverKeys = once(() => keysOf('server'))
  const idempotency = once(() => idempotencyRepository(sql, clock))
  const apps = once(() =>
    appsService({
      repo: appsRepository(sql),
      vault,
      clock,
      known,
      keysEnded,
      deletion: {
        stop: () => [restKeys().revokeAll, serverKeys().revokeAll, ...deletion.stop()],
        clear: () => [...deletion.clear(), idempotency().clearApp],
        finish: deletion.finish,
      },
    }),
  )
  return { apps, restKeys, serverKeys, idempotency }
}
