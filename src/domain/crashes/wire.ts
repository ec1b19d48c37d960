import { type Base, once } from '../../platform/wiring.ts'
import { crashesRepository } from './repository.ts'
import { crashesService } from './service.ts'

/** Crash reports. */
export function wireCrashes({ sql, config, clock }: Base) {
  const repo = once(() => crashesRepository(sql))
  const crashes = once(() =>
    crashesService({
      repo: repo(),
      clock,
      quota: {
        keep: config['crashes.keep'],
        keepBytes: config['crashes.keepBytes'],
        largest: config['limits.crashBody'],
      },
    }),
  )
  return { crashes, clearings: () => [repo().clearApp] }
}
