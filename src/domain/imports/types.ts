import { definition, integer, table, text, type Value } from '../../platform/db/table.ts'
import type { TokenRegistration } from '../crm/types.ts'
import type { Platform } from '../gateways/registry.ts'

/** The services whose installs and users can be imported. Links of Branch and Firebase: links/make/import.ts. */
export type SourceName = 'onesignal' | 'parse' | 'firebase' | 'airship' | 'pinpoint' | 'csv' | 'expo'

/** A row of an export: texts from CSV (empty cells are left out), any values from JSON. */
export type Row = Readonly<Record<string, unknown>>

/** Details of a device as an export has them, in its own types; null where it has none. */
export interface DeviceWords {
  os: string | null
  osVersion: string | null
  appVersion: string | null
  deviceModel: string | null
  /** Two letters. */
  country: string | null
  timezone: string | null
  /** A language, with a region or without. */
  locale: string | null
}

/** A device or a person of another service in our terms, not checked yet. */
export interface Candidate {
  /** The id that the service gave the device; null when the token has to do. */
  key: string | null
  /** Identifier of the user; null for a device that nobody has logged in on. */
  user: string | null
  /** Platform of the device; null when the row is about a user only. */
  platform: Platform | null
  /** A device token, or the subscription of a browser; null when there is none. */
  token: unknown
  environment: 'production' | 'sandbox' | null
  /** Bundle id of an Apple token. */
  topic: string | null
  /** False: the service found the token dead. */
  reachable: boolean
  /** False: the person or the system has switched notifications off. */
  enabled: boolean
  /** The person said no in the app itself, which the system does not know. */
  optedOut: boolean
  /** True when the export says the two above; otherwise they are a guess. */
  isSaid: boolean
  attributes: Record<string, unknown>
  /** Channels by UUID. */
  channels: readonly string[]
  words: DeviceWords
  /** Milliseconds; null where the export does not say. */
  createdAt: number | null
  lastActive: number | null
}

/** Result of a row: devices and users, a reason to refuse it, or a description of data that we have no place for. */
export type Converted = { found: readonly Candidate[] } | { problem: string } | { left: string }

/** Options of the command line for reading an export. */
export interface SourceOptions {
  /** Column -> field (`--map`). */
  map: ReadonlyMap<string, string>
  /** Tags that become channels instead of attributes. */
  tagChannels: readonly string[]
  /** Values of tags that are written as numbers become numbers. */
  numbers: boolean
  /** All tokens of Apple are of its sandbox. */
  sandbox: boolean
  /**
   * True when devices whose export does not say whether they opted out are taken as subscribed, although the service
   * could have said it.
   */
  assumeSubscribed?: boolean | undefined
}

/** The column of an export with the opt-outs. */
interface ConsentColumn {
  column: string
  /** The way to get it, as a sentence without its full stop. */
  remedy: string
}

/** A table without a header: each line is a record, and quotes are only around cells with commas. */
export interface HeadlessTable {
  columns: readonly string[]
  /** The reason why the cells are no record of it; undefined if they are. */
  problem(cells: readonly string[]): string | undefined
}

/** A service whose export can be read. */
export interface Source {
  name: SourceName
  /** The name of the service for people. */
  label: string
  /** Uses of the columns that the service is known to have. */
  columns: Readonly<Record<string, string>>
  /** The use of another column. */
  others(column: string, options: SourceOptions): string
  /** The column with opt-outs, where the service has one. Without it devices are refused. */
  consent?: ConsentColumn
  /** Names of lists inside a JSON object: the items of these lists are the rows. */
  wrappers: readonly string[]
  /** CSV files without a header, recognized by their records. */
  headless?: HeadlessTable
  /** Throws `invalid` or `usage` when these columns cannot be read; called with the header of each CSV file. */
  checkHeader?(names: readonly string[], options: SourceOptions): void
  convert(row: Row, options: SourceOptions): Converted
}

/** A candidate that can be stored. */
export interface Ready {
  /** Id of the install; null for a user without a device. */
  installId: string | null
  identifier: string | null
  platform: Platform | null
  token: TokenRegistration | null
  enabled: boolean
  optedOut: boolean
  isSaid: boolean
  attributes: Record<string, unknown>
  channels: readonly string[]
  words: DeviceWords
  createdAt: number | null
  lastActive: number | null
}

/** A person or a device that an import would bring in. */
export interface Comer {
  /** The identifier of a known user; null for a device that nobody has logged in on. */
  identifier: string | null
  /** Id of the install; null for a person without a device. */
  installId: string | null
  token: string | null
}

/** A row that was not imported. `file` counts from 0, `line` from 1. */
export interface RefusedRow {
  file: number
  line: number
  problem: string
  /** The row as it is in the file. */
  text: string
}

/** Results of the rows. Each row is counted once in `rows`; a row can hold several installs. */
export interface ImportCounts {
  rows: number
  /** Installs that were made. */
  installs: number
  /** Installs of an earlier run of the same import, left as they are. */
  existing: number
  /** Devices whose token an install here has already: the phone came by itself, or the row is there twice. */
  moved: number
  /** Installs made without a token, because the service knew that it is dead or had none. */
  unreachable: number
  /** Installs made with notifications switched off. */
  disabled: number
  /** Installs that this import has opted out: made so, and switched off because of a later export. */
  optedOut: number
  /** Users that were made. */
  users: number
  /** Subscriptions of installs to channels. */
  subscriptions: number
  /** Users put on the suppression list. */
  suppressed: number
  /** Rows with nothing that has a place here, such as email addresses. */
  left: number
  /** Rows with users or devices that were erased here: they are left out. */
  erased: number
  refused: number
}

export const noCounts = (): ImportCounts => ({
  rows: 0,
  installs: 0,
  existing: 0,
  moved: 0,
  unreachable: 0,
  disabled: 0,
  optedOut: 0,
  users: 0,
  subscriptions: 0,
  suppressed: 0,
  left: 0,
  erased: 0,
  refused: 0,
})

export const IMPORTS = table('imports', {
  id: integer('id'),
  appId: integer('app_id'),
  source: text('source').as<SourceName>(),
  digest: text('digest'),
  /** Rows that are done. */
  place: integer('place'),
  counts: definition('counts', noCounts()).as<ImportCounts>(),
  /** Length in bytes of the file of refused rows at `place`. */
  errorsSize: integer('errors_size'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** An import that is under way or was interrupted. */
export type ImportProgress = Value<typeof IMPORTS>
