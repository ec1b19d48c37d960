import type { CrashFilter, CrashGroup, CrashReport } from '../../domain/crashes/types.ts'
import type { TimelineQuery } from '../../domain/profiles/timeline.ts'
import type { FoundProfiles, ProfileSearch, Suggestion, Timeline, Verdict } from '../../domain/profiles/types.ts'
import type { Call } from '../routing/route.ts'

/** Reads for people that may take long: they run on the reader thread (../long-reads.ts). */

type Caller = Pick<Call<unknown, unknown>, 'app' | 'host' | 'appId' | 'person' | 'gone'>

/**
 * How long one call looks for users, or through what happened to one: the console shows what was found and asks for more, so nobody
 * looks at an empty page for long.
 */
const LOOK_SECONDS = 0.15
/** How long somebody waits who asked one question. */
const ANSWER_SECONDS = 10

export function findProfiles(call: Caller, search: ProfileSearch): Promise<FoundProfiles> {
  const { app, appId } = call
  // Everybody is one page of an index.
  if (search.text.trim() === '') return app.profiles.find(appId, search)
  return asked(call, 'profiles.find', [appId, search], LOOK_SECONDS, () => app.profiles.find(appId, search))
}

export function suggestProfiles(call: Caller, typed: string, isWholeOnly: boolean): Promise<Suggestion[]> {
  const { app, appId } = call
  const args = [appId, typed, isWholeOnly] as const
  return asked(call, 'profiles.suggest', args, ANSWER_SECONDS, () => app.profiles.suggest(...args))
}

export function readTimeline(call: Caller, id: number, query: TimelineQuery): Promise<Timeline> {
  const { app, appId } = call
  return asked(call, 'timelines.read', [appId, id, query], 2 * LOOK_SECONDS, () => app.timelines.read(appId, id, query))
}

export function explainProfile(call: Caller, id: number, notificationId: number): Promise<Verdict> {
  const { app, appId } = call
  const args = [appId, id, notificationId] as const
  return asked(call, 'reasons.explain', args, ANSWER_SECONDS, () => app.reasons.explain(...args))
}

export function listCrashes(
  call: Caller,
  filter: CrashFilter,
  before: number | undefined,
  limit: number,
): Promise<CrashReport[]> {
  const { app, appId } = call
  const args = [appId, filter, before, limit] as const
  return asked(call, 'crashes.list', args, ANSWER_SECONDS, () => app.crashes.list(...args))
}

export function groupCrashes(call: Caller, filter: CrashFilter, limit: number): Promise<CrashGroup[]> {
  const { app, appId } = call
  const args = [appId, filter, limit] as const
  return asked(call, 'crashes.groups', args, ANSWER_SECONDS, () => app.crashes.groups(...args))
}

function asked<T>(
  { host, appId, person, gone }: Caller,
  name: string,
  args: readonly unknown[],
  seconds: number,
  here: () => Promise<T>,
): Promise<T> {
  const { longReads } = host.kernel
  if (!longReads) return here()
  return longReads.ask<T>(name, args, { who: { app: appId, key: `person ${person.id}` }, seconds, signal: gone() })
}
