import type { Clock } from '../../../platform/time/clock.ts'
import type { Use } from '../../crm/activity.service.ts'
import type { SeenInstall, Sighting } from '../../crm/installs.service.ts'
import { isIdentifier, isWrongIdNumber } from '../../crm/schema.ts'
import type { CrmService } from '../../crm/service.ts'
import type { Claims } from '../../crm/signed-ids/service.ts'
import type { EventType } from '../event-types.ts'
import type { HandledEvent } from '../handler.ts'
import type { IngestReport, StoredEvent } from '../types.ts'
import { judgeUsers } from './claims.ts'
import { createEffects, type EffectsParts, type Manner } from './effects.ts'
import type { Upload } from './envelope.ts'

/** A type that has no effect. */
const PLAIN: EventType = {}

export interface IngestParts extends EffectsParts {
  crm: CrmService
  /** Which users each install may name. */
  claims(appId: number): Promise<Claims>
  clock: Clock
}

/** An install while its uploads are processed. */
interface Sender extends SeenInstall {
  /** Its user before these uploads. */
  userBefore: string
  /** Which of the uuids of these uploads it has sent before. */
  sent: Set<string>
}

/**
 * Processes uploads of one app inside the caller's transaction and returns the result of each. Most of the work takes a
 * handful of statements, however many uploads there are. An install may appear more than once.
 */
export async function ingestUploads(
  parts: IngestParts,
  appId: number,
  uploads: readonly Upload[],
  manner: Manner,
): Promise<IngestReport[]> {
  const { repo, crm, log } = parts
  const now = parts.clock.now()
  const claims = await parts.claims(appId)
  const senders = await findSenders(parts, appId, uploads, now)
  const effects = createEffects(parts, appId, manner)
  const stored: (Omit<StoredEvent, 'id'> & { handled: HandledEvent })[] = []
  const activity = new Map<string, number>()
  /** Which users the installs name, besides the one that they have. */
  const naming = new Map<string, { row: number; identifier: string }>()
  const uses = new Map<string, Use & { times: number[] }>()

  async function take({ installId, batch: { events, refused, trimmed } }: Upload): Promise<IngestReport> {
    const sender = senders.get(installId)!
    const { isNew } = sender
    sender.isNew = false
    const before = stored.length
    const refusedNames: string[] = []
    for (const { event } of events) {
      const { type, uuid } = event
      if (sender.sent.has(uuid)) continue
      sender.sent.add(uuid)
      const at = Math.min(event.at, now)
      const countsAs = parts.types.get(type) ?? PLAIN
      const { speaker, hasEffect, data, refused: why } = judgeUsers(event, countsAs, installId, claims)
      if (why !== undefined) refusedNames.push(why)
      const userIdentifier = speaker ?? sender.userIdentifier
      const context = { appId, install: sender, userIdentifier, speaksForUser: speaker !== null, now }
      const handled = { type, uuid, at, data: data ?? {} }
      const named = countsAs.namesUser === undefined ? undefined : data?.[countsAs.namesUser]
      for (const name of [userIdentifier, named]) {
        if ((typeof name !== 'string' && typeof name !== 'number') || isWrongIdNumber(name)) continue
        const identifier = String(name)
        if (identifier === installId || identifier === sender.userBefore || !isIdentifier(identifier)) continue
        naming.set(`${sender.row} ${identifier}`, { row: sender.row, identifier })
      }
      if (hasEffect) await effects.take(handled, context)
      if (countsAs.changesUser) sender.userIdentifier = await crm.currentUser(appId, sender)
      activity.set(userIdentifier, Math.max(at, activity.get(userIdentifier) ?? 0))
      if (countsAs.signOfUse) {
        const key = `${sender.row} ${userIdentifier}`
        const use = uses.get(key)
        if (use) use.times.push(at)
        else {
          const lastHour = userIdentifier === sender.userBefore ? sender.lastHour : undefined
          uses.set(key, { installRow: sender.row, identifier: userIdentifier, times: [at], lastHour })
        }
      }
      stored.push({
        handled,
        appId,
        installRow: sender.row,
        uuid,
        type,
        userIdentifier,
        data,
        happenedAt: at,
        receivedAt: now,
      })
    }
    if (refusedNames.length > 0) {
      log.info(
        { appId, installId, events: refusedNames.length, error: refusedNames[0] },
        'events named a user for whom the device may not speak',
      )
    }
    if (trimmed)
      log.info({ appId, installId, ...trimmed[0]!.errors }, 'events were stored without a part that is too large')
    const accepted = stored.length - before
    return { isNew, accepted, duplicates: events.length - accepted, refused, ...(trimmed && { trimmed }) }
  }

  const reports: IngestReport[] = []
  for (const upload of uploads) reports.push(await take(upload))
  const additions = await effects.additions()
  for (const event of stored) {
    const added = additions.get(event.handled)
    if (added) event.data = { ...event.data, ...added }
  }
  await repo.insert(stored)
  if (naming.size > 0) await crm.rememberUsers(appId, [...naming.values()])
  await crm.touchUsers(appId, activity)
  await crm.noteActivity(appId, [...uses.values()])
  // After the users: every transaction locks users first, then what belongs to them.
  await effects.finish()
  return reports
}

/** The senders of these uploads by install id, with the events that each has sent before. Creates unknown installs. */
async function findSenders(
  { repo, crm }: IngestParts,
  appId: number,
  uploads: readonly Upload[],
  now: number,
): Promise<Map<string, Sender>> {
  const sightings = new Map<string, Sighting>()
  for (const { installId, batch } of uploads) {
    const before = sightings.get(installId) ?? { installId, at: -Infinity, since: now }
    // An upload without events counts as activity now.
    let [at, since] = [batch.events.length > 0 ? before.at : now, before.since]
    for (const { event } of batch.events) [at, since] = [Math.max(at, event.at), Math.min(since, event.at)]
    sightings.set(installId, { installId, at: Math.min(at, now), since })
  }
  const senders = new Map<string, Sender>()
  const byRow = new Map<number, Sender>()
  for (const install of (await crm.ensureInstalls(appId, [...sightings.values()])).values()) {
    const sender = { ...install, userBefore: install.userIdentifier, sent: new Set<string>() }
    senders.set(install.installId, sender)
    byRow.set(install.row, sender)
  }
  const possiblyKnown = uploads.flatMap(({ installId, batch }) => {
    const { row, isNew } = senders.get(installId)!
    return isNew ? [] : batch.events.map(({ event }) => ({ installRow: row, uuid: event.uuid }))
  })
  for (const { installRow, uuid } of await repo.known(appId, possiblyKnown)) byRow.get(installRow)!.sent.add(uuid)
  return senders
}
