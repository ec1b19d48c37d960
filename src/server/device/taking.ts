import { isIdentifier } from '../../domain/crm/schema.ts'
import type { IngestReport } from '../../domain/events/types.ts'
import { chargeEvents, checkEvents, takeNewcomers } from '../limits/caps.ts'
import type { Call } from '../routing/route.ts'

/** The part of a call that concerns its install. */
export type InstallCall = Pick<
  Call<unknown, unknown>,
  'tx' | 'program' | 'within' | 'appId' | 'remote' | 'size' | 'unkept'
>

/**
 * Stores the events of an install, all or none. Throws as `EventsService.ingest` does, and `unavailable` with
 * `Retry-After` when the install or its address has reached its limit. A known install is not refused because of its
 * address.
 */
export async function takeEvents(call: InstallCall, installId: string, events: unknown): Promise<IngestReport> {
  const { tx, program, within, appId, size, unkept } = call
  await checkEvents(call, installId, () => isKnownOrUnusable(call, installId))
  const { ingest } = within === 'program' ? program.uploads : tx.events
  const report = await ingest(appId, installId, events, { size, unkept })
  // Charged now, so that a failed or repeated upload costs nothing.
  chargeEvents(call, installId, report, size)
  return report
}

/** Creates the install that a call names if it is new, inside the call's transaction. Throws as `takeEvents` does. */
export async function meetInstall(
  call: Pick<InstallCall, 'tx' | 'program' | 'appId' | 'remote'>,
  installId: string,
): Promise<void> {
  const { tx, program, appId } = call
  const { isNew } = await tx.crm.ensureInstall(appId, installId, program.kernel.clock.now())
  await takeNewcomers(call, Number(isNew))
}

/** Tells whether the install is known. An invalid id is let through, so that the caller gets the error about the id. */
async function isKnownOrUnusable({ tx, appId }: InstallCall, installId: string): Promise<boolean> {
  return !isIdentifier(installId) || (await tx.crm.lookupInstalls(appId, [installId])).size > 0
}
