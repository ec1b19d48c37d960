import { readWeighedPage, type WeighedRow } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'

/** The contract's `status` numbers, which notifications and in-app messages share; each adds its own name for `CALLED_OFF`. */
export const SEND_STATUS = { scheduled: 0, queued: 1, sending: 2, sent: 3, failed: 5 } as const

/** The status for which notifications and in-app messages have names of their own. */
export const CALLED_OFF = 4

/** The status of a send whose work is not finished. */
export const OPEN_STATUS: readonly number[] = [SEND_STATUS.scheduled, SEND_STATUS.queued, SEND_STATUS.sending]

/** The contract's `source` numbers: through which form or program a send came. */
export const SOURCE = { messages: 1, push: 2, legacy: 3, cli: 4, console: 5, inApp: 6 } as const
export type Source = (typeof SOURCE)[keyof typeof SOURCE]

/** The orders of a list of sends: by the time of their creation, by their due time, by the time at which they began to be sent. */
export const ORDERS = ['created', 'due', 'sent'] as const

/** The status of a send that was just accepted. */
export function firstStatus(schedule: object | null) {
  return schedule ? SEND_STATUS.scheduled : SEND_STATUS.queued
}

/** The records of one kind of send. */
interface RecordsRepository<R> {
  find(appId: number, id: number): Promise<R | undefined>
  list(appId: number, after: number | undefined, limit: number): Promise<WeighedRow[]>
  byIds(appId: number, ids: readonly number[]): Promise<R[]>
}

/** Reads the records of one kind of send; `what` is its name in errors. */
export function createRecords<R extends { id: number }>(repo: RecordsRepository<R>, what: string) {
  return {
    /** Throws `not_found`, also for a record of another app. */
    async get(appId: number, id: number): Promise<R> {
      const found = await repo.find(appId, id)
      if (!found) throw new AppError('not_found', `there is no ${what} ${id}`)
      return found
    },

    /** Records, newest first, at most `limit`; `next` is the `after` of the next page, null on the last one. */
    list(appId: number, { after, limit }: { after?: number | undefined; limit: number }) {
      return readWeighedPage(
        limit,
        (max) => repo.list(appId, after, max),
        (ids) => repo.byIds(appId, ids),
      )
    },
  }
}
