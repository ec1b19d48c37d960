import type { Platform } from '../gateways/registry.ts'

/** A named filter over the installs of an app, evaluated whenever it is used. Times are milliseconds since the epoch. */
export interface Segment {
  id: number
  appId: number
  /** What callers name it by; ours, unique. */
  uuid: string
  name: string
  filter: Filter
  createdAt: number
  updatedAt: number
}

export interface NewSegment {
  name: string
  filter: Filter
}

/** What a request changes: absent leaves alone. */
export interface SegmentChange {
  name?: string | undefined
  filter?: Filter | undefined
}

/** A segment by what the caller knows of it. */
export type SegmentKey = { id: number } | { uuid: string }

/** A filter as an operator writes it (docs/segments.md), once `filter.ts` has checked it. */
export type Filter =
  | { and: Filter[] }
  | { or: Filter[] }
  | { not: Filter }
  | { field: string; op?: string; operator?: string; value?: unknown }

/** Columns that hold one word, or nothing. */
export type WordField = 'os' | 'sdkType' | 'locale' | 'countryIsoCode' | 'timezone' | 'identifier'

export type Scalar = string | number | boolean

/** What is asked of a user attribute; values of another type than the one asked for never match. */
export type AttributeTest =
  | { op: 'exists' }
  | { op: 'among'; values: Scalar[] }
  | { op: '<' | '<=' | '>' | '>='; value: string | number }
  | { op: 'startsWith' | 'contains'; value: string }

/** An instant: absolute (ms), or so many ms before the moment of use. */
export type Instant = { at: number } | { ago: number }

/** What a filter means, free of the ways of writing it. Every condition is true or false, never unknown. */
export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | { kind: 'word'; field: WordField; values: string[] }
  | { kind: 'language'; values: string[] }
  | { kind: 'present'; field: WordField | 'appVersion' }
  /** `keys` as `versionKey` makes them; `texts` are versions that have none. */
  | { kind: 'version'; keys: string[]; texts: string[] }
  | { kind: 'versionOrder'; op: '<' | '<=' | '>' | '>='; key: string }
  | { kind: 'time'; field: 'firstActive' | 'lastActive'; op: '<' | '<=' | '>' | '>='; instant: Instant }
  | { kind: 'flag'; field: 'inAppEnabled' | 'subscribedToPush' | 'known' }
  | { kind: 'attribute'; path: string[]; test: AttributeTest }
  /** Subscribed to any of them; `at` is where the filter says so. */
  | { kind: 'channels'; uuids: string[]; at: string }
  /** Inside any of them. */
  | { kind: 'geofences'; ids: number[]; at: string }

/** How many subscribed installs match now, and the first of them. */
export interface SegmentPreview {
  total: number
  platforms: Partial<Record<Platform, number>>
  first: { installId: string; userIdentifier: string; platform: Platform }[]
}
