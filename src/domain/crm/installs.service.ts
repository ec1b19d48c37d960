import { invalid } from '../../platform/errors.ts'
import { readDetails } from './details.ts'
import type { CrmParts } from './parts.ts'
import { IDENTIFIER_RULE, isIdentifier } from './schema.ts'
import type { Attributes, InstallRef, User } from './types.ts'

/** What an association changes besides whose install it is. */
export interface Association {
  /** Becomes the whole attributes of the user; absent leaves them alone. */
  attributes?: Attributes | undefined
  /** Event time (ms, device clock); later than now counts as now. */
  at: number
}

/** An install that was heard of. */
export interface Sighting {
  installId: string
  /** When it was last active (ms). */
  at: number
  /** The first activity of its anonymous user, if the install is a new one. */
  since: number
}

export interface SeenInstall extends InstallRef {
  /** Its current user. */
  userIdentifier: string
  /** Made just now: nothing that refers to it is stored yet. */
  isNew: boolean
}

/** The life of installs: first sight, whose they are, what they say of themselves. Every time is capped to now. */
export function installsService(
  parts: Pick<CrmParts, 'users' | 'installs' | 'clock' | 'checkInstallName' | 'mostInstalls'>,
) {
  const { users, installs, clock, mostInstalls = Infinity } = parts

  const capped = (at: number) => Math.min(at, clock.now())

  /** The user of that name. One that we met as anonymous becomes known when `known` says so. */
  async function ensureUser(
    appId: number,
    identifier: string,
    { known, at }: { known: boolean; at: number },
  ): Promise<{ user: User; created: boolean }> {
    const before = await users.find(appId, identifier)
    if (before && !(known && before.anonymous)) return { user: before, created: false }
    if (known) await users.lockListing(appId)
    const created = await users.create(appId, identifier, { anonymous: !known, at, now: clock.now() })
    const user = created ?? (await users.find(appId, identifier))!
    if (known && user.anonymous) await users.changeStanding(appId, user.id, { known: true })
    return { user, created: created !== undefined }
  }

  async function associate(appId: number, install: InstallRef, identifier: string, how: Association): Promise<void> {
    if (!isIdentifier(identifier)) throw invalid({ id: [IDENTIFIER_RULE] })
    const at = capped(how.at)
    const before = await installs.lockUser(appId, install.row)
    if (!before) return
    const { user, created } = await ensureUser(appId, identifier, { known: identifier !== install.installId, at })
    const isLate = at < before.userSince
    if (!isLate && user.id !== before.userId && !user.anonymous && user.installCount >= mostInstalls) {
      throw invalid({ id: [`has ${mostInstalls} installs already: limits.installsPerUser allows no more`] })
    }
    if (!isLate) await setCurrentUser(appId, install.row, before.userId, user.id, at)
    // A late upload does not write over what came after it; attributes that nobody has written yet are welcome.
    if (how.attributes !== undefined && (created || !isLate)) {
      await users.setAttributes(appId, identifier, how.attributes, clock.now())
    }
    await users.touch(appId, [{ identifier, at }])
  }

  async function setCurrentUser(appId: number, row: number, from: number, to: number, at: number): Promise<void> {
    await installs.setUser(appId, row, to, at, clock.now())
    if (from === to) return
    await users.lockListing(appId)
    await users.changeStanding(appId, from, { installs: -1 })
    await users.changeStanding(appId, to, { installs: 1 })
  }

  /** Those of the installs that exist, touched. */
  async function touchKnown(appId: number, list: readonly Sighting[]): Promise<SeenInstall[]> {
    const found: SeenInstall[] = []
    for (const { row, installId, userIdentifier } of await installs.touch(appId, list)) {
      const user = userIdentifier ?? (await installs.currentUser(appId, row))!
      found.push({ row, installId, userIdentifier: user, isNew: false })
    }
    return found
  }

  /** Makes those installs, with their anonymous users, that need no more thought: nobody of their name exists. */
  async function createPlain(appId: number, list: readonly Sighting[]): Promise<SeenInstall[]> {
    const now = clock.now()
    const owners = await users.createForInstalls(
      appId,
      list.map(({ installId, since }) => ({ identifier: installId, at: since })),
      now,
    )
    if (owners.length === 0) return []
    const idOf = new Map(owners.map(({ id, identifier }) => [identifier, id]))
    const theirs = list.filter(({ installId }) => idOf.has(installId))
    const made = await installs.createAll(
      appId,
      theirs.map(({ installId, at }) => ({ installId, userId: idOf.get(installId)!, at })),
      now,
    )
    await users.lockListing(appId)
    await users.list(appId, [...idOf.values()])
    const rows = new Map(made.map(({ row, installId }) => [installId, row]))
    // An install without its anonymous user: somebody else made it just now.
    for (const [installId, id] of idOf) {
      if (!rows.has(installId)) await users.changeStanding(appId, id, { installs: -1 })
    }
    return made.map(({ row, installId }) => ({ row, installId, userIdentifier: installId, isNew: true }))
  }

  /** Makes an install whose anonymous user may exist, or finds it made by somebody else meanwhile. */
  async function createOrFind(appId: number, sighting: Sighting): Promise<SeenInstall> {
    const { installId, at, since } = sighting
    const { user } = await ensureUser(appId, installId, { known: false, at: since })
    if (!user.anonymous) await parts.checkInstallName?.(appId, installId, true)
    const row = await installs.create(appId, installId, user.id, at, clock.now())
    if (row === undefined) return (await touchKnown(appId, [sighting]))[0]!
    await users.lockListing(appId)
    await users.changeStanding(appId, user.id, { installs: 1 })
    return { row, installId, userIdentifier: installId, isNew: true }
  }

  /**
   * The installs with these ids, made on first sight together with their anonymous users (docs/reference/device-protocol.md section 3), whose first
   * activity was `since`; notes activity of the installs at `at`. Until the commit nobody else changes the installs. Each id at
   * most once, and one that can be stored. A few statements for any number of installs. Throws `forbidden` for a new one that may not
   * be called so.
   */
  async function ensureInstalls(appId: number, list: readonly Sighting[]): Promise<Map<string, SeenInstall>> {
    const sightings = list.map(({ installId, at, since }) => ({ installId, at: capped(at), since: capped(since) }))
    // Sorted: those who make the same users and installs meet in the same order.
    sightings.sort((a, b) => (a.installId < b.installId ? -1 : 1))
    const seen = new Map<string, SeenInstall>()
    const take = (found: readonly SeenInstall[]) => {
      for (const install of found) seen.set(install.installId, install)
    }
    const missing = () => sightings.filter(({ installId }) => !seen.has(installId))
    take(await touchKnown(appId, sightings))
    for (const { installId } of missing()) await parts.checkInstallName?.(appId, installId, false)
    if (seen.size < sightings.length) take(await createPlain(appId, missing()))
    for (const sighting of missing()) take([await createOrFind(appId, sighting)])
    return seen
  }

  return {
    ensureInstalls,

    /** `ensureInstalls` for one. Throws `invalid` for an id that cannot be stored. */
    async ensureInstall(appId: number, installId: string, at: number): Promise<SeenInstall> {
      if (!isIdentifier(installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
      return (await ensureInstalls(appId, [{ installId, at, since: at }])).get(installId)!
    },

    /**
     * Makes the user with this identifier, made when unknown, the current one of the install. Ignored when a newer event named
     * another user (only the user is made then). The install's own id means its anonymous user, who stays anonymous.
     * Throws `invalid` for an identifier that cannot be stored.
     */
    associate,

    /** Gives the install back to its anonymous user, with the same guard. */
    clearAssociation(appId: number, install: InstallRef, at: number): Promise<void> {
      return associate(appId, install, install.installId, { at })
    },

    /** Identifier of the install's current user. */
    async currentUser(appId: number, install: InstallRef): Promise<string> {
      return (await installs.currentUser(appId, install.row)) ?? install.installId
    },

    /** Stores what the device says of itself, whole, unless a newer event did (`data`: docs/reference/device-protocol.md section 5, read leniently). */
    async trackInstall(appId: number, install: InstallRef, data: unknown, at: number): Promise<void> {
      await installs.setDetails(appId, install.row, readDetails(data), capped(at), clock.now())
    },

    /** Consent of a user to in-app messages, unless a newer event said otherwise; an unknown user is made. */
    async setInAppEnabled(
      appId: number,
      install: InstallRef,
      identifier: string,
      enabled: boolean,
      at: number,
    ): Promise<void> {
      await ensureUser(appId, identifier, { known: identifier !== install.installId, at: capped(at) })
      await users.setInApp(appId, identifier, enabled, capped(at), clock.now())
    },

    /** Notes when users were active (ms); never moves backwards, ignores unknown users. */
    async touchUsers(appId: number, activity: ReadonlyMap<string, number>): Promise<void> {
      if (activity.size === 0) return
      const list = [...activity].map(([identifier, at]) => ({ identifier, at: capped(at) }))
      await users.touch(appId, list)
    },
  }
}
