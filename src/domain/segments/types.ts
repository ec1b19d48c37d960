import { boolean, definition, integer, table, text, type Value } from '../../platform/db/table.ts'
import type { FilterTree } from '../../platform/filters/tree.ts'
import type { ValueTest } from '../../platform/filters/value-test.ts'
import type { Platform } from '../gateways/registry.ts'

export const SEGMENTS = table('segments', {
  id: integer('id'),
  appId: integer('app_id'),
  /** Known to callers; generated and unique. */
  uuid: text('uuid'),
  name: text('name'),
  filter: definition('filter').as<Filter>(),
  /** Reachable installs that matched at `sizedAt`; null as long as nobody counted them for this filter. */
  size: integer('size').orNull,
  isSizeEstimated: boolean('size_estimated').orNull,
  sizedAt: integer('sized_at').orNull,
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/**
 * A named filter over the installs of an app, evaluated whenever it is used. Times are milliseconds since the epoch.
 */
export type Segment = Value<typeof SEGMENTS>

export interface NewSegment {
  name: string
  filter: Filter
}

/** A count of a stored segment, which the list shows until its filter changes. */
export type SegmentSize = Pick<SegmentEstimate, 'total' | 'isEstimate'>

/** Changes of a request: absent fields are left unchanged. */
export interface SegmentChange {
  name?: string | undefined
  filter?: Filter | undefined
}

/** The id or the uuid of a segment, whichever the caller gave. */
export type SegmentKey = { id: number } | { uuid: string }

/** A filter as callers write it (docs/segments.md), after `filter.ts` has checked it. */
export type Filter =
  | { and: Filter[] }
  | { or: Filter[] }
  | { not: Filter }
  | { field: string; op?: string; operator?: string; value?: unknown; withinDays?: number }

/** Columns, and the transport, that hold one text or nothing. */
export type WordField =
  | 'os'
  | 'sdkType'
  | 'locale'
  | 'countryIsoCode'
  | 'timezone'
  | 'identifier'
  | 'buildKind'
  | 'transport'

/** Columns that hold true, false, or nothing. */
export type SaidField = 'simulator' | 'timeSensitive'

/** An instant: absolute (ms), or a number of milliseconds before the time of use. */
type Instant = { at: number } | { ago: number }

/** The meaning of a filter, whatever its spelling. Every condition is true or false, never unknown. */
export type Condition = FilterTree<Leaf>

export type Leaf =
  | { kind: 'word'; field: WordField; values: string[] }
  | { kind: 'language'; values: string[] }
  | { kind: 'present'; field: WordField | 'appVersion' | SaidField }
  /** `keys` as `versionKey` makes them; `texts` are versions that have none. */
  | { kind: 'version'; keys: string[]; texts: string[] }
  | { kind: 'versionOrder'; op: '<' | '<=' | '>' | '>='; key: string }
  | { kind: 'time'; field: 'firstActive' | 'lastActive'; op: '<' | '<=' | '>' | '>='; instant: Instant }
  | { kind: 'flag'; field: 'inAppEnabled' | 'subscribedToPush' | 'known' }
  /** The device said this; false where it never said anything. */
  | { kind: 'said'; field: SaidField; value: boolean }
  | { kind: 'attribute'; path: string[]; test: ValueTest }
  /** Subscribed to any of them; `at` is the path in the filter. */
  | { kind: 'channels'; uuids: string[]; at: string }
  /** Inside any of the geofences. */
  | { kind: 'geofences'; ids: number[]; at: string }
  /** The count of a metric for the user. Null days: all that are kept. */
  | {
      kind: 'metric'
      name: string
      op: '<' | '<=' | '>' | '>='
      value: number
      withinDays: number | null
      at: string
    }

/** The number of subscribed installs that match now, and the first of them. */
export interface SegmentPreview {
  total: number
  platforms: Partial<Record<Platform, number>>
  first: { installId: string; userIdentifier: string; platform: Platform }[]
}

/** A preview that is made quickly: of a large app only a sample is checked, and of any app as much as the time allows. */
export interface SegmentEstimate extends SegmentPreview {
  /** The number of subscribed installs that were checked, and of all. */
  examined: number
  of: number
  /** True when the numbers are estimated from the checked installs. */
  isEstimate: boolean
}

/** A send that is not over and has a segment or a channel in its target. */
export interface Use {
  kind: 'notification' | 'in-app message'
  id: number
}
