import { firstPartOf, type Pace, unhurried } from '../../../platform/long-reads/pace.ts'
import { createSample, type Sample } from '../../../platform/values/sample.ts'
import type { Guard } from '../../audience/confirmation.ts'
import { type Catalogue, lookupTarget, type PushBook } from '../../audience/target.ts'
import type { Target } from '../../audience/types.ts'
import type { Audience } from '../../audience/walk/install-walk.ts'
import type { Cursor } from '../../audience/walk/walk.ts'
import type { Place, Within } from '../../audience/walk/within.ts'
import type { RefusalsRepository } from '../../consent/refusals.repository.ts'
import type { ConsentOfSend, ConsentRules } from '../../consent/types.ts'
import type { Platform } from '../../gateways/registry.ts'
import { nextScheduleOf } from '../../schedules/recurrence.ts'
import { dueTimes, isByPlace, type Schedule, withUsualHour } from '../../schedules/schedule.ts'
import { isPersonal } from '../personal/compiled-content.ts'
import type { Coverage, Sampled } from '../personal/coverage.ts'
import type { EstimateInput } from '../request/draft.ts'
import { type LeftOutReason, namedAndLeftOut, type SkippingRule } from './left-out.ts'
import { type PersonalPreviewer, personalPartsOf } from './personal-preview.ts'

/** A recipient, as an example. */
interface SampleRecipient {
  installId: string
  userId: string | null
  platform: Platform
  deviceModel: string | null
  locale: string | null
  timezone: string | null
}

/** A due time (ms), how many are due then, and the first of their time zones; none where everybody is due then. */
interface EstimatedTime {
  at: number
  recipients: number
  zones: (string | null)[]
}

/** The present reach of a push: who would get it, who would not and why, and when. Counts are of installs. */
export interface Estimate {
  /** Installs that are meant and have a push token: the number that a confirmation counts. */
  audience: number
  /** Installs among them that can be sent to. */
  recipients: number
  /** False when the time to count was over: there are more. */
  isComplete: boolean
  /** Sends to a larger audience must be confirmed; null for no limit. */
  confirmAbove: number | null
  platforms: { platform: Platform; recipients: number; configured: boolean }[]
  leftOut: { reason: EstimatedReason; count: number }[]
  mayBeSkipped: SkippingRule[]
  sample: SampleRecipient[]
  /** Due times, ascending. Empty when it is sent at once. */
  times: EstimatedTime[]
  /** The results for a sample of the recipients; absent where no content was given. */
  coverage?: Coverage
  /** Remarks on the content; absent where no content was given. */
  warnings?: string[]
}

/** Reasons for which a meant or named recipient gets nothing. */
type EstimatedReason = LeftOutReason | 'not_wanted' | 'on_suppression_list' | 'time_passed'

export interface EstimateParts {
  audience: Pick<Audience, 'step' | 'zones' | 'sample'>
  guard: Pick<Guard<Target>, 'confirmAbove'>
  book: PushBook
  catalogue: Catalogue
  refusals: Pick<RefusalsRepository, 'rulesOf' | 'installs'>
  sendable(appId: number): Promise<Platform[]>
  /** Rules by which recipients may be skipped at the moment of sending. */
  skipping(appId: number, consent: ConsentOfSend): Promise<SkippingRule[]>
  usualHour(appId: number): Promise<number | undefined>
  cover: PersonalPreviewer['cover']
  clock: { now(): number }
  defaultZone: string
}

/** Installs of each platform per step. */
const STEP = 1000
/** Recipients that are shown as examples. */
const SAMPLES = 10
/** Zones that a due time names. */
const NAMED_ZONES = 12

const EVERYBODY_AT_ONCE = { at: null, places: null } as const

/** Counts of one walk. */
interface Tally {
  platforms: Map<Platform, number>
  refused: Map<'not_wanted' | 'on_suppression_list', number>
  sample: Sampled[]
  /** Recipients for whom the content is rendered; undefined without a content. */
  covered: Sample<Sampled> | undefined
}

/**
 * Makes the function that estimates a push which is still being written. It walks the audience once, or where each phone's zone
 * decides, once for each due time. Throws `invalid` as a send does.
 */
