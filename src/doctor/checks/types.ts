import type { App } from '../../app.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/db/connect.ts'
import type { MigrationStatus } from '../../platform/db/migrate.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** `info`: worth knowing, nothing to do. `warning`: look at it soon. `error`: something does not work. */
export type Level = 'ok' | 'info' | 'warning' | 'error'

/** One sentence, and for warnings and errors one remedy: a command or a setting to copy. */
export interface Finding {
  level: Level
  what: string
  remedy?: string
}

/** What a database is like as far as it can be seen. `App` only when its schema is that of this version. */
export type Storage =
  /** There is none yet. */
  | { state: 'absent' }
  /** It cannot be opened, or does not answer. */
  | { state: 'unusable'; finding: Finding }
  | { state: 'open'; db: Database; schema: MigrationStatus; key: KeyState; app: App | undefined }

/** `unbound`: the database belongs to no key yet, so that it adopts this one. */
export type KeyState = 'right' | 'wrong' | 'missing' | 'unreadable' | 'unbound'

/** What is examined. */
export interface Subject {
  config: Config
  clock: Clock
  storage: Storage
  /** The process that examines: the one that serves, or a command beside it. */
  inside: 'server' | 'command'
  /** Whether a server runs on this database; undefined when that cannot be known (PostgreSQL). */
  served: boolean | undefined
  /** Only this app; undefined means all. */
  appId?: number | undefined
}

/** A database that answers. */
type OpenStorage = Extract<Storage, { state: 'open' }>

export type Group = 'machine' | 'database' | 'sending' | 'connections'

interface CheckOf<S extends Subject> {
  /** In kebab-case; what people read and scripts match. */
  name: string
  group: Group
  /** It connects to other machines, so `--offline` leaves it out. */
  live?: true
  /** After this many milliseconds it counts as hanging; default `DEADLINE_MS`. */
  deadlineMs?: number
  /** Throws for nothing that can be wrong with the subject. `signal` aborts at the deadline. */
  run(subject: S, signal: AbortSignal): Promise<Finding[]>
  /** A repair; undefined without one. */
  fix?: Fix<S>
}

/** What `--fix` may do. */
export interface Fix<S extends Subject = Subject> {
  /** Asked before it is done; absent means that it is always safe. Undefined: there is nothing to do. */
  question?(subject: S): string | undefined
  /** Repairs, and says what it did in sentences; none when there was nothing to repair. */
  repair(subject: S): Promise<string[]>
}

/** A subject whose database is open. */
export type WithDatabase = Subject & { storage: OpenStorage }
/** A subject whose database is open and has the schema of this version. */
export type WithApp = WithDatabase & { storage: { app: App } }

/** One check. `needs` says what must be there: without it the check is left out, and its absence is itself a finding. */
export type Check =
  | (CheckOf<Subject> & { needs: 'settings' })
  | (CheckOf<WithDatabase> & { needs: 'database' })
  | (CheckOf<WithApp> & { needs: 'app' })
  /** As `app`, with the master key that opens its secrets. */
  | (CheckOf<WithApp> & { needs: 'secrets' })

export const ok = (what: string): Finding => ({ level: 'ok', what })
export const info = (what: string): Finding => ({ level: 'info', what })
export const warning = (what: string, remedy: string): Finding => ({ level: 'warning', what, remedy })
export const error = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy })
