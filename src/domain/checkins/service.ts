import { createHash } from 'node:crypto'
import { readSlices, readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { type SizeLimit, sizeProblem } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { CheckinsRepository, KeyHolder } from './repository.ts'
import type { Checkin, CheckinFilter, Holder, NewCheckin } from './types.ts'

/** Maximum number of open check-ins in a list, the newest. A person is at one place at a time. */
const MAX_OPEN = 100

/**
 * Check-ins of groups of people at places (contact tracing). Only the device that made a check-in can read or end it.
 */
export function checkinsService({
  repo,
  clock,
  largest,
}: {
  repo: CheckinsRepository
  clock: Clock
  /** Maximum size of the contacts of a group; absent: no limit. */
  largest?: SizeLimit
}) {
  async function leave(of: KeyHolder, id: number, contactId?: number): Promise<Checkin> {
    const now = clock.now()
    await repo.checkOut(id, contactId, now)
    await repo.closeIfEmpty(id, now)
    return (await repo.find(of, id))!
  }

  /** Throws `not_found` also for check-ins of others, so that the answer does not reveal them. */
  async function held(of: KeyHolder, id: number): Promise<Checkin> {
    const found = isIdentifier(of.userIdentifier) ? await repo.lock(of, id) : undefined
    if (!found) throw new AppError('not_found', `this device has no check-in ${id}`)
    return found
  }

  return {
    /**
     * Stores the arrival of a group. Throws `invalid` for a user identifier that cannot be stored, and for contacts
     * that are too large.
     */
    async checkIn(appId: number, userIdentifier: string, checkin: NewCheckin): Promise<Checkin> {
      if (!isIdentifier(userIdentifier)) throw invalid({ userIdentifier: [IDENTIFIER_RULE] })
      const { contacts, deviceKey, ...rest } = checkin
      const tooLarge = sizeProblem(contacts, largest)
      if (tooLarge !== undefined) throw invalid({ contacts: [tooLarge] })
      const of = keyHolder({ appId, userIdentifier, deviceKey })
      const id = await repo.create({ ...rest, ...of, checkedInAt: clock.now() }, contacts)
      return (await repo.find(of, id))!
    },

    /** Open check-ins of this user and device, newest first. */
    async *open(holder: Holder): AsyncGenerator<Checkin> {
      if (!isIdentifier(holder.userIdentifier)) return
      const found = await repo.open(keyHolder(holder), MAX_OPEN)
      yield* readSlices(found, (ids) => repo.byIds(holder.appId, ids))
    },

    /** Checks out the whole group. Repeating it changes nothing. Throws `not_found`. */
    async checkOut(holder: Holder, id: number): Promise<Checkin> {
      const of = keyHolder(holder)
      await held(of, id)
      return leave(of, id)
    },

    /** Checks out one person; the last one closes the check-in. Throws `not_found`. */
    async checkOutContact(holder: Holder, id: number, contactId: number): Promise<Checkin> {
      const of = keyHolder(holder)
      const { contacts } = await held(of, id)
      if (!contacts.some((contact) => contact.id === contactId)) {
        throw new AppError('not_found', `the check-in ${id} has no contact ${contactId}`)
      }
      return leave(of, id, contactId)
    },

    /**
     * Check-ins of all users, or those that a filter lets through, newest first. `before` is the `next` of the previous page; `next` is null on the last
     * page.
     */
    async list(appId: number, before: number | undefined, limit: number, filter: CheckinFilter = {}) {
      if (filter.userIdentifier !== undefined && !isIdentifier(filter.userIdentifier))
        return { checkins: [], next: null }
      const { rows: checkins, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, filter, before, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { checkins, next }
    },

    /** Deletes at most `limit` check-ins, of all apps, that are older than `days`; returns how many. */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(clock.now() - days * 86_400_000, limit)
    },
  }
}

/** Normalizes a device key in base64. In a query it may have lost its `+` and its padding. */
function keyHolder({ appId, userIdentifier, deviceKey }: Holder): KeyHolder {
  const key = deviceKey.replaceAll(' ', '+').replace(/=+$/, '')
  return { appId, userIdentifier, keyDigest: createHash('sha256').update(key).digest('hex') }
}
