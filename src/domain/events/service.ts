import type { Clock } from '../../platform/clock.ts'
import { isAppError } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { CrmService } from '../crm/service.ts'
import type { InstallRef } from '../crm/types.ts'
import { readBatch } from './envelope.ts'
import type { EventHandlers } from './handlers.ts'
import type { EventsRepository } from './repository.ts'
import type { DeviceEvent, EventData, IngestReport, StoredEvent } from './types.ts'

export type EventsService = ReturnType<typeof eventsService>

/** An event that the server itself makes. */
export interface OwnEvent {
  type: string
  data: EventData | null
  /** When it happened (ms); now when absent. */
  at?: number
  installRow?: number
  userIdentifier?: string
}

interface Parts {
  repo: EventsRepository
  crm: CrmService
  handlers: EventHandlers
  clock: Clock
  log: Log
}

/** Events that tell at which hours a user uses the app: sessions, and messages opened. */
const SIGNS_OF_USE = new Set(['k.fg', 'k.message.opened', 'k.push.opened'])

/** Events in: checked one by one, stored once, with their effects. */
export function eventsService({ repo, crm, handlers, clock, log }: Parts) {
  /** Runs the event's handler by itself; what it adds to the data. A failing handler is logged and costs only its own effect. */
  async function handle(
    appId: number,
    install: InstallRef,
    event: DeviceEvent & { userIdentifier: string },
    now: number,
  ): Promise<EventData | null> {
    const handler = Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined
    if (!handler) return event.data
    const { type, uuid, at, userIdentifier } = event
    const outcome = await repo.alone(async () =>
      handler({ type, uuid, at, data: event.data ?? {} }, { appId, install, userIdentifier, now }),
    )
    if ('value' in outcome) return outcome.value ? { ...event.data, ...outcome.value } : event.data
    const { failure } = outcome
    const about = { appId, installId: install.installId, type, uuid }
    if (isAppError(failure)) {
      log.info({ ...about, error: failure.message, ...failure.details }, 'an event was stored without its effect')
    } else {
      log.error({ ...about, err: failure }, 'the handler of an event failed; the event was stored without its effect')
    }
    return event.data
  }

  return {
    /**
     * One upload of a device (device-protocol section 4), inside the caller's transaction: makes the install on first sight, stores
     * what is new in the order given and acts on it. Times later than now become now. Throws `invalid` for an unusable install id
     * or a body that is no array, `too_large`, and `unavailable` when the database cannot write: then nothing was stored.
     */
    async ingest(appId: number, installId: string, body: unknown): Promise<IngestReport> {
      const { events, refused } = readBatch(body)
      const now = clock.now()
      for (const { event } of events) event.at = Math.min(event.at, now)
      const times = events.map(({ event }) => event.at)

      // The install's row is locked from here on, so that the same batch coming in twice at once is seen by the second as stored.
      const at = times.length > 0 ? Math.max(...times) : now
      const install = await crm.ensureInstall(appId, installId, at, Math.min(now, ...times))
      let currentUser = install.userIdentifier
      const known = await repo.known(
        appId,
        install.row,
        events.map(({ event }) => event.uuid),
      )
      const stored: Omit<StoredEvent, 'id'>[] = []
      const activity = new Map<string, number>()
      const active = new Map<string, number[]>()
      for (const { event } of events) {
        if (known.has(event.uuid)) continue
        known.add(event.uuid)
        const userIdentifier = event.userIdentifier ?? currentUser
        const data = await handle(appId, install, { ...event, userIdentifier }, now)
        // What an event did may have been to say whose the install is.
        if (Object.hasOwn(handlers, event.type)) currentUser = await crm.currentUser(appId, install)
        activity.set(userIdentifier, Math.max(event.at, activity.get(userIdentifier) ?? 0))
        if (SIGNS_OF_USE.has(event.type)) active.set(userIdentifier, [...(active.get(userIdentifier) ?? []), event.at])
        stored.push({
          appId,
          installRow: install.row,
          uuid: event.uuid,
          type: event.type,
          userIdentifier,
          data,
          happenedAt: event.at,
          receivedAt: now,
        })
      }
      await repo.insert(stored)
      // Sorted: batches about the same users must not wait for each other in a circle.
      for (const [identifier, at] of [...activity].sort(([a], [b]) => (a < b ? -1 : 1)))
        await crm.touchUser(appId, identifier, at)
      for (const [identifier, at] of [...active].sort(([a], [b]) => (a < b ? -1 : 1)))
        await crm.noteActivity(appId, install, identifier, at)
      return { accepted: stored.length, duplicates: events.length - stored.length, refused }
    },

    /** Stores an event that the server made. */
    async record(appId: number, { type, data, at, installRow, userIdentifier }: OwnEvent): Promise<void> {
      const now = clock.now()
      await repo.insert([
        {
          appId,
          installRow: installRow ?? null,
          uuid: newUuid(),
          type,
          userIdentifier: userIdentifier ?? null,
          data,
          happenedAt: at ?? now,
          receivedAt: now,
        },
      ])
    },

    /** At most `limit` events stored after the one with the id `cursor` (0 = from the start), oldest first. */
    after(appId: number, cursor: number, limit: number): Promise<StoredEvent[]> {
      return repo.after(appId, cursor, limit)
    },

    /** Deletes at most `limit` events, of all apps, that are older than `days`; returns how many. */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(clock.now() - days * 86_400_000, limit)
    },
  }
}