export function createEstimate(parts: EstimateParts) {
  const { audience, refusals, clock } = parts

  /** Walks some of the audience and adds to the tally. Returns the number that can be sent to; undefined when the time was over. */
  async function walk(
    of: {
      appId: number
      target: Target
      within: Within | undefined
      rules: ConsentRules | undefined
      able: Platform[]
    },
    tally: Tally,
    pace: Pace,
  ): Promise<number | undefined> {
    const { appId, target, within, rules, able } = of
    let reached = 0
    for (let cursor: Cursor = {}, done = false; !done; ) {
      if (!(await pace.turn())) return undefined
      const step = await audience.step(appId, target, cursor, STEP, within)
      for (const { platform, rows } of step.steps) {
        if (!platform) continue
        tally.platforms.set(platform, (tally.platforms.get(platform) ?? 0) + rows.length)
        if (!able.includes(platform)) continue
        const refused = rules ? await refusals.installs(appId, rules, rows) : new Map<number, 'not_wanted'>()
        for (const why of refused.values()) tally.refused.set(why, (tally.refused.get(why) ?? 0) + 1)
        reached += rows.length - refused.size
        const room = SAMPLES - tally.sample.length
        if (room > 0 || tally.covered) {
          const meant = rows.filter((row) => !refused.has(row))
          if (tally.covered) for (const row of meant) tally.covered.offer({ platform, row })
          if (room > 0) tally.sample.push(...meant.slice(0, room).map((row) => ({ platform, row })))
        }
      }
      cursor = step.cursor
      done = step.done
    }
    return reached
  }

  /** The due times; null when it is sent at once. */
  async function planOf(appId: number, target: Target, asked: Schedule | null | undefined) {
    const schedule = await withUsualHour(asked ?? null, () => parts.usualHour(appId))
    const zones = schedule && isByPlace(schedule) ? await audience.zones(appId, target) : []
    return schedule && dueTimes(schedule, zones, clock.now(), parts.defaultZone)
  }

  return async function estimate(
    appId: number,
    {
      targeting,
      schedule: asked,
      recurrence,
      consent = { purpose: null, transactional: false },
      saying,
    }: EstimateInput,
    pace: Pace = unhurried,
  ): Promise<Estimate> {
    const { target, errors } = await lookupTarget(parts.book, parts.catalogue, appId, targeting, 'target.')
    const plan = await planOf(appId, target, recurrence ? nextScheduleOf(recurrence, clock.now()) : asked)
    const able = await parts.sendable(appId)
    const rules = await refusals.rulesOf(appId, consent)
    const covered = saying && isPersonal(saying.content) ? createSample<Sampled>(saying.sample) : undefined
    const counting = covered ? firstPartOf(pace) : pace
    const tally: Tally = { platforms: new Map(), refused: new Map(), sample: [], covered }
    const of = { appId, target, rules, able }
    const times: EstimatedTime[] = []
    let isComplete = true
    let recipients = 0
    for (const { at, places } of plan?.due ?? [EVERYBODY_AT_ONCE]) {
      if (places?.length === 0) continue
      const reached = await walk({ ...of, within: withinOf(places) }, tally, counting)
      if (reached === undefined) {
        isComplete = false
        break
      }
      recipients += reached
      if (at !== null && reached > 0) times.push({ at, recipients: reached, zones: zonesOf(places) })
    }
    // Where the time has passed nobody gets it, but they are of the audience that a confirmation counts.
    const passed: Tally = { platforms: new Map(), refused: new Map(), sample: [], covered: undefined }
    if (isComplete && plan && (plan.skipped === null || plan.skipped.length > 0)) {
      isComplete = (await walk({ ...of, within: withinOf(plan.skipped) }, passed, counting)) !== undefined
    }
    const coverage = saying && covered && (await parts.cover(appId, saying, covered.items(), pace))
    const missing = [...tally.platforms].filter(([platform]) => !able.includes(platform))
    const leftOut: Estimate['leftOut'] = [
      ...namedAndLeftOut(errors, target.exclude.length),
      { reason: 'no_gateway', count: sum(new Map(missing)) },
      ...[...tally.refused].map(([reason, count]) => ({ reason, count })),
      { reason: 'time_passed', count: sum(passed.platforms) },
    ]
    return {
      audience: sum(tally.platforms) + sum(passed.platforms),
      recipients,
      isComplete,
      confirmAbove: await parts.guard.confirmAbove(appId),
      platforms: [...tally.platforms].map(([platform, count]) => {
        return { platform, recipients: count, configured: able.includes(platform) }
      }),
      leftOut: leftOut.filter(({ count }) => count > 0),
      mayBeSkipped: (await parts.skipping(appId, consent)).filter(isOfTheMoment),
      sample: await audience.sample(appId, tally.sample),
      times,
      ...(saying && personalPartsOf(saying, { coverage })),
    }
  }
}

/** Rules that are asked when it is sent, and whose effect cannot be counted before. */
const isOfTheMoment = (rule: SkippingRule) => rule === 'quiet_hours' || rule === 'frequency_cap'

const sum = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((all, one) => all + one, 0)

/** A walk that is limited to these places; undefined where all are meant. */
function withinOf(places: Place[] | null): Within | undefined {
  return places === null ? undefined : { places, changedSince: Number.MAX_SAFE_INTEGER }
}

function zonesOf(places: readonly Place[] | null): (string | null)[] {
  return [...new Set((places ?? []).map(({ zone }) => zone))].slice(0, NAMED_ZONES)
}
