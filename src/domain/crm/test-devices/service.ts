import { AppError, invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { CrmService } from '../service.ts'
import type { TestDevice, TestDevicesRepository } from './repository.ts'

/** Test devices of an app. A team has a drawer of phones, not a fleet. */
const MOST = 50

export interface TestDevicesParts {
  repo: TestDevicesRepository
  book: Pick<CrmService, 'lookupInstalls'>
  clock: Clock
}

/** The named devices to which people send a push before they send it to everybody. */
export function testDevicesService({ repo, book, clock }: TestDevicesParts) {
  const get = async (appId: number, id: number): Promise<TestDevice> => {
    const found = await repo.find(appId, id)
    if (!found) throw new AppError('not_found', `there is no test device ${id}`)
    return found
  }

  return {
    /** All of them, oldest first. */
    list: (appId: number): Promise<TestDevice[]> => repo.list(appId, MOST),

    /** Throws `not_found`. */
    get,

    /**
     * Adds a device by its install id; one that is there gets the new name. Throws `invalid` for an unknown install, and
     * when the app has as many test devices as it may have.
     */
    async save(appId: number, { name, installId }: { name: string; installId: string }): Promise<TestDevice> {
      const install = (await book.lookupInstalls(appId, [installId])).get(installId)
      if (!install) throw invalid({ installId: ['is not known: open the app on the device once, then try again'] })
      const all = await repo.list(appId, MOST)
      const isKnown = all.some((one) => one.installId === installId)
      if (all.length >= MOST && !isKnown) {
        throw invalid({ installId: [`would be one more than the ${MOST} test devices of an app: remove one first`] })
      }
      return get(appId, await repo.save(appId, { name, row: install.row, createdAt: clock.now() }))
    },

    /** Throws `not_found`. The install itself stays. */
    async remove(appId: number, id: number): Promise<void> {
      if (!(await repo.remove(appId, id))) throw new AppError('not_found', `there is no test device ${id}`)
    },
  }
}
