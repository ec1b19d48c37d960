import { once } from '../../../platform/wiring.ts'
import type { SeenInstall, Sighting } from '../../crm/installs.service.ts'
import type { CrmService } from '../../crm/service.ts'
import type { EventType } from '../event-types.ts'
import type { EventsRepository } from '../repository.ts'
import type { Upload } from './envelope.ts'
import { findEarlyReports } from './first-reports.ts'

/** An install while its uploads are processed. */
export interface Sender extends SeenInstall {
  /** User of the install before these uploads. */
  userBefore: string
  /** The uuids of these uploads that it has sent before. */
  sent: Set<string>
  /** The uuids of events that took effect when the install was created. */
  inEffect: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** The time (ms) by which a clock may be ahead and still tells when an event was made. An event further ahead may be of any time. */
const CLOCK_IS_RIGHT_MS = 3_600_000

/** The senders of these uploads by install id, with the events that each has sent before. Creates unknown installs. */
export async function findSenders(
  { repo, crm, types }: { repo: EventsRepository; crm: CrmService; types: ReadonlyMap<string, EventType> },
  appId: number,
  uploads: readonly Upload[],
  now: number,
): Promise<Map<string, Sender>> {
  const senders = new Map<string, Sender>()
  const byRow = new Map<number, Sender>()
  const early = once(() => findEarlyReports(uploads, now, crm.readToken))
  const sightings = sightingsOf(uploads, types, now).map((sighting) => ({
    ...sighting,
    reports: () => early().get(sighting.installId)?.reports,
  }))
  for (const install of (await crm.ensureInstalls(appId, sightings)).values()) {
    const inEffect = (install.hasReports ? early().get(install.installId)?.uuids : undefined) ?? NONE
    const sender = { ...install, userBefore: install.userIdentifier, sent: new Set<string>(), inEffect }
    senders.set(install.installId, sender)
    byRow.set(install.row, sender)
  }
  const possiblyKnown = uploads.flatMap(({ installId, batch }) => {
    const { row, isNew } = senders.get(installId)!
    const madeAt = (at: number) => (at > now + CLOCK_IS_RIGHT_MS ? 0 : at)
    return isNew ? [] : batch.events.map(({ event: { uuid, at } }) => ({ installRow: row, uuid, at: madeAt(at) }))
  })
  for (const { installRow, uuid } of await repo.known(appId, possiblyKnown)) byRow.get(installRow)!.sent.add(uuid)
  return senders
}

/** Each install once, with the first and the last time at which its uploads show it. */
function sightingsOf(uploads: readonly Upload[], types: ReadonlyMap<string, EventType>, now: number): Sighting[] {
  const sightings = new Map<string, Sighting>()
  const named = new Set<string>()
  for (const { installId, batch } of uploads) {
    const before = sightings.get(installId) ?? { installId, at: -Infinity, since: now }
    // An upload without events counts as activity now.
    let [at, since] = [batch.events.length > 0 ? before.at : now, before.since]
    let userAt = before.userAt
    for (const { event } of batch.events) {
      ;[at, since] = [Math.max(at, event.at), Math.min(since, event.at)]
      userAt = Math.max(userAt ?? 0, Math.min(event.at, now))
      if (event.userIdentifier !== undefined || types.get(event.type)?.changesUser) named.add(installId)
    }
    sightings.set(installId, { installId, at: Math.min(at, now), userAt, since })
  }
  for (const installId of named) delete sightings.get(installId)!.userAt
  return [...sightings.values()]
}
