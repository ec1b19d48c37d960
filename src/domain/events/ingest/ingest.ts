import type { Clock } from '../../../platform/time/clock.ts'
import type { CrmService } from '../../crm/service.ts'
import type { Claims } from '../../crm/signed-ids/service.ts'
import type { EventType } from '../event-types.ts'
import type { HandledEvent } from '../handler.ts'
import type { IngestReport, StoredEvent } from '../types.ts'
import { judgeUsers } from './claims.ts'
import { createEffects, type EffectsParts, type Manner } from './effects.ts'
import type { Upload } from './envelope.ts'
import { findSenders, type Sender } from './senders.ts'
import { createUserNotes } from './user-notes.ts'

/** A type that has no effect. */
const PLAIN: EventType = {}

export interface IngestParts extends EffectsParts {
  crm: CrmService
  /** Finds the users that each install may name. */
  claims(appId: number): Promise<Claims>
  clock: Clock
}

/** Uploads of one app while they are processed. */
interface Ingestion {
  parts: IngestParts
  appId: number
  now: number
  claims: Claims
  effects: ReturnType<typeof createEffects>
  users: ReturnType<typeof createUserNotes>
  /** The events to store, in the order in which they were sent. */
  events: (Omit<StoredEvent, 'id'> & { handled: HandledEvent })[]
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
  const now = parts.clock.now()
  const claims = await parts.claims(appId)
  const senders = await findSenders(parts, appId, uploads, now)
  const effects = createEffects(parts, appId, manner)
  const users = createUserNotes()
  const ingestion: Ingestion = { parts, appId, now, claims, effects, users, events: [] }

  const reports: IngestReport[] = []
  for (const upload of uploads) reports.push(await takeUpload(ingestion, senders.get(upload.installId)!, upload))
  const additions = await effects.additions()
  for (const event of ingestion.events) {
    const added = additions.get(event.handled)
    if (added) event.data = { ...event.data, ...added }
  }
  await parts.repo.insert(ingestion.events)
  await users.store(parts.crm, appId)
  // After the users: every transaction locks users first, then what belongs to them.
  await effects.finish()
  return reports
}

/** Takes the new events of one upload: runs the effects that cannot wait, and notes the others. */
async function takeUpload(ingestion: Ingestion, sender: Sender, { batch }: Upload): Promise<IngestReport> {
  const { parts, appId, effects, users } = ingestion
  const { isNew } = sender
  sender.isNew = false
  const before = ingestion.events.length
  const refusedNames: string[] = []
  for (const { event } of batch.events) {
    if (sender.sent.has(event.uuid)) continue
    sender.sent.add(event.uuid)
    const type = parts.types.get(event.type) ?? PLAIN
    const { speaker, hasEffect, data, refused } = judgeUsers(event, type, sender.installId, ingestion.claims)
    if (refused !== undefined) refusedNames.push(refused)
    const at = Math.min(event.at, ingestion.now)
    const userIdentifier = speaker ?? sender.userIdentifier
    const handled = { type: event.type, uuid: event.uuid, at, data: data ?? {} }
    users.name(sender, userIdentifier)
    if (type.namesUser !== undefined) users.name(sender, data?.[type.namesUser])
    if (hasEffect && !sender.inEffect.has(event.uuid)) {
      const speaksForUser = speaker !== null
      await effects.take(handled, { appId, install: sender, userIdentifier, speaksForUser, now: ingestion.now })
    }
    if (type.changesUser) sender.userIdentifier = await parts.crm.currentUser(appId, sender)
    users.activity(sender, userIdentifier, at)
    if (type.signOfUse) users.use(sender, userIdentifier, at)
    ingestion.events.push({
      handled,
      appId,
      installRow: sender.row,
      uuid: event.uuid,
      type: event.type,
      userIdentifier,
      data,
      happenedAt: at,
      receivedAt: ingestion.now,
    })
  }
  logLosses(ingestion, sender, { refusedNames, trimmed: batch.trimmed })
  const accepted = ingestion.events.length - before
  const duplicates = batch.events.length - accepted
  return { isNew, accepted, duplicates, refused: batch.refused, ...(batch.trimmed && { trimmed: batch.trimmed }) }
}

/** Logs what of an upload is stored otherwise than it was sent. */
function logLosses(
  { parts: { log }, appId }: Ingestion,
  { installId }: Sender,
  { refusedNames, trimmed }: { refusedNames: readonly string[]; trimmed: Upload['batch']['trimmed'] },
): void {
  if (refusedNames.length > 0) {
    log.info(
      { appId, installId, events: refusedNames.length, error: refusedNames[0] },
      'events named a user for whom the device may not speak',
    )
  }
  if (trimmed)
    log.info({ appId, installId, ...trimmed[0]!.errors }, 'events were stored without a part that is too large')
}
