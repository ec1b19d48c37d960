import { type Base, once } from '../../platform/wiring.ts'
import { logRepository } from './log/repository.ts'
import { eventLog, type ResultsOfPage } from './log/service.ts'
import { followersRepository } from './repository.ts'
import { followersService } from './service.ts'

export type FollowersWire = ReturnType<typeof wireFollowers>

interface Needs {
  /** Outcomes of closed pages, for the log. */
  resultsOfPage: ResultsOfPage
  /** Tells whether a follower does not lag: it is switched off, or reads what is old. */
  isIdle(name: string): boolean
}

/** The events as a log, and its followers. */
export function wireFollowers({ sql, db, clock, vault }: Base, { resultsOfPage, isIdle }: Needs) {
  const log = once(() => logRepository(sql))
  return {
    eventLog: once(() => eventLog({ repo: log(), resultsOf: resultsOfPage, settled: () => db.settled(), vault })),
    followers: once(() => followersService({ repo: followersRepository(sql), log: log(), clock, isIdle })),
  }
}
