import { createHash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { readSlices, readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { type SizeLimit, sizeProblem } from '../../platform/json.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { CheckinsRepository, KeyHolder } from './repository.ts'
import type { Checkin, Holder, NewCheckin } from './types.ts'

/** Open check-ins that are listed, the newest; people are at one place at a time. */
const MOST_OPEN = 100

/** Groups of people that check in at places and out again (contact tracing). Only the device that made a check-in sees or ends it. */
export function checkinsService({
  repo,
  clock,
  largest,
}: {
  repo: CheckinsRepository
  clock: Clock
  /** What the people of a group may have together; absent: any size. */
  largest?: SizeLimit
}) {
  async function leave(of: KeyHolder, id: number, contactId?: number): Promise<Checkin> {
    const now = clock.now()
    await repo.checkOut(id, contactId, now)
    await repo.closeIfEmpty(id, now)
    return (await repo.find(of, id))!
  }

  /** Throws `not_found` also when it is somebody else's: the answer must not tell. */
  async function held(of: KeyHolder, id: number): Promise<Checkin> {
    const found = isIdentifier(of.userIdentifier) ? await repo.lock(of, id) : undefined
    if (!found) throw new AppError('not_found', `this device has no check-in ${id}`)
    return found
  }

  return {
    /** Notes that a group arrived. Throws `invalid` for a user identifier that cannot be stored, and for contacts that are too large. */
    async checkIn(appId: number, userIdentifier: string, checkin: NewCheckin): Promise<Checkin> {
      if (!isIdentifier(userIdentifier)) throw invalid({ userIdentifier: [IDENTIFIER_RULE] })
      const { contacts, deviceKey, ...rest } = checkin
      const tooLarge = sizeProblem(contacts, largest)
      if (tooLarge !== undefined) throw invalid({ contacts: [tooLarge] })
      const of = keyHolder({ appId, userIdentifier, deviceKey })
      const id = await repo.create({ ...rest, ...of, checkedInAt: clock.now() }, contacts)
      return (await repo.find(of, id))!
    },

    /** The groups that this device of the user checked in and that are still there, newest first. */
    async *open(holder: Holder): AsyncGenerator<Checkin> {
      if (!isIdentifier(holder.userIdentifier)) return
      const found = await repo.open(keyHolder(holder), MOST_OPEN)
      yield* readSlices(found, (ids) => repo.byIds(holder.appId, ids))
    },

    /** Checks a whole group out; again changes nothing. Throws `not_found`. */
    async checkOut(holder: Holder, id: number): Promise<Checkin> {
      const of = keyHolder(holder)
      await held(of, id)
      return leave(of, id)
    },

    /** Checks one person out; the group is closed with the last. Throws `not_found`. */
    async checkOutContact(holder: Holder, id: number, contactId: number): Promise<Checkin> {
      const of = keyHolder(holder)
      const { contacts } = await held(of, id)
      if (!contacts.some((contact) => contact.id === contactId)) {
        throw new AppError('not_found', `the check-in ${id} has no contact ${contactId}`)
      }
      return leave(of, id, contactId)
    },

    /** Check-ins of all users, newest first; `before` is the `next` of the page before, null at the end. */
    async list(appId: number, before: number | undefined, limit: number) {
      const { rows: checkins, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, before, most),
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

/** Keys are base64; one that went through a query can have lost its `+` and its padding. */
function keyHolder({ appId, userIdentifier, deviceKey }: Holder): KeyHolder {
  const key = deviceKey.replaceAll(' ', '+').replace(/=+$/, '')
  return { appId, userIdentifier, keyDigest: createHash('sha256').update(key).digest('hex') }
}
