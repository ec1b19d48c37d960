import { AppError, isAppError } from '../../platform/errors.ts'
import type { subscriptionsService } from '../channels/subscriptions.service.ts'
import type { PurposesService } from '../consent/purposes.service.ts'
import type { suppressionsService } from '../consent/suppressions.service.ts'
import type { CrmService } from '../crm/service.ts'
import type { UserWithInstalls } from '../crm/types.ts'
import type { ProfilesRepository } from './repository.ts'
import type { Profile } from './types.ts'

interface Parts {
  repo: Pick<ProfilesRepository, 'tokens' | 'identifierOf'>
  book: Pick<CrmService, 'showUser'>
  subscriptions: Pick<ReturnType<typeof subscriptionsService>, 'ofUser'>
  purposes: Pick<PurposesService, 'ofUser'>
  suppressions: Pick<ReturnType<typeof suppressionsService>, 'get'>
}

/** Shows one user whole. */
export function createShowing({ repo, book, subscriptions, purposes, suppressions }: Parts) {
  /** The user with this number. Throws `not_found`. */
  async function user(appId: number, id: number): Promise<UserWithInstalls> {
    const identifier = await repo.identifierOf(appId, id)
    if (identifier === undefined)
      throw new AppError('not_found', `there is no user with the number ${id}: they may have been erased`)
    return book.showUser(appId, identifier)
  }

  return {
    user,

    /** The whole profile of a user at the moment. Throws `not_found`. */
    async show(appId: number, id: number): Promise<Profile> {
      const found = await user(appId, id)
      const rows = found.installs.map(({ row }) => row)
      return {
        user: found,
        tokens: new Map((await repo.tokens(appId, rows)).map((token) => [token.row, token])),
        channels: await subscriptions.ofUser(appId, id),
        purposes: await purposes.ofUser(appId, found.identifier),
        suppression: await suppressions.get(appId, found.identifier).catch((error: unknown) => {
          if (isAppError(error) && error.code === 'not_found') return null
          throw error
        }),
      }
    },
  }
}
