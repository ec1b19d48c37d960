import { newOrderedUuid } from '../../platform/crypto/ids.ts'
import type { USER_ERASED } from './erased-user.ts'
import { EVENT_TYPES, type EventType } from './event-types.ts'
import type { Manner } from './ingest/effects.ts'
import { type EventLimits, readUpload, type Sizing, type Upload } from './ingest/envelope.ts'
import { type IngestParts, ingestUploads } from './ingest/ingest.ts'
import type { EventData, IngestReport, StoredEvent } from './types.ts'

export type EventsService = ReturnType<typeof eventsService>

/** An event made by the server itself. */
export interface OwnEvent {
  type: string
  data: EventData | null
  /** The time at which it happened (ms); now when absent. */
  at?: number
  installRow?: number
  userIdentifier?: string
}

type Parts = Omit<IngestParts, 'types' | 'claims'> &
  Partial<Pick<IngestParts, 'claims'>> & {
    /** Default: `EVENT_TYPES`. */
    types?: Readonly<Record<string, EventType>>
    limits?: EventLimits
  }

/** Accepts every user that a device names. */
const acceptEveryName: IngestParts['claims'] = async () => (identifier) => ({ identifier })

const KNOWN_TYPES: IngestParts['types'] = new Map(Object.entries(EVENT_TYPES))

/** Receives events: checks them one by one, stores each once and runs its effects. */
export function eventsService({ types, claims = acceptEveryName, limits, ...rest }: Parts) {
  const parts: IngestParts = { ...rest, types: types ? new Map(Object.entries(types)) : KNOWN_TYPES, claims }
  const { repo, clock } = parts

  async function recordAll(appId: number, list: readonly OwnEvent[]): Promise<void> {
    const now = clock.now()
    await repo.insert(
      list.map(({ type, data, at, installRow, userIdentifier }) => ({
        appId,
        installRow: installRow ?? null,
        uuid: newOrderedUuid(now),
        type,
        userIdentifier: userIdentifier ?? null,
        data,
        happenedAt: at ?? now,
        receivedAt: now,
      })),
    )
  }

  return {
    /**
     * Processes one upload of a device (docs/reference/device-protocol.md section 4) inside the caller's transaction:
     * creates the install if it is unknown, stores new events in the given order and runs their effects. Times later
     * than now become now. Throws `invalid` for an unusable install id or a body that is not an array, `too_large`, and
     * `unavailable` when the database cannot write; nothing is stored then. `sizing` is what is known of the body.
     */
    async ingest(
      appId: number,
      installId: string,
      body: unknown,
      sizing: Omit<Sizing, 'limits'> = {},
    ): Promise<IngestReport> {
      const upload = readUpload(installId, body, { ...sizing, limits })
      return (await ingestUploads(parts, appId, [upload], 'careful'))[0]!
    },

    /**
     * `ingest` for several uploads in few statements; returns the result of each. May throw `HandlerFailed` when
     * `trusting`.
     */
    ingestAll(appId: number, uploads: readonly Upload[], manner: Manner): Promise<IngestReport[]> {
      return ingestUploads(parts, appId, uploads, manner)
    },

    /** Stores events made by the server, in this order. */
    recordAll,

    /** Stores an event made by the server. */
    record(appId: number, event: OwnEvent): Promise<void> {
      return recordAll(appId, [event])
    },

    /** Events stored after the one with the id `cursor` (0 = from the start), oldest first, at most `limit`. */
    after(appId: number, cursor: number, limit: number): Promise<StoredEvent[]> {
      return repo.after(appId, cursor, limit)
    },

    /** The same as `forget` for events of one type. */
    forgetOfType(type: typeof USER_ERASED, days: number, limit: number): Promise<number> {
      return repo.forgetOfType(clock.now() - days * 86_400_000, limit, type)
    },

    /** Deletes at most `limit` events of all apps that are older than `days`; returns how many it deleted. */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(days * 86_400_000, limit, clock.now())
    },
  }
}
