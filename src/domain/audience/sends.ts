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

/** Creates a function that reads a send of one kind; `what` is the name of that kind in errors. */
export const createGet =
  <R>({ find }: { find(appId: number, id: number): Promise<R | undefined> }, what: string) =>
  /** Throws `not_found`, also for a record of another app. */
  async (appId: number, id: number): Promise<R> => {
    const found = await find(appId, id)
    if (!found) throw new AppError('not_found', `there is no ${what} ${id}`)
    return found
  }
