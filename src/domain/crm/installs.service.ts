import { invalid } from '../../platform/errors.ts'
import { readDetails } from './details.ts'
import { IDENTIFIER_RULE, isIdentifier } from './schema.ts'
import type { CrmParts } from './store/parts.ts'
import type { Attributes, FirstReports, InstallRef, User } from './types.ts'

/**
 * The delay up to which attributes from a device count as the newer ones: its clock may be behind ours, and it gives
 * the time of an association often in whole seconds.
 */
const CLOCK_MARGIN_MS = 60_000

/** Optional parts of an association. */
export interface Association {
  /** Replaces the attributes of the user; absent leaves them unchanged. */
  attributes?: Attributes | undefined
  /** Event time (ms, device clock). A future time counts as now. */
  at: number
}

/** An install that sent something. */
export interface Sighting {
  installId: string
  /** The time of its last activity (ms). */
  at: number
  /** The time at which its current user was active, when all that it sent is about that user: it may be recorded with the install's. */
  userAt?: number | undefined
  /** The first activity of its anonymous user, for a new install. */
  since: number
  /** The reports that a new install has as it is created, so that they need no statements of their own. Asked for new ones only. */
  reports?: (() => FirstReports | undefined) | undefined
}

export interface SeenInstall extends InstallRef {
  /** The current user of the install. */
  userIdentifier: string
  /** The hour of that user's activity that was counted last; null for none, absent where it was not read. */
  lastHour?: number | null | undefined
  /** The time up to which the activity of that user is recorded already. */
  userSeenAt?: number | null | undefined
  /** True when it was just created, so that nothing refers to it yet. */
  isNew: boolean
  /** True when it was created with its `reports`. */
  hasReports?: boolean
}

