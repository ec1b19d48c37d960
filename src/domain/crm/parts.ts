import type { Clock } from '../../platform/clock.ts'
import type { SizeLimit } from '../../platform/json.ts'
import type { ActivityRepository } from './activity.repository.ts'
import type { InstallsRepository } from './installs.repository.ts'
import type { UsersRepository } from './repository.ts'
import type { TokensRepository } from './tokens.repository.ts'

/** What the area is made of. Every function of it takes the app first and sees nothing of another app. */
export interface CrmParts {
  users: UsersRepository
  installs: InstallsRepository
  tokens: TokensRepository
  activity: ActivityRepository
  clock: Clock
  /** Zone of installs that did not say theirs. */
  defaultZone: string
  /** Throws `forbidden` for what a new install may not be called (signed-ids.service.ts); `isTaken`: a known user is called so. */
  checkInstallName?(appId: number, installId: string, isTaken: boolean): Promise<void>
  /** What attributes may have; absent: any size. */
  largestAttributes?: SizeLimit
  /** Why nothing is sent to an endpoint of Web Push, or undefined; absent: anything goes. */
  refusalOfEndpoint?(endpoint: string): string | undefined
  /** Most installs that may have the same known user; absent: any number. */
  mostInstalls?: number
}
