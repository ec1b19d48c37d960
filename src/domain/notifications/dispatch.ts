import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Audience } from '../audience/resolve.ts'
import type { GatewaysService } from '../gateways/service.ts'
import type { Ledger } from './ledger.repository.ts'
import { SLOT } from './page.ts'
import { STATUS } from './types.ts'

export type Dispatch = ReturnType<typeof dispatchOf>

/** Fan-out: a due run becomes pages of recipients, one step a transaction. */
export function dispatchOf(parts: {
  ledger: Ledger
  audience: Audience
  gateways: GatewaysService
  config: Config
  clock: Clock
}) {
  const { ledger, audience, gateways, config, clock } = parts

  /** Closes a notification when nothing of it is left to do. Safe to call at any time. */
  async function finishIfDone(appId: number, notificationId: number): Promise<void> {
    if (await ledger.isOpen(notificationId)) return
    const counts = await ledger.counts(appId, notificationId)
    const now = clock.now()
    const from = [STATUS.queued, STATUS.sending]
    if (counts.accepted > 0) await ledger.setStatus(notificationId, from, STATUS.sent, null, now)
    else {
      const reason = counts.audience === 0 ? 'nobody is subscribed' : 'nobody could be reached'
      await ledger.setStatus(notificationId, from, STATUS.failed, reason, now)
    }
  }

  return {
    finishIfDone,

    /**
     * Takes one run a step further, in the caller's transaction: its next pages, its cursor. Returns true when more is to
     * come. A kill between two steps loses and repeats nobody, because cursor and pages are committed together.
     */
    async step(runId: number): Promise<boolean> {
      const run = await ledger.lockRun(runId)
      if (!run) return false
      const { appId, notificationId } = run
      const now = clock.now()
      const message = await ledger.message(notificationId)
      if (!message || message.status === STATUS.cancelled) {
        await ledger.moveCursor(run.id, run.cursor, true)
        return false
      }
      await ledger.setStatus(notificationId, [STATUS.scheduled, STATUS.queued], STATUS.sending, null, now)
      const { steps, cursor, done } = await audience.step(
        appId,
        message.target,
        run.cursor,
        config['delivery.pageSize'],
      )
      for (const { platform, rows } of steps) {
        const page = { appId, notificationId, rows, notBefore: now }
        const credential = platform && (await gateways.find(appId, platform))
        if (platform === undefined) await ledger.insertPage({ ...page, slot: SLOT.skipped }, now)
        else if (!credential?.sendable) await ledger.insertPage({ ...page, slot: SLOT.no_gateway }, now)
        else await ledger.insertPage({ ...page, laneId: (await gateways.lanes.ensure(appId, platform, now)).id }, now)
      }
      await ledger.moveCursor(run.id, cursor, done)
      if (done) await finishIfDone(appId, notificationId)
      return !done
    },
  }
}
