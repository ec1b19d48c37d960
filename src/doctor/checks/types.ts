import type { Config } from '../../platform/config/settings.ts'
import type { Database } from '../../platform/db/connect.ts'
import type { MigrationStatus } from '../../platform/db/migrate.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Program } from '../../program.ts'

/** `info`: worth knowing, nothing to do. `warning`: look at it soon. `error`: something does not work. */
export type Level = 'ok' | 'info' | 'warning' | 'error'

/** One sentence, and for warnings and errors one remedy: a command or a setting to copy. */
export interface Finding {
  level: Level
  what: string
  remedy?: string
}

/** The state of a database as far as it can be seen. `program` only when its schema is that of this version. */
export type Storage =
  /** The database does not exist yet. */
  | { state: 'absent' }
  /** The database cannot be opened, or does not answer. */
  | { state: 'unusable'; finding: Finding }
  | { state: 'open'; db: Database; schema: MigrationStatus; key: KeyState; program: Program | undefined }

/** `unbound`: the database belongs to no key yet, so that it adopts this one. */
export type KeyState = 'right' | 'wrong' | 'missing' | 'unreadable' | 'unbound'

/** The subject of an examination. */
export interface Subject {
  config: Config
  /** True when a command has read `config` from the server that runs. */
  ofServer?: boolean
  clock: Clock
  storage: Storage
  /** The process that examines: the one that serves, or a command beside it. */
  inside: 'server' | 'command'
  /** True when a server runs on this database; undefined when that cannot be known (PostgreSQL). */
  served: boolean | undefined
  /** The only app that is examined; undefined means all. */
  appId?: number | undefined
}

/** A database that answers. */
type OpenStorage = Extract<Storage, { state: 'open' }>

export type Group = 'machine' | 'database' | 'sending' | 'connections'

interface CheckOf<S extends Subject> {
  /** A name in kebab-case, which people read and scripts match. */
  name: string
  group: Group
  /** True when it connects to other machines, so that `--offline` leaves it out. */
  live?: true
  /** The time (ms) after which it counts as hanging; default `DEADLINE_MS`. */
  deadlineMs?: number
  /** Never throws for a problem of the subject, which is a finding. `signal` aborts at the deadline. */
  run(subject: S, signal: AbortSignal): Promise<Finding[]>
  /** A repair; undefined without one. */
  fix?: Fix<S>
}

/** A repair that `--fix` may do. */
export interface Fix<S extends Subject = Subject> {
  /** Asked before it is done; absent means that it is always safe. Undefined: there is nothing to do. */
  question?(subject: S): string | undefined
  /** Repairs, and says what it did in sentences; none when there was nothing to repair. */
  repair(subject: S): Promise<string[]>
}

/** A subject whose database is open. */
export type WithDatabase = Subject & { storage: OpenStorage }
/** A subject whose database is open and has the schema of this version. */
export type WithProgram = WithDatabase & { storage: { program: Program } }

/** One check. `needs` says what must be there: without it the check is left out, and its absence is itself a finding. */
export type Check =
  | (CheckOf<Subject> & { needs: 'settings' })
  | (CheckOf<WithDatabase> & { needs: 'database' })
  | (CheckOf<WithProgram> & { needs: 'program' })
  /** The same as `program`, with the master key that opens its secrets. */
  | (CheckOf<WithProgram> & { needs: 'secrets' })

export const ok = (what: string): Finding => ({ level: 'ok', what })
export const info = (what: string): Finding => ({ level: 'info', what })
export const warning = (what: string, remedy: string): Finding => ({ level: 'warning', what, remedy })
export const error = (what: string, remedy: string): Finding => ({ level: 'error', what, remedy })