/** Installs: their creation, their users, and their reports. Future times count as now. */
export function installsService(
  parts: Pick<
    CrmParts,
    'users' | 'installs' | 'newInstalls' | 'tokens' | 'clock' | 'checkInstallName' | 'maxInstalls' | 'news'
  >,
) {
  const { users, installs, newInstalls, tokens, clock, maxInstalls = Infinity } = parts

  const capped = (at: number) => Math.min(at, clock.now())

  /** The user with this identifier, created when unknown. `known` turns an anonymous user into a known one. */
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
    if (known && (created || user.anonymous)) await parts.news?.usersCreated(appId, [identifier])
    return { user, created: created !== undefined }
  }

  async function associate(appId: number, install: InstallRef, identifier: string, how: Association): Promise<void> {
    if (!isIdentifier(identifier)) throw invalid({ id: [IDENTIFIER_RULE] })
    const at = capped(how.at)
    const before = await installs.lockUser(appId, install.row)
    if (!before) return
    const ensured = () => ensureUser(appId, identifier, { known: identifier !== install.installId, at })
    let { user, created } = await ensured()
    const isLate = at < before.userSince
    if (!isLate && user.id !== before.userId) {
      await users.lockListing(appId)
      // On PostgreSQL the user may have been erased while this waited for the lock.
      const again = await ensured()
      user = again.user
      created ||= again.created
    }
    if (!isLate && user.id !== before.userId && !user.anonymous && user.installCount >= maxInstalls) {
      throw invalid({ id: [`has ${maxInstalls} installs already: limits.installsPerUser allows no more`] })
    }
    if (!isLate) await setCurrentUser(appId, install.row, before.userId, user.id, at)
    // A late upload must not overwrite newer attributes, but may set them when there are none.
    if (how.attributes !== undefined && (created || !isLate)) {
      const times = { at, until: at + CLOCK_MARGIN_MS, now: clock.now() }
      await users.offerAttributes(appId, identifier, how.attributes, times)
    }
    await users.touch(appId, [{ identifier, at }])
  }

  async function setCurrentUser(appId: number, row: number, from: number, to: number, at: number): Promise<void> {
    // The list of users is locked already: the install's geofences are counted for its new user at once.
    await installs.setUser(appId, row, to, at, clock.now())
    if (from === to) return
    await users.changeStanding(appId, from, { installs: -1 })
    await users.changeStanding(appId, to, { installs: 1 })
  }

  /** Records activity of the installs that exist, and returns them. */
  async function touchKnown(appId: number, list: readonly Sighting[]): Promise<SeenInstall[]> {
    const found: SeenInstall[] = []
    const touches = list.map(({ installId, at, userAt = null }) => ({ installId, at, userAt }))
    for (const { row, installId, userIdentifier, lastHour, userSeenAt } of await installs.touch(appId, touches)) {
      const user = userIdentifier ?? (await installs.currentUser(appId, row))!
      found.push({ row, installId, userIdentifier: user, lastHour, userSeenAt, isNew: false })
    }
    return found
  }

  /** Takes the tokens of new installs from those that had them: they are the same devices, after a reinstall. */
  async function takeTokens(
    appId: number,
    made: readonly { row: number; installId: string }[],
    given: readonly ({ installId: string } & FirstReports)[],
  ): Promise<void> {
    const tokenOf = new Map(given.map(({ installId, token }) => [installId, token?.registration.token]))
    const taken = made.flatMap(({ row, installId }) => {
      const token = tokenOf.get(installId)
      return token === undefined ? [] : [{ row, token }]
    })
    await tokens.takeAllFromOthers(appId, taken, clock.now())
  }

  /** Creates installs and their anonymous users where no user of that name exists, the common case. */
  async function createPlain(appId: number, list: readonly Sighting[]): Promise<SeenInstall[]> {
    const now = clock.now()
    const owners = await users.createForInstalls(
      appId,
      list.map(({ installId, since }) => ({ identifier: installId, at: since })),
      now,
    )
    if (owners.length === 0) return []
    const idOf = new Map(owners.map(({ id, identifier }) => [identifier, id]))
    const theirs = list.flatMap(({ installId, at, reports }) => {
      const userId = idOf.get(installId)
      return userId === undefined ? [] : [{ installId, userId, at, ...reports?.() }]
    })
    const made = await newInstalls.create(appId, theirs, now)
    await takeTokens(appId, made, theirs)
    await users.lockListing(appId)
    await users.list(appId, [...idOf.values()])
    const rows = new Map(made.map(({ row, installId }) => [installId, row]))
    // The install exists but its anonymous user did not: another transaction has just created it.
    for (const [installId, id] of idOf) {
      if (!rows.has(installId)) await users.changeStanding(appId, id, { installs: -1 })
    }
    return made.map(({ row, installId }) => ({
      row,
      installId,
      userIdentifier: installId,
      isNew: true,
      hasReports: true,
    }))
  }

  /**
   * Creates an install whose anonymous user may already exist, or finds the one that another transaction has created.
   */
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
   * The installs with these ids, together with their anonymous users (docs/reference/device-protocol.md section 3),
   * whose first activity was `since`. Unknown installs are created. Records activity at `at`, and locks the installs
   * until the commit. Each id must be valid and given once. Takes a few statements for any number of installs. Throws
   * `forbidden` for an id that a new install may not have.
   */
  async function ensureInstalls(appId: number, list: readonly Sighting[]): Promise<Map<string, SeenInstall>> {
    const sightings = list.map(({ userAt, ...one }) => ({
      ...one,
      at: capped(one.at),
      ...(userAt !== undefined && { userAt: capped(userAt) }),
      since: capped(one.since),
    }))
    // Sorted, so that transactions that create the same users and installs lock them in the same order.
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
     * Makes the user with this identifier the current user of the install. An unknown user is created. If a newer event
     * named another user, the user is created but not associated. The install's own id means its anonymous user, who
     * stays anonymous. Throws `invalid` for an identifier that cannot be stored.
     */
    associate,

    /** Makes the anonymous user the current one again, unless a newer event named another user. */
    clearAssociation(appId: number, install: InstallRef, at: number): Promise<void> {
      return associate(appId, install, install.installId, { at })
    },

    /** Identifier of the install's current user. */
    async currentUser(appId: number, install: InstallRef): Promise<string> {
      return (await installs.currentUser(appId, install.row)) ?? install.installId
    },

    /**
     * Replaces the stored details of the device, unless a newer event did (`data`: docs/reference/device-protocol.md
     * section 5, read leniently).
     */
    async trackInstall(appId: number, install: InstallRef, data: unknown, at: number): Promise<void> {
      await installs.setDetails(appId, install.row, readDetails(data), capped(at), clock.now())
    },

    /** Stores the consent of a user to in-app messages, unless a newer event changed it. An unknown user is created. */
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

    /** Stores the known users that installs have named: events of these installs may be about them. */
    async rememberUsers(appId: number, list: readonly { row: number; identifier: string }[]): Promise<void> {
      await installs.rememberUsers(appId, list)
    },

    /** Records when users were active (ms). Never moves backwards; ignores unknown users. */
    async touchUsers(appId: number, activity: ReadonlyMap<string, number>): Promise<void> {
      if (activity.size === 0) return
      const list = [...activity].map(([identifier, at]) => ({ identifier, at: capped(at) }))
      await users.touch(appId, list)
    },
  }
}
