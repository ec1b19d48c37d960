import type { PlatformCounts } from '../domain/audience/install-walk.ts'
import type { Target } from '../domain/audience/types.ts'
import type { Estimate, EstimateInput } from '../domain/notifications/accept/estimate.ts'
import type { SegmentKey, SegmentPreview } from '../domain/segments/types.ts'
import type { UserSearch } from '../domain/segments/user-search.schema.ts'
import type { FoundUsers } from '../domain/segments/user-search.service.ts'
import type { FoundPage } from '../domain/tables/read/lists.ts'
import type { ListQuery, RecordsPage } from '../domain/tables/records/records.service.ts'
import { userNameOf } from './auth.ts'
import type { Call } from './route.ts'

/** Reads that may take long: they run on the reader thread, so that other requests do not wait for them. */

type Caller = Pick<Call<unknown, unknown>, 'app' | 'host' | 'appId' | 'header' | 'gone'>

/** A preview reads every install, and only keys of the operator may ask for it. */
const PREVIEW_SECONDS = 60

/** A page of records. Short reads stay on this thread. */
export async function listRecords(call: Caller, alias: string, query: ListQuery): Promise<RecordsPage> {
  const { app, host, appId } = call
  const { longReads, config } = host.kernel
  if (!longReads) return app.records.list(appId, alias, query)
  const page = await app.records.listQuickly(appId, alias, query)
  if (page) return page
  const options = { ...askerOf(call), seconds: config['limits.readSeconds'] }
  return app.records.wholePage(await longReads.ask<FoundPage>('records.find', [appId, alias, query], options))
}

/** How many installs match a segment. */
export async function previewSegment(call: Caller, key: SegmentKey): Promise<SegmentPreview> {
  const { app, host, appId } = call
  const { longReads } = host.kernel
  if (!longReads) return app.segments.preview(appId, key)
  return longReads.ask('segments.preview', [appId, key], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

/** The next users of a search. A filter that fits few examines many. */
export async function findUsers(call: Caller, search: UserSearch): Promise<FoundUsers> {
  const { app, host, appId } = call
  const { longReads, config } = host.kernel
  if (!longReads) return app.userSearch.find(appId, search)
  return longReads.ask('users.find', [appId, search], { ...askerOf(call), seconds: config['limits.readSeconds'] })
}

/** The audience of a notification by platform. With a million installs this takes a while; it stops in time. */
export async function countAudience(call: Caller, target: Target): Promise<PlatformCounts> {
  const { app, host, appId } = call
  const { longReads } = host.kernel
  if (!longReads) return app.audience.count(appId, target)
  return longReads.ask('audience.count', [appId, target], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

/** Who would get a push that is still being written. As `countAudience`. */
export async function estimateSend(call: Caller, input: EstimateInput): Promise<Estimate> {
  const { app, host, appId } = call
  const { longReads } = host.kernel
  if (!longReads) return app.notifications.estimate(appId, input)
  return longReads.ask('notifications.estimate', [appId, input], { ...askerOf(call), seconds: PREVIEW_SECONDS })
}

function askerOf({ appId, header, gone }: Caller) {
  return { who: { app: appId, key: userNameOf(header('authorization')) ?? '' }, signal: gone() }
}
