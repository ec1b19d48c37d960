import { readObject, type SizeLimit, sizeProblem } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { InstallsRepository } from '../store/installs.repository.ts'
import type { UsersRepository } from '../store/users.repository.ts'
import type { AdoptionRepository, StoredUser } from './repository.ts'
import type { AdoptedAs, AdoptedInstall, AdoptedUser, AdoptOptions, Here } from './types.ts'

export interface AdoptionParts {
  adoption: AdoptionRepository
  users: UsersRepository
  installs: InstallsRepository
  clock: Clock
  /** Maximum number of installs with the same known user. */
  maxInstalls: number
  maxAttributes?: SizeLimit | undefined
}

/** The result of one batch. */
export interface Adopted {
  /** Results by install id. */
  installs: Map<string, AdoptedAs>
  /** The installs that were made, as they were made. */
  made: readonly AdoptedInstall[]
  /** Rows of the installs that were made, by install id. */
  rows: Map<string, number>
  /** Devices that were here with notifications on, and were switched off. */
  optedOut: number
  /** Known users that were made. */
  usersMade: number
  /** Users whose new attributes would be too large together with their own: these were left as they are. */
  tooLarge: Set<string>
}

/**
 * Takes in installs and users that another service knew, many with a few statements and without events: nobody has
 * installed or registered anything. Installs and users that are here stay as they are, except that an opt-out is taken
 * over. An import can be repeated; a user keeps every attribute they have and gets those that are missing.
 */
export function adoptionService({ adoption, users, installs, clock, maxInstalls, maxAttributes }: AdoptionParts) {
  /** The installs that are here with one of these ids or tokens. */
  async function standing(appId: number, installIds: readonly string[], tokens: readonly string[]): Promise<Here> {
    const known = await adoption.standing(appId, installIds)
    const holders = await adoption.holders(appId, [...new Set(tokens)])
    return {
      byId: new Map(known.map((one) => [one.installId, one])),
      byToken: Map.groupBy(holders, ({ token }) => token!),
    }
  }

  /**
   * Tells of each install whether it is new, here already, or has the token of another. A token in the batch goes to
   * the first install with it.
   */
  function sift(given: readonly AdoptedInstall[], { byId, byToken }: Here): Map<string, AdoptedAs> {
    const taken = new Set(byToken.keys())
    const became = new Map<string, AdoptedAs>()
    for (const { installId, token } of given) {
      if (byId.has(installId)) became.set(installId, 'existing')
      else if (token && taken.has(token.token)) became.set(installId, 'moved')
      else {
        if (token) taken.add(token.token)
        became.set(installId, 'made')
      }
    }
    return became
  }

  /** Counts the new installs of each user, and marks those beyond the maximum of a known user as too many. */
  function countNew(
    given: readonly AdoptedInstall[],
    became: Map<string, AdoptedAs>,
    stored: readonly StoredUser[],
  ): Map<string, number> {
    const counts = new Map<string, number>()
    const before = new Map(stored.map(({ identifier, installCount }) => [identifier, installCount]))
    for (const install of given) {
      if (became.get(install.installId) !== 'made') continue
      const owner = ownerOf(install)
      const count = counts.get(owner) ?? 0
      if (install.identifier !== null && (before.get(owner) ?? 0) + count >= maxInstalls) {
        became.set(install.installId, 'too_many')
      } else counts.set(owner, count + 1)
    }
    return counts
  }

  /** Ids of users by identifier: of stored users, and of those that this creates. */
  async function ensure(
    appId: number,
    wanted: ReadonlyMap<string, AdoptedUser>,
    stored: readonly StoredUser[],
    counts: ReadonlyMap<string, number>,
    now: number,
  ): Promise<{ ids: Map<string, number>; made: Set<string> }> {
    const ids = new Map(stored.map(({ id, identifier }) => [identifier, id]))
    const missing = [...wanted.values()].filter(({ identifier }) => !ids.has(identifier))
    const created = await adoption.makeUsers(
      appId,
      missing.map((user) => ({ ...user, installs: counts.get(user.identifier) ?? 0 })),
      now,
    )
    if (created.length > 0) {
      await users.list(
        appId,
        created.map(({ id }) => id),
      )
    }
    const made = new Set(created.map(({ identifier }) => identifier))
    for (const { id, identifier } of created) ids.set(identifier, id)
    const changed: { id: number; installs: number }[] = []
    for (const user of stored) {
      const more = counts.get(user.identifier) ?? 0
      // An anonymous user may not be in the list yet: one by one, and there are hardly any.
      if (user.anonymous) {
        if (!wanted.get(user.identifier)!.anonymous) await users.changeStanding(appId, user.id, { known: true })
        for (let i = 0; i < more; i++) await users.changeStanding(appId, user.id, { installs: 1 })
      } else if (more > 0) changed.push({ id: user.id, installs: more })
    }
    await adoption.addInstalls(appId, changed)
    return { ids, made }
  }

  /** Gives users the attributes that they do not have. Returns the users whose attributes would become too large. */
  async function addAttributes(
    appId: number,
    wanted: ReadonlyMap<string, AdoptedUser>,
    stored: readonly StoredUser[],
    now: number,
  ): Promise<Set<string>> {
    const tooLarge = new Set<string>()
    const changed: { id: number; attributes: string }[] = []
    for (const { id, identifier, attributes: text } of stored) {
      // What cannot be read is left as it is: the rest of the batch is taken in.
      const before = readObject(text)
      if (!before) continue
      const given = Object.entries(wanted.get(identifier)!.attributes).filter(([name]) => !Object.hasOwn(before, name))
      if (given.length === 0) continue
      const after = { ...before, ...Object.fromEntries(given) }
      if (sizeProblem(after, maxAttributes) !== undefined) tooLarge.add(identifier)
      else changed.push({ id, attributes: JSON.stringify(after) })
    }
    await adoption.setAttributes(appId, changed, now)
    return tooLarge
  }

  return {
    standing,

    /**
     * Takes in a batch, in a transaction. Each install id is given once; `people` has every user that the installs
     * name, also the anonymous ones, and may have more.
     *
     * Opt-outs are taken over: an install that is here is switched off when it had not opted out before, and with it
     * the one that has its token by now. An opt-out that was here already is not repeated: a person who has agreed on
     * the phone since stays subscribed.
     */
    async adopt(
      appId: number,
      rowsGiven: readonly AdoptedInstall[],
      people: ReadonlyMap<string, AdoptedUser>,
      { keepBefore }: AdoptOptions = { keepBefore: null },
    ): Promise<Adopted> {
      const now = clock.now()
      await users.lockListing(appId)
      const here = await standing(
        appId,
        rowsGiven.map(({ installId }) => installId),
        rowsGiven.flatMap(({ token }) => token?.token ?? []),
      )
      const given = oneAnswerForAToken(rowsGiven)
      const became = sift(given, here)
      const refusing = optOutsOf(rowsGiven, here, keepBefore)
      const wanted = wantedOf(given, became, people)
      const stored = await adoption.stored(appId, [...wanted.keys()])
      const counts = countNew(given, became, stored)
      const { ids, made } = await ensure(appId, wanted, stored, counts, now)
      const tooLarge = await addAttributes(appId, wanted, stored, now)
      await adoption.touch(
        appId,
        stored.flatMap(({ id, identifier }) => {
          const { isDated, lastActive } = wanted.get(identifier)!
          return isDated ? [{ id, at: lastActive }] : []
        }),
      )
      const fresh = given.filter(({ installId }) => became.get(installId) === 'made')
      const rows = await adoption.makeInstalls(
        appId,
        fresh.map((install) => ({ ...install, userId: ids.get(ownerOf(install))! })),
        now,
      )
      const rowOf = new Map(rows.map(({ row, installId }) => [installId, row]))
      const named = fresh.flatMap(({ identifier, installId }) =>
        identifier === null ? [] : [{ row: rowOf.get(installId)!, identifier }],
      )
      if (named.length > 0) await installs.rememberUsers(appId, named)
      const usersMade = [...made].filter((name) => !wanted.get(name)!.anonymous).length
      await adoption.optOut(appId, refusing.rows, now)
      return { installs: became, made: fresh, rows: rowOf, optedOut: refusing.devices, usersMade, tooLarge }
    },
  }
}

