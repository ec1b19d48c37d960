import { newOrderedUuid } from '../../platform/ids.ts'
import type { Manner } from './effects.ts'
import { type EventLimits, readUpload, type Upload } from './envelope.ts'
import { EVENT_TYPES, type EventType } from './event-types.ts'
import { type IngestParts, ingestUploads } from './ingest.ts'
import type { EventData, IngestReport, StoredEvent } from './types.ts'

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

type Parts = Omit<IngestParts, 'types' | 'claims'> &
  Partial<Pick<IngestParts, 'claims'>> & {
    /** Default: `EVENT_TYPES`. */
    types?: Readonly<Record<string, EventType>>
    limits?: EventLimits
  }

/** Believes every name. */
const believed: IngestParts['claims'] = async () => (identifier) => ({ identifier })

const KNOWN_TYPES: IngestParts['types'] = new Map(Object.entries(EVENT_TYPES))

/** Events in: checked one by one, stored once, with their effects. */
export function eventsService({ types, claims = believed, limits, ...rest }: Parts) {
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
     * One upload of a device (docs/reference/device-protocol.md section 4), inside the caller's transaction: makes the install on first sight, stores
     * what is new in the order given and acts on it. Times later than now become now. Throws `invalid` for an unusable install id
     * or a body that is no array, `too_large`, and `unavailable` when the database cannot write: then nothing was stored. `size` is that
     * of the body in bytes, if it is known.
     */
    async ingest(appId: number, installId: string, body: unknown, size?: number): Promise<IngestReport> {
      const upload = readUpload(installId, body, { limits, size })
      return (await ingestUploads(parts, appId, [upload], 'careful'))[0]!
    },

    /** `ingest` for several uploads, in few statements; what became of each. `trusting` may throw `HandlerFailed`. */
    ingestAll(appId: number, uploads: readonly Upload[], manner: Manner): Promise<IngestReport[]> {
      return ingestUploads(parts, appId, uploads, manner)
    },

    /** Stores events that the server made, in this order. */
    recordAll,

    /** Stores an event that the server made. */
    record(appId: number, event: OwnEvent): Promise<void> {
      return recordAll(appId, [event])
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
