import type { LockPurpose } from '../../platform/db/dialect.ts'
import { AppError, type FieldErrors, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { UsersRepository } from '../crm/store/users.repository.ts'
import type { User } from '../crm/types.ts'
import type { PurposesRepository } from './purposes.repository.ts'
import { isPurposeUid, MAX_PURPOSES, UID_RULE } from './schema.ts'
import type { ChoiceChanges, ChoiceSource, ChosenPurpose, ConsentOfSend, Purpose, PurposeFields } from './types.ts'

export interface PurposesParts {
  repo: PurposesRepository
  users: Pick<UsersRepository, 'find' | 'create'>
  /** Creates the unknown ones of these users, as known users, and adds that to the event log. */
  ensureUsers(appId: number, identifiers: readonly string[]): Promise<void>
  clock: Clock
  /** The first send under this purpose that waits (`notification 12`), if any. */
  awaitedBy(appId: number, uid: string): Promise<string | undefined>
}

export type PurposesService = ReturnType<typeof purposesService>

/** Purposes of an app, and the choices of its users. Every function that writes runs in the caller's transaction. */
export function purposesService({ repo, users, ensureUsers, clock, awaitedBy }: PurposesParts) {
  function known(uid: string, purpose: Purpose | undefined): Purpose {
    if (!purpose) throw new AppError('not_found', `there is no purpose ${JSON.stringify(uid)}`)
    return purpose
  }

  async function chosenBy(appId: number, user: User | undefined): Promise<ChosenPurpose[]> {
    const purposes = await repo.list(appId)
    const choices = user && purposes.length > 0 ? await repo.choicesOf(appId, user.id) : new Map<number, never>()
    return purposes.map((purpose) => {
      const choice = choices.get(purpose.id) ?? null
      return { purpose, choice, allowed: purpose.required || (choice?.allowed ?? purpose.default) }
    })
  }

  function findUser(appId: number, identifier: string): Promise<User | undefined> {
    return isIdentifier(identifier) ? users.find(appId, identifier) : Promise.resolve(undefined)
  }

  /** The purposes that are changed. Throws `invalid` with every purpose that is unknown or cannot be refused. */
  async function named(appId: number, changes: ChoiceChanges): Promise<[Purpose, boolean | null][]> {
    // Kept until the commit: a choice for a purpose that is being deleted would stay for ever.
    const byUid = new Map((await repo.list(appId, { keep: true })).map((purpose) => [purpose.uid, purpose]))
    const found: [Purpose, boolean | null][] = []
    const wrong: FieldErrors = {}
    for (const [uid, choice] of Object.entries(changes)) {
      const purpose = byUid.get(uid)
      if (!purpose) wrong[uid] = [`there is no purpose ${JSON.stringify(uid)}`]
      else if (purpose.required && choice === false) wrong[uid] = ['cannot be refused: this purpose is required']
      else found.push([purpose, choice])
    }
    if (Object.keys(wrong).length > 0) throw invalid(wrong)
    return found
  }

  /**
   * The purpose, if there is one, locked until the commit. Whoever changes it, or makes it, locks the app before, so that its purposes are
   * counted right.
   */
  async function lock(appId: number, uid: string, why: LockPurpose): Promise<Purpose | undefined> {
    if (!isPurposeUid(uid)) return undefined
    if (why === 'change') await repo.lockAll(appId)
    return repo.lock(appId, uid, why)
  }

  return {
    lock,

    /** Purposes in the order of their creation. */
    list: (appId: number): Promise<Purpose[]> => repo.list(appId),

    /** Throws `not_found`. */
    async get(appId: number, uid: string): Promise<Purpose> {
      return known(uid, isPurposeUid(uid) ? await repo.find(appId, uid) : undefined)
    },

    /**
     * Creates the purpose, or replaces its fields; the choices of users stay. `created` says which. Throws `invalid`
     * for a uid that cannot be stored, and `conflict` when the app has `MAX_PURPOSES` already.
     */
    async put(appId: number, uid: string, fields: PurposeFields): Promise<{ purpose: Purpose; created: boolean }> {
      if (!isPurposeUid(uid)) throw invalid({ uid: [UID_RULE] })
      const now = clock.now()
      const before = await lock(appId, uid, 'change')
      if (before) {
        const purpose = { ...before, ...fields, updatedAt: now }
        await repo.update(purpose)
        return { purpose, created: false }
      }
      if ((await repo.list(appId)).length >= MAX_PURPOSES) {
        throw new AppError('conflict', `the app has ${MAX_PURPOSES} purposes already: delete one first`)
      }
      return { purpose: await repo.insert({ appId, uid, ...fields, createdAt: now, updatedAt: now }), created: true }
    },

    /** Throws `not_found`, and `conflict` while a send that names the purpose waits. */
    async delete(appId: number, uid: string): Promise<void> {
      const { id } = known(uid, await lock(appId, uid, 'delete'))
      const waiting = await awaitedBy(appId, uid)
      if (waiting !== undefined) {
        throw new AppError('conflict', `purpose ${JSON.stringify(uid)} is named by ${waiting}, which is not sent yet`)
      }
      await repo.delete(appId, id)
    },

    /**
     * Checks the purpose of a send and locks it against deletion until the commit. Throws `invalid` for one that the
     * app does not have: a typing error must not send to people who refused.
     */
    async hold(appId: number, { purpose: uid }: Pick<ConsentOfSend, 'purpose'>): Promise<void> {
      if (uid === null) return
      const purpose = isPurposeUid(uid) ? await repo.lock(appId, uid, 'keep') : undefined
      if (!purpose) throw invalid({ purpose: [`there is no purpose ${JSON.stringify(uid)}`] })
    },

    /** Choices of a user; for an unknown user, the defaults: devices ask before their first event has arrived. */
    async allowedBy(appId: number, identifier: string): Promise<ChosenPurpose[]> {
      return chosenBy(appId, await findUser(appId, identifier))
    },

    /** Choices of a user. Throws `not_found`. */
    async ofUser(appId: number, identifier: string): Promise<ChosenPurpose[]> {
      const user = await findUser(appId, identifier)
      if (!user) throw new AppError('not_found', `there is no user ${JSON.stringify(identifier)}`)
      return chosenBy(appId, user)
    },

    /**
     * Stores choices of a user; purposes that are not named stay as they are. An unknown user is created, so that a
     * refusal is never lost: as a known one for a server, for a device as `channels` does. `isNew` says so. Throws
     * `invalid`, and changes nothing, for an unknown purpose and when a required one is refused.
     */
    async choose(
      appId: number,
      identifier: string,
      changes: ChoiceChanges,
      source: ChoiceSource,
    ): Promise<{ isNew: boolean; chosen: ChosenPurpose[] }> {
      if (!isIdentifier(identifier)) throw invalid({ userId: [IDENTIFIER_RULE] })
      const wanted = await named(appId, changes)
      const now = clock.now()
      let user = await users.find(appId, identifier)
      let isNew = false
      if (!user && wanted.length > 0) {
        if (source === 'device') {
          isNew = (await users.create(appId, identifier, { anonymous: true, at: now, now })) !== undefined
        } else {
          await ensureUsers(appId, [identifier])
          isNew = true
        }
        user = (await users.find(appId, identifier))!
      }
      if (user) {
        // In the order of their ids, so that two calls for one user cannot deadlock.
        for (const [{ id }, allowed] of wanted.sort(([a], [b]) => a.id - b.id)) {
          if (allowed === null) await repo.forgetChoice(appId, user.id, id)
          else await repo.choose(appId, user.id, id, { allowed, at: now, source })
        }
      }
      return { isNew, chosen: await chosenBy(appId, user) }
    },

    /** Deletes some of the choices that deleted purposes left behind; returns how many. */
    forget: (limit: number): Promise<number> => repo.forgetDeleted(limit),
  }
}
