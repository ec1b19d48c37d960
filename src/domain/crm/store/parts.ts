import type { SizeLimit } from '../../../platform/json/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { ActivityRepository } from './activity.repository.ts'
import type { InstallsRepository } from './installs.repository.ts'
import type { TokensRepository } from './tokens.repository.ts'
import type { UsersRepository } from './users.repository.ts'

/** The parts of the area. Every function takes the app id first and accesses only that app. */
export interface CrmParts {
  users: UsersRepository
  installs: InstallsRepository
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
  /** Who is told, in the same transaction, of what the event log shows. Absent: nobody. */
  news?: CrmNews
  /** Why a Web Push endpoint is refused, or undefined. Absent: every endpoint is accepted. */
  refusalOfEndpoint?(endpoint: string): string | undefined
  /** Maximum number of installs with the same known user; absent: no limit. */
  maxInstalls?: number
}

/** What others want to know of users and installs. */
export interface CrmNews {
  /** These users are known now, and were not before. Anonymous users, one for each install, are not told of. */
  usersCreated(appId: number, identifiers: readonly string[]): Promise<void>
  /** A gateway says that the push token of the install is invalid for good. */
  installUnreachable(
    appId: number,
    install: { row: number; userIdentifier: string | undefined; reason: string },
  ): Promise<void>
}