const ownerOf = ({ identifier, installId }: AdoptedInstall) => identifier ?? installId

/** The users to make or to complete. */
function wantedOf(
  given: readonly AdoptedInstall[],
  became: ReadonlyMap<string, AdoptedAs>,
  people: ReadonlyMap<string, AdoptedUser>,
): Map<string, AdoptedUser> {
  // The anonymous user of an install that is not made is not made either, and one of an earlier run stays as it is.
  const idle = new Set(
    given.filter(({ identifier, installId }) => identifier === null && became.get(installId) !== 'made').map(ownerOf),
  )
  // A user whose installs are all from an earlier run was taken in then.
  const active = new Set(given.filter(({ installId }) => became.get(installId) !== 'existing').map(ownerOf))
  const devices = new Set(given.map(ownerOf))
  return new Map([...people].filter(([name]) => !idle.has(name) && (active.has(name) || !devices.has(name))))
}

/** Devices with the same token are one phone: when one of the rows says no, all of them do. */
function oneAnswerForAToken(given: readonly AdoptedInstall[]): readonly AdoptedInstall[] {
  const refused = new Set(given.flatMap(({ token, enabled }) => (token && !enabled ? [token.token] : [])))
  if (refused.size === 0) return given
  return given.map((one) => (one.token && refused.has(one.token.token) ? { ...one, enabled: false } : one))
}

/**
 * Rows of installs that were here and that a batch switches off, and how many devices of the batch these are: the phone that
 * has the token by now and the install of an earlier run are one.
 */
function optOutsOf(
  given: readonly AdoptedInstall[],
  { byId, byToken }: Here,
  keepBefore: number | null,
): { rows: number[]; devices: number } {
  const rows = new Set<number>()
  const devices = new Set<number>()
  for (const { installId, token, enabled } of given) {
    const own = byId.get(installId)
    if (enabled || own?.enabled === false) continue
    const holders = (token && byToken.get(token.token)) ?? []
    const phone = holders[0] ?? own
    for (const one of [...(own ? [own] : []), ...holders]) {
      if (!one.enabled || (keepBefore !== null && one.createdAt < keepBefore)) continue
      rows.add(one.row)
      if (one.row === phone?.row) devices.add(one.row)
    }
  }
  return { rows: [...rows], devices: devices.size }
}

export type AdoptionService = ReturnType<typeof adoptionService>
