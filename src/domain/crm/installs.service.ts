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

/** The life of installs: first sight, whose they are, what they say of themselves. Every time is capped to now. */
export function installsService({ users, installs, clock }: Pick<CrmParts, 'users' | 'installs' | 'clock'>) {
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
    if (!isLate) await setCurrentUser(appId, install.row, before.userId, user.id, at)
    // A late upload does not write over what came after it; attributes that nobody has written yet are welcome.
    if (how.attributes !== undefined && (created || !isLate)) {
      await users.setAttributes(appId, identifier, how.attributes, clock.now())
    }
    await users.touch(appId, identifier, at)
  }

  async function setCurrentUser(appId: number, row: number, from: number, to: number, at: number): Promise<void> {
    await installs.setUser(appId, row, to, at, clock.now())
    if (from === to) return
    await users.lockListing(appId)
    await users.changeStanding(appId, from, { installs: -1 })
    await users.changeStanding(appId, to, { installs: 1 })
  }

  return {
    /**
     * The install with this id, made on first sight together with its anonymous user (device-protocol section 3), whose first
     * activity was `since`; notes activity of the install at `at`. Also says who its user is. Until the commit nobody else changes
     * the install. Throws `invalid` for an id that cannot be stored.
     */
    async ensureInstall(
      appId: number,
      installId: string,
      at: number,
      since = at,
    ): Promise<InstallRef & { userIdentifier: string }> {
      if (!isIdentifier(installId)) throw invalid({ installId: [IDENTIFIER_RULE] })
      const touch = async () => {
        const seen = await installs.touch(appId, installId, capped(at))
        if (!seen) return undefined
        const userIdentifier = seen.userIdentifier ?? (await installs.currentUser(appId, seen.row))!
        return { row: seen.row, installId, userIdentifier }
      }
      const known = await touch()
      if (known) return known
      const { user } = await ensureUser(appId, installId, { known: false, at: capped(since) })
      const row = await installs.create(appId, installId, user.id, capped(at), clock.now())
      if (row === undefined) return (await touch())!
      await users.lockListing(appId)
      await users.changeStanding(appId, user.id, { installs: 1 })
      return { row, installId, userIdentifier: installId }
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

    /** Stores what the device says of itself, whole, unless a newer event did (`data`: device-protocol section 5, read leniently). */
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

    /** Notes that the user was active at `at`; never moves backwards, ignores unknown users. */
    async touchUser(appId: number, identifier: string, at: number): Promise<void> {
      await users.touch(appId, identifier, capped(at))
    },
  }
}
