import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import { isPlainObject, type SizeLimit, sizeProblem } from '../../platform/json/json.ts'
import { byItem, type Unkept } from '../../platform/json/numbers.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { MAX_BATCH, readEvent } from './ingest/envelope.ts'
import type { EventsRepository } from './repository.ts'
import type { DeviceEvent, RefusedEvent } from './types.ts'

/** Prefix of the SDKs' own types: these events have effects, and only devices report them. */
const OF_SDKS = 'k.'

type ServerEvent = DeviceEvent & { userIdentifier: string }

export interface ServerEventsParts {
  repo: EventsRepository
  crm: { ensureUsers(appId: number, identifiers: readonly string[]): Promise<void> }
  clock: Clock
  /** Maximum size of the data of an event. */
  maxData: SizeLimit
}

/** Events that an app's own servers report about users. */
export function serverEvents({ repo, crm, clock, maxData }: ServerEventsParts) {
  function judge(
    value: unknown,
    unkept: readonly Unkept[] | undefined,
  ): { event: ServerEvent } | { errors: FieldErrors } {
    const read = readEvent(value, unkept)
    const errors: FieldErrors = 'errors' in read ? { ...read.errors } : {}
    if (!isPlainObject(value)) return { errors }
    if (typeof value.type === 'string' && value.type.startsWith(OF_SDKS)) {
      errors.type = [`must not begin with ${OF_SDKS}: devices report these`]
    }
    if (value.userId == null || value.userId === '') errors.userId = ['is required']
    if (!('errors' in read) && read.event.data !== null) {
      const problem = sizeProblem(read.event.data, maxData)
      if (problem !== undefined) errors.data = [problem]
    }
    if ('errors' in read || Object.keys(errors).length > 0) return { errors }
    return { event: { ...read.event, userIdentifier: read.event.userIdentifier! } }
  }

  return {
    /**
     * Stores the valid events of a batch, each once (app and uuid), and returns the refused ones. Users that are
     * unknown are made. Times later than now become now. Being reported by a server is no activity of the user. Throws
     * `invalid` for a body that is not an array, `too_large` for more than `MAX_BATCH` events. `unkept` are the numbers of
     * the body that are not kept.
     */
    async take(appId: number, body: unknown, unkept: readonly Unkept[] = []): Promise<RefusedEvent[]> {
      if (!Array.isArray(body)) throw invalid({ '': ['must be an array of events'] })
      if (body.length > MAX_BATCH) throw new AppError('too_large', `send at most ${MAX_BATCH} events at once`)
      const taken: ServerEvent[] = []
      const refused: RefusedEvent[] = []
      const numbers = byItem(unkept)
      for (const [index, value] of body.entries()) {
        const judged = judge(value, numbers.get(index))
        if ('errors' in judged) refused.push({ index, errors: judged.errors })
        else taken.push(judged.event)
      }
      const now = clock.now()
      await crm.ensureUsers(appId, [...new Set(taken.map(({ userIdentifier }) => userIdentifier))])
      const known = await repo.knownOfServers(
        appId,
        taken.map(({ uuid }) => uuid),
      )
      const fresh = taken.filter(({ uuid }) => !known.has(uuid))
      await repo.insert(
        fresh.map(({ type, uuid, at, data, userIdentifier }) => ({
          appId,
          installRow: null,
          uuid,
          type,
          userIdentifier,
          data,
          happenedAt: Math.min(at, now),
          receivedAt: now,
        })),
      )
      return refused
    },
  }
}
