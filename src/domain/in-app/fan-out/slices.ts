import type { Knex } from 'knex'
import type { Stretch } from '../../audience/within.ts'
import type { Cursor, InAppTarget } from '../types.ts'
import type { RecipientsRepository } from './recipients.repository.ts'

/** The next users of a walk, and the cursor behind them. */
export interface Slice {
  users: number[]
  next: Cursor
  done: boolean
}

export interface Slicing {
  appId: number
  cursor: Cursor
  /** What an install must fulfil; empty where the target has no filter. */
  filter: readonly Knex.Raw[]
  /** Users of a slice, at most. */
  size: number
  /** Users that are looked at for a slice where most may not be meant; a shorter look lets others run sooner. */
  look?: number
}

/** With a filter a step looks at more users, because most of them may not be meant. */
const LOOKED_AT = 10_000

/** The users whom a target means, slice by slice, each behind a cursor that says how far the walk came. */
export function slicesOf(recipients: RecipientsRepository) {
  /** First the users, then the current users of the installs. */
  async function named({ users, installs }: InAppTarget & { kind: 'named' }, { appId, cursor, size }: Slicing) {
    const from = cursor.listed ?? 0
    const until = from + size
    const theirs = await recipients.usersOf(
      appId,
      installs.slice(Math.max(0, from - users.length), Math.max(0, until - users.length)),
    )
    // Whoever was named himself had his turn.
    const own = new Set(users)
    const meant = [...users.slice(from, until), ...theirs.filter((user) => !own.has(user))]
    const all = users.length + installs.length
    const found = await recipients.meantAmong(appId, [...new Set(meant)])
    return { users: found, next: { ...cursor, listed: Math.min(until, all) }, done: until >= all }
  }

  return {
    /** Of all who are meant, wherever they are. */
    async ofAll(target: InAppTarget, slicing: Slicing): Promise<Slice> {
      if (target.kind === 'named') return named(target, slicing)
      const { appId, cursor, filter, size, look = LOOKED_AT } = slicing
      const after = cursor.user ?? 0
      const { users, last } =
        target.kind === 'filter'
          ? await recipients.meantAfter(appId, after, look, filter)
          : await recipients.enabledAfter(appId, after, size)
      if (users.length <= size) return { users, next: { ...cursor, user: last ?? after }, done: last === null }
      return { users: users.slice(0, size), next: { ...cursor, user: users[size - 1]! }, done: false }
    },

    /**
     * Of those who have an install in one of these stretches; a user of several may come again. The cursor names its place, so
     * that it holds when stretches come and go between two slices. `stretches` by zone (null first), then by hour.
     */
    async alongStretches(stretches: readonly Stretch[], slicing: Slicing): Promise<Slice> {
      const { appId, cursor, filter, size } = slicing
      const { place, user = 0 } = cursor
      const ahead = place ? stretches.filter((stretch) => !isBehind(stretch, place)) : stretches
      const [stretch, ...others] = ahead
      if (!stretch) return { users: [], next: cursor, done: true }
      const isUnderWay = place?.zone === stretch.zone && place.hour >= stretch.from
      const after = isUnderWay ? { hour: place.hour, user } : { hour: stretch.from, user: 0 }
      const found = await recipients.usersAt(appId, stretch, after, size)
      const users = await recipients.meantAmong(appId, [...new Set(found.map((one) => one.user))], filter)
      const last = found.at(-1)
      if (last && found.length === size) {
        return {
          users,
          next: { ...cursor, place: { zone: stretch.zone, hour: last.hour }, user: last.user },
          done: false,
        }
      }
      const behind = { zone: stretch.zone, hour: stretch.to + 1 }
      return { users, next: { ...cursor, place: behind, user: 0 }, done: others.length === 0 }
    },
  }
}

/** Whether a walk that came to a place is through with a stretch. */
function isBehind({ zone, to }: Stretch, place: NonNullable<Cursor['place']>): boolean {
  if (zone === place.zone) return to < place.hour
  return zone === null || (place.zone !== null && zone < place.zone)
}
