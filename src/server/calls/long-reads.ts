import type { Target } from '../../domain/audience/types.ts'
import type { PlatformCounts } from '../../domain/audience/walk/install-walk.ts'

import type { ChannelCounts } from '../../domain/channels/types.ts'
import type { Density } from '../../domain/geofences/density.ts'
import type { Box } from '../../domain/geofences/types.ts'
import type { InAppEstimate } from '../../domain/in-app/accept/estimate.ts'
import type { InAppEstimateInput } from '../../domain/in-app/request/request.ts'
import type { Estimate } from '../../domain/notifications/accept/estimate.ts'
import type { Coverage } from '../../domain/notifications/personal/coverage.ts'
import type { Draft, EstimateInput } from '../../domain/notifications/request/draft.ts'
import type { Suggestions } from '../../domain/segments/suggestions/service.ts'
import type {
  Filter,
  Segment,
  SegmentEstimate,
  SegmentKey,
  SegmentPreview,
  SegmentSize,
} from '../../domain/segments/types.ts'
import type { UserSearch } from '../../domain/segments/user-search/schema.ts'
import type { FoundUsers } from '../../domain/segments/user-search/service.ts'
import type { TableConsequences } from '../../domain/tables/definition/consequences.ts'
import type { FoundPage } from '../../domain/tables/read/lists.ts'
import type { ListQuery, RecordsPage } from '../../domain/tables/records/records.service.ts'
import type { TableChange } from '../../domain/tables/types.ts'
import type { Call } from '../routing/route.ts'
import { userNameOf } from './auth.ts'

/** Reads that may take long: they run on the reader thread, so that other requests do not wait for them. */

type Caller = Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId' | 'header' | 'gone'>

/** A preview reads every install, and only keys of the operator may ask for it. */
const PREVIEW_SECONDS = 60

/** The time (s) for which somebody waits who looks at it meanwhile. */
const QUICK_SECONDS = 1

/** A page of records. Short reads stay on this thread. */
export async function listRecords(call: Caller, alias: string, query: ListQuery): Promise<RecordsPage> {
  const { tx, program, appId } = call
  const { longReads, config } = program.kernel
  if (!longReads) return tx.records.list(appId, alias, query)
  const page = await tx.records.listQuickly(appId, alias, query)
  if (page) return page
  const options = { ...askerOf(call), seconds: config['limits.readSeconds'] }
  return tx.records.wholePage(await longReads.ask<FoundPage>('records.find', [appId, alias, query], options))
}

/** Counts the installs that match a segment. */
export async function previewSegment(call: Caller, key: SegmentKey): Promise<SegmentPreview> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.segments.preview(appId, key)
  return longReads.ask('segments.preview', [appId, key], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

/** Counts the installs that match a filter that is not stored: all of them are checked. */
export async function previewFilter(call: Caller, filter: Filter): Promise<SegmentPreview> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.segments.previewOf(appId, filter)
  return longReads.ask('segments.previewOf', [appId, filter], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

/** The same while somebody edits it: within a second, as far as that goes. */
export async function estimateFilter(call: Caller, filter: Filter): Promise<SegmentEstimate> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.segments.estimateOf(appId, filter)
  return longReads.ask('segments.estimateOf', [appId, filter], { ...askerOf(call), seconds: QUICK_SECONDS })
}

/** Counts the installs of a stored segment, all of them or as many as a second allows, and stores the number. */
export async function measureSegment(call: Caller, key: SegmentKey, isWhole: boolean): Promise<Segment> {
  const { tx, program, appId } = call
  const segment = await tx.segments.get(appId, key)
  const read = { id: segment.id, filter: segment.filter }
  const { longReads } = program.kernel
  const options = { ...askerOf(call), seconds: isWhole ? PREVIEW_SECONDS : QUICK_SECONDS }
  const size = await (longReads?.ask<SegmentSize>('segments.measure', [appId, read, isWhole], options) ??
    tx.segments.measure(appId, read, isWhole))
  return program.inTransaction((own) => own.segments.noteSize(segment, size))
}

/** Names and values to choose from in a filter. */
export async function suggestForFilters(call: Caller): Promise<Suggestions> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.segmentSuggestions.of(appId)
  return longReads.ask('segmentSuggestions.of', [appId], { ...askerOf(call), seconds: QUICK_SECONDS })
}

/** Counts the subscriptions of channels. Channels that were not counted in time are left out. */
export async function countSubscriptions(call: Caller, channelIds: readonly number[]): Promise<ChannelCounts[]> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.subscriptions.countAll(appId, channelIds)
  return longReads.ask('subscriptions.countAll', [appId, channelIds], { ...askerOf(call), seconds: QUICK_SECONDS })
}

/** The next users of a search. A filter that fits few examines many. */
export async function findUsers(call: Caller, search: UserSearch): Promise<FoundUsers> {
  const { tx, program, appId } = call
  const { longReads, config } = program.kernel
  if (!longReads) return tx.userSearch.find(appId, search)
  return longReads.ask('users.find', [appId, search], { ...askerOf(call), seconds: config['limits.readSeconds'] })
}

/**
 * The audience of a notification by platform, and what a sample of it would get. With a million installs this takes a while; it stops in
 * time. Without `sample` it only counts.
 */
export async function measureAudience(
  call: Caller,
  { target, content, userMeta, expiresAt }: Draft & { target: Target },
  sample: number | undefined,
): Promise<{ counted: PlatformCounts; coverage?: Coverage }> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  const options = { ...askerOf(call), seconds: PREVIEW_SECONDS }
  if (sample === undefined) {
    const counting = longReads?.ask<PlatformCounts>('audience.count', [appId, target], options)
    return { counted: await (counting ?? tx.audience.count(appId, target)) }
  }
  const draft = { content, userMeta, expiresAt }
  if (!longReads) return tx.drafts.measure(appId, draft, target, sample)
  return longReads.ask('notifications.measure', [appId, draft, target, sample], options)
}

/** Last positions of installs in the squares of a grid. With a million installs this takes a second or two. */
export async function readDensity(call: Caller, box: Box): Promise<Density> {
  const { tx, program, appId } = call
  const { longReads, config } = program.kernel
  if (!longReads) return tx.density.density(appId, box)
  return longReads.ask('geofences.density', [appId, box], { ...askerOf(call), seconds: config['limits.readSeconds'] })
}

/** The consequences of changes of a data table: some count its records. */
export async function foreseeChanges(
  call: Caller,
  ref: string,
  changes: readonly TableChange[],
): Promise<TableConsequences> {
  const { tx, program, appId } = call
  const { longReads, config } = program.kernel
  if (!longReads) return tx.tableConsequences.of(appId, ref, changes)
  const options = { ...askerOf(call), seconds: config['limits.readSeconds'] }
  return longReads.ask('tables.consequences', [appId, ref, changes], options)
}

/** Counts the recipients of a push that is still being written. As `countAudience`. */
export async function estimateSend(call: Caller, input: EstimateInput): Promise<Estimate> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.drafts.estimate(appId, input)
  return longReads.ask('notifications.estimate', [appId, input], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

/** Counts the recipients of an in-app message that is still being written. As `countAudience`. */
export async function estimateInApp(call: Caller, input: InAppEstimateInput): Promise<InAppEstimate> {
  const { tx, program, appId } = call
  const { longReads } = program.kernel
  if (!longReads) return tx.inApp.estimate(appId, input)
  return longReads.ask('inApp.estimate', [appId, input], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

function askerOf({ appId, header, gone }: Caller) {
  return { who: { app: appId, key: userNameOf(header('authorization')) ?? '' }, signal: gone() }
}
