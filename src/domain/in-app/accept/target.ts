import { type AddressBook, type Catalogue, findTarget, type LookedUp, type Targeting } from '../../audience/target.ts'
import type { UserTarget } from '../../audience/types.ts'
import type { Named, RecipientsRepository } from '../fan-out/recipients.repository.ts'

type Recipients = Pick<RecipientsRepository, 'namedInstalls' | 'namedUsers'>

/**
 * The target of an in-app message. In its `errors`, `unsubscribed` ids are users who do not want in-app messages. Named
 * installs stay installs: their users are looked up when the message is due. Throws as `findTarget` does.
 */
export async function lookupTarget(
  recipients: Recipients,
  catalogue: Catalogue,
  appId: number,
  targeting: Targeting,
  prefix: string,
): Promise<LookedUp<UserTarget>> {
  const found = await findTarget(addressBookOf(recipients), catalogue, appId, targeting, prefix)
  const { unnamed, users, installs, exclusion, errors } = found
  if (unnamed) return { target: unnamed, errors, reachable: true }
  return {
    target: { kind: 'named', users, installs, ...exclusion },
    errors,
    reachable: users.length + installs.length > 0,
  }
}

/** An in-app message reaches users who want them, and installs whose current user does. */
function addressBookOf(recipients: Recipients): AddressBook {
  const byName = (found: readonly Named[]) =>
    new Map(found.map(({ id, name, enabled }) => [name, { row: id, reached: enabled ? [id] : [] }]))
  return {
    lookupInstalls: async (appId, ids) => byName(await recipients.namedInstalls(appId, ids)),
    lookupUsers: async (appId, identifiers) => byName(await recipients.namedUsers(appId, identifiers)),
  }
}
