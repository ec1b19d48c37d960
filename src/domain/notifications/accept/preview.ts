import { AppError } from '../../../platform/errors.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import type { Within } from '../../audience/walk/within.ts'
import { placementOf } from '../fan-out/plan.ts'
import type { Ledger } from '../record/ledger.repository.ts'
import type { DueInstant, RunsRepository } from '../record/runs.repository.ts'
import type { NotificationsRepository } from '../repository.ts'
import { plannedAtOf } from '../types.ts'

export interface PreviewAreas {
  sent: Pick<NotificationsRepository, 'find'>
  runs: Pick<RunsRepository, 'instants'>
  ledger: Pick<Ledger, 'walked'>
  audience: Pick<Audience, 'step' | 'zones'>
}

/** A due time with the number of installs that are due then, as of now; `installs` is null when it has passed. */
export interface PreviewedInstant extends DueInstant {
  installs: number | null
}

/** Installs per step of the count. */
const STEP = 1000

/**
 * The due times of a scheduled notification in order, each with the number of installs that get it then if none of them
 * moves. Leaves out future due times without installs. Throws `not_found`, and `bad_request` when the notification has
 * no schedule or announces an in-app message.
 */
export async function previewInstants(
  { sent, runs, ledger, audience }: PreviewAreas,
  appId: number,
  id: number,
  defaultZone: string,
): Promise<PreviewedInstant[]> {
  const notification = await sent.find(appId, id)
  const message = await ledger.walked(appId, id)
  if (!notification || !message) throw new AppError('not_found', `there is no notification ${id}`)
  const { schedule } = notification
  const plannedAt = plannedAtOf(notification)
  if (schedule === null) throw new AppError('bad_request', `notification ${id} has no schedule: it was sent at once`)
  const { inAppMessageId } = notification.content
  if (inAppMessageId !== undefined) {
    throw new AppError('bad_request', `notification ${id} goes to whoever gets in-app message ${inAppMessageId}`)
  }
  const zones = await audience.zones(appId, message.target)

  async function count(within: Within | undefined): Promise<number> {
    let installs = 0
    let cursor: Cursor = {}
    for (let done = false; !done; ) {
      const step = await audience.step(appId, message!.target, cursor, STEP, within)
      installs += step.steps.reduce((sum, { rows }) => sum + rows.length, 0)
      cursor = step.cursor
      done = step.done
    }
    return installs
  }

  const previewed: PreviewedInstant[] = []
  for (const instant of await runs.instants(id, { all: true })) {
    if (instant.state !== 'due') {
      if (instant.zones?.length !== 0) previewed.push({ ...instant, installs: null })
      continue
    }
    if (instant.zones === null) {
      previewed.push({ ...instant, installs: await count(undefined) })
      continue
    }
    const { places } = placementOf({ kind: instant.kind, dueAt: instant.at }, schedule, zones, plannedAt, defaultZone)
    if (places === null || places.length === 0) continue
    const installs = await count({ places, changedSince: Number.MAX_SAFE_INTEGER })
    const here = [...new Set(places.map(({ zone }) => zone))]
    if (installs > 0) previewed.push({ ...instant, zones: here, installs })
  }
  return previewed
}
