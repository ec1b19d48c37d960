import type { SizeLimit } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { ActivityRepository } from './activity.repository.ts'
import type { InstallsRepository } from './installs.repository.ts'
import type { NewInstallsRepository } from './new-installs.repository.ts'
import type { TokensRepository } from './tokens.repository.ts'
import type { UsersRepository } from './users.repository.ts'

/** The parts of the area. Every function takes the app id first and accesses only that app. */
export interface CrmParts {
  users: UsersRepository
  installs: InstallsRepository
  newInstalls: NewInstallsRepository
  tokens: TokensRepository
  activity: ActivityRepository
  clock: Clock
  /** Time zone of installs that report none. */
  defaultZone: string
  /**
   * Throws `forbidden` for an id that a new install may not have (signed-ids/service.ts). `isTaken`: a known user has
   * this identifier.
   */
  checkInstallName?(appId: number, installId: string, isTaken: boolean): Promise<void>
  /** Maximum size of attributes; absent: no limit. */
  maxAttributes?: SizeLimit
  /** Listeners of changes that the event log shows, called in the same transaction. Absent: nobody listens. */
  news?: CrmNews
  /** The reason to refuse a Web Push endpoint, or undefined. Absent: every endpoint is accepted. */
  refusalOfEndpoint?(endpoint: string): string | undefined
  /** Maximum number of installs with the same known user; absent: no limit. */
  maxInstalls?: number
}

/** News of users and installs for other areas. */
export interface CrmNews {
  /** Reports users who are known now and were not before; not anonymous users, one for each install. */
  usersCreated(appId: number, identifiers: readonly string[]): Promise<void>
  /** Reports that a gateway has declared the push token of the install invalid for good. */
  installUnreachable(
    appId: number,
    install: { row: number; userIdentifier: string | undefined; reason: string },
  ): Promise<void>
}
