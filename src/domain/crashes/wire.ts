import { type Base, once } from '../../platform/wiring.ts'
import { createCrashHandler } from './event-handler.ts'
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
  const eventHandler = once(() => createCrashHandler(crashes()))
  return { crashes, eventHandler, clearings: () => [repo().clearApp] }
}
