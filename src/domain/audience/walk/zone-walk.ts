import { PLATFORM_TYPES, platformOf } from '../../gateways/registry.ts'
import { ascending } from '../target.ts'
import type { AtHour, AudienceRepository, NamedRange } from './audience.repository.ts'
import type { Cursor, Step, ZoneCursor } from './walk.ts'
import { type HourRange, hasChanged, hasMoved, hourRangesOf, type Within } from './within.ts'

interface Result {
  steps: Step[]
  cursor: Cursor
  done: boolean
}

/** Ranges examined for one page: many zones have few installs, and a step must stay short. */
const MAX_RANGES = 48
const START: ZoneCursor = [0, -1, 0]

/** Reads the installs of some zones and hours in the order of the index; each step takes a page of every platform. */
export async function zoneStep(
  repo: AudienceRepository,
  appId: number,
  within: Within,
  cursor: Cursor,
  limit: number,
): Promise<Result> {
  const ranges = hourRangesOf(within)
  const placed: Record<string, ZoneCursor | null> = { ...(cursor.placed ?? (await beginning(repo, appId))) }
  const steps: Step[] = []
  for (const [type, from] of Object.entries(placed)) {
    if (from === null) continue
    const { found, next } = await readPage(repo, appId, Number(type), ranges, from, limit)
    placed[type] = next
    if (found.length > 0) steps.push(stepOf(Number(type), found, within))
  }
  return { steps, cursor: { placed }, done: Object.values(placed).every((at) => at === null) }
}

/** Only platforms that have an install: for any other, a walk might examine a thousand empty ranges. */
async function beginning(repo: AudienceRepository, appId: number): Promise<Record<string, ZoneCursor>> {
  const used: Record<string, ZoneCursor> = {}
  for (const type of Object.values(PLATFORM_TYPES)) {
    if (await repo.isAny(repo.installs(appId, type))) used[type] = START
  }
  return used
}

async function readPage(
  repo: AudienceRepository,
  appId: number,
  type: number,
  ranges: readonly HourRange[],
  from: ZoneCursor,
  limit: number,
): Promise<{ found: AtHour[]; next: ZoneCursor | null }> {
  const installs = repo.installs(appId, type)
  const found: AtHour[] = []
  let [index, hour, row] = from
  /** Number of ranges that were read from their beginning, and of the installs in them. */
  let whole = 0
  let inWhole = 0
  for (let examined = 0; examined < MAX_RANGES && index < ranges.length; ) {
    const wanted = limit - found.length
    const isWhole = hour === -1 && row === 0
    const count = isWhole && repo.readsTogether ? worthTogether(whole, inWhole, wanted) : 1
    const together = untilUnnamed(ranges, index, Math.min(count, MAX_RANGES - examined))
    const rows =
      together.length > 1
        ? (await repo.firstAtHours(installs, together, wanted)).slice(0, wanted)
        : (await repo.nextAtHours(installs, ranges[index]!, { hour, id: row }, wanted)).map((one) => ({
            ...one,
            range: 0,
          }))
    found.push(...rows)
    const last = rows.at(-1)
    if (last && rows.length === wanted) return { found, next: [index + last.range, last.hour, last.id] }
    const passed = Math.max(together.length, 1)
    if (isWhole) {
      whole += passed
      inWhole += rows.length
    }
    examined += passed
    index += passed
    hour = -1
    row = 0
  }
  return { found, next: index < ranges.length ? [index, hour, row] : null }
}

/**
 * How many ranges one statement should read: as many as probably hold `wanted` installs, judged by the ranges read so
 * far. Not more than were read so far, because the statement reads up to `wanted` installs of each range, most of which
 * may not be needed.
 */
function worthTogether(known: number, found: number, wanted: number): number {
  return Math.min(known, Math.ceil((wanted * known) / Math.max(found, 1)))
}

/** The next `count` ranges, up to one without a zone, which needs another comparison. */
function untilUnnamed(ranges: readonly HourRange[], index: number, count: number): NamedRange[] {
  const named: NamedRange[] = []
  for (const { zone, ...hours } of ranges.slice(index, index + count)) {
    if (zone === null) break
    named.push({ zone, ...hours })
  }
  return named
}

/** Reads every install that changed its zone or preferred hour, in the order of the changes. */
export async function changedStep(
  repo: AudienceRepository,
  appId: number,
  within: Within,
  cursor: Cursor,
  limit: number,
): Promise<Result> {
  const [at, row] = cursor.changed ?? [within.changedSince, Number.MAX_SAFE_INTEGER]
  const read = await repo.nextChanged(appId, [at, row], limit)
  const moved = read.filter(({ zone_changed_at: changedAt, created_at: createdAt }) =>
    hasMoved({ changedAt, createdAt }, within.changedSince),
  )
  const steps = [...Map.groupBy(moved, (install) => install.platform)].map(([type, found]) =>
    stepOf(type, found, within),
  )
  const last = read.at(-1)
  return {
    steps,
    cursor: { changed: last ? [last.zone_changed_at, last.id] : [at, row] },
    done: read.length < limit,
  }
}

/** Every time zone that has a subscribed install of the app. */
export async function zonesInUse(repo: AudienceRepository, appId: number): Promise<Set<string | null>> {
  const zones = new Set<string | null>()
  for (const platform of Object.values(PLATFORM_TYPES)) {
    for (const zone of await repo.zones(repo.installs(appId, platform))) zones.add(zone)
  }
  return zones
}

function stepOf(type: number, found: readonly Pick<AtHour, 'id' | 'zone_changed_at'>[], within: Within): Step {
  const moved = found.filter((install) => hasChanged(install, within)).map(({ id }) => id)
  // An install that changes its zone during the step can be read twice.
  return { platform: platformOf(type), rows: ascending(found.map(({ id }) => id)), moved: ascending(moved) }
}
