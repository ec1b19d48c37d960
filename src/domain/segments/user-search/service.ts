import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { AppError, invalid, isAppError } from '../../../platform/errors.ts'
import { type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { ChannelsService } from '../../channels/service.ts'
import { memberCondition } from '../../channels/subscriptions.repository.ts'
import { segmentKey } from '../schema.ts'
import type { SegmentsService } from '../service.ts'
import { compileCondition } from '../sql/compile.ts'
import type { Fragment } from '../sql/fragment.ts'
import { insideCondition } from '../sql/inside-sql.ts'
import { conditionsOnPeople, EXAMINED_ID } from '../sql/people-sql.ts'
import type { UserSearchRepository } from './repository.ts'
import { checkUserFilter, type UserSearch } from './schema.ts'

/** Ids of users who fit, in the order of their creation. */
export interface FoundUsers {
  ids: number[]
  /** The place at which the next page begins; null when all users were examined. */
  next: number | null
}

interface Parts {
  sql: Sql
  repo: UserSearchRepository
  channels: Pick<ChannelsService, 'findByUuids'>
  segments: Pick<SegmentsService, 'get' | 'condition'>
  clock: Pick<Clock, 'now'>
}

/** SQL in an object, because awaiting a Knex.Raw would run it. */
interface Wrapped {
  of: Knex.Raw
}

/** Users that the first statement examines, and the most that one does. */
const FIRST = 200
const MOST = 5000
/** The desired duration of a statement (ms): other reads of the same thread wait for it. */
const STATEMENT_MS = 15

/** Finds the users of an app by attribute, channel, segment and activity. */
export function userSearchService({ sql, repo, channels, segments, clock }: Parts) {
  const people = conditionsOnPeople(sql)

  async function channelCondition(appId: number, uuid: string): Promise<Wrapped> {
    const [channel] = (await channels.findByUuids(appId, [uuid])).channels
    if (!channel) throw invalid({ channelUuid: [`there is no channel ${JSON.stringify(uuid)}`] })
    return { of: memberCondition(sql, appId, channel.id) }
  }

  async function segmentCondition(appId: number, given: string): Promise<Wrapped> {
    try {
      const { id } = await segments.get(appId, segmentKey(given))
      return { of: people.hasInstall((await segments.condition(appId, id, clock.now())).condition) }
    } catch (error) {
      if (!isAppError(error) || error.code !== 'not_found') throw error
      throw invalid({ segmentUuid: [error.message] })
    }
  }

  function filterCondition(filter: UserSearch['filter']): Knex.Raw {
    // A filter over users names no channels, geofences and metrics.
    const nobody = () => undefined
    const others = { subscribed: nobody, inside: nobody, counted: nobody }
    const around = { sql, userId: EXAMINED_ID, now: clock.now(), ...others }
    return compileCondition(checkUserFilter(filter), around)
  }

  /** The conditions that must hold, the cheap ones first. */
  async function conditionsOf(appId: number, search: UserSearch): Promise<Knex.Raw[]> {
    const { activeSince, inside, filter, channelUuid, segmentUuid } = search
    const conditions: Wrapped[] = [
      ...(activeSince === undefined ? [] : [{ of: people.activeSince(activeSince) }]),
      ...(inside === undefined ? [] : [{ of: rawOf(sql, insideCondition(sql, inside, EXAMINED_ID)) }]),
      ...(filter === undefined ? [] : [{ of: filterCondition(filter) }]),
      ...(channelUuid === undefined ? [] : [await channelCondition(appId, channelUuid)]),
      ...(segmentUuid === undefined ? [] : [await segmentCondition(appId, segmentUuid)]),
    ]
    return conditions.length > 0 ? conditions.map(({ of }) => of) : [people.everybody()]
  }

  return {
    /**
     * The next users who fit. Examines users in the order of their creation, in short statements, until the page is
     * full or the time of `pace` is over. A page may therefore hold fewer users than asked for, or none, and still have
     * a `next`. Throws `invalid` for an unknown channel or segment, and `unavailable` when there was no time at all.
     */
    async find(appId: number, search: UserSearch, pace: Pace = unhurried): Promise<FoundUsers> {
      const conditions = await conditionsOf(appId, search)
      const ids: number[] = []
      let { after = 0 } = search
      for (let size = FIRST; ids.length < search.limit; ) {
        if (!(await pace.turn())) {
          if (after !== (search.after ?? 0)) return { ids, next: after }
          throw new AppError('unavailable', 'no user could be examined in time: try again', {
            headers: { 'Retry-After': '5' },
          })
        }
        const began = pace.monotonic()
        const examined = await repo.examine({ appId, after, size }, conditions)
        for (const { id, matches } of examined) {
          if (matches) ids.push(id)
          after = id
          if (ids.length === search.limit)
            return { ids, next: id === examined.at(-1)!.id && examined.length < size ? null : id }
        }
        if (examined.length < size) return { ids, next: null }
        size = nextSize(size, pace.monotonic() - began)
      }
      return { ids, next: after }
    },
  }
}

const rawOf = (sql: Sql, { sql: text, bindings }: Fragment): Knex.Raw => sql.raw(text, [...bindings] as never)

/** The size of the next statement: it approaches the one that fits into the time, at most fourfold at once. */
function nextSize(size: number, took: number): number {
  const factor = Math.min(4, STATEMENT_MS / Math.max(took, 0.1))
  return Math.min(MOST, Math.max(FIRST, Math.round(size * factor)))
}
