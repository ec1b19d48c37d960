import type { CrashFilter, CrashGroup, CrashReport } from '../../domain/crashes/types.ts'
import type { TimelineQuery } from '../../domain/profiles/timeline.ts'
import type { FoundProfiles, ProfileSearch, Suggestion, Timeline, Verdict } from '../../domain/profiles/types.ts'
import type { Call } from '../routing/route.ts'

/** Reads for people that may take long: they run on the reader thread (../long-reads.ts). */

type Caller = Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId' | 'person' | 'gone'>

/**
 * The time (s) for which one call looks for users, or through what happened to one: the console shows what was found and asks for
 * more, so nobody looks at an empty page for long.
 */
const LOOK_SECONDS = 0.15
/** The time (s) for which somebody waits who asked one question. */
const ANSWER_SECONDS = 10

export function findProfiles(call: Caller, search: ProfileSearch): Promise<FoundProfiles> {
  const { tx, appId } = call
  const isSorted = search.sort === '-lastActive'
  // Everybody is one page of an index, but for the order by activity.
  if (search.text.trim() === '' && !isSorted) return tx.profiles.find(appId, search)
  const seconds = isSorted ? ANSWER_SECONDS : LOOK_SECONDS
  return asked(call, 'profiles.find', [appId, search], seconds, () => tx.profiles.find(appId, search))
}

export function suggestProfiles(call: Caller, typed: string, isWholeOnly: boolean): Promise<Suggestion[]> {
  const { tx, appId } = call
  const args = [appId, typed, isWholeOnly] as const
  return asked(call, 'profiles.suggest', args, ANSWER_SECONDS, () => tx.profiles.suggest(...args))
}

export function readTimeline(call: Caller, id: number, query: TimelineQuery): Promise<Timeline> {
  const { tx, appId } = call
  return asked(call, 'timelines.read', [appId, id, query], 2 * LOOK_SECONDS, () => tx.timelines.read(appId, id, query))
}

export function explainProfile(call: Caller, id: number, notificationId: number): Promise<Verdict> {
  const { tx, appId } = call
  const args = [appId, id, notificationId] as const
  return asked(call, 'reasons.explain', args, ANSWER_SECONDS, () => tx.reasons.explain(...args))
}

export function listCrashes(
  call: Caller,
  filter: CrashFilter,
  before: number | undefined,
  limit: number,
): Promise<CrashReport[]> {
  const { tx, appId } = call
  const args = [appId, filter, before, limit] as const
  return asked(call, 'crashes.list', args, ANSWER_SECONDS, () => tx.crashes.list(...args))
}

export function groupCrashes(call: Caller, filter: CrashFilter, limit: number): Promise<CrashGroup[]> {
  const { tx, appId } = call
  const args = [appId, filter, limit] as const
  return asked(call, 'crashes.groups', args, ANSWER_SECONDS, () => tx.crashes.groups(...args))
}

function asked<T>(
  { program, appId, person, gone }: Caller,
  name: string,
  args: readonly unknown[],
  seconds: number,
  here: () => Promise<T>,
): Promise<T> {
  const { longReads } = program.kernel
  if (!longReads) return here()
  return longReads.ask<T>(name, args, { who: { app: appId, key: `person ${person.id}` }, seconds, signal: gone() })
}
