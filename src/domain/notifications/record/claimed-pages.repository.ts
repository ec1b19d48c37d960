import type { Sql } from '../../../platform/db/connect.ts'
import { among, isPostgres, type List, listOf } from '../../../platform/db/dialect.ts'
import { preparedPlan } from '../../../platform/db/prepared.ts'
import type { Claim } from '../../../platform/queue/queue.ts'
import { type Page, type ReadPage, sums, toPage } from './page-rows.ts'

/** The outcomes of a claimed page as they were and as they are to be. */
export interface OutcomesWrite {
  claim: Pick<Claim, 'id' | 'fence' | 'owner'>
  before: Buffer
  outcomes: Buffer
  /** Ends the claim: nobody of the page is left. Absent means false. */
  closed?: boolean
}

type ClaimKey = OutcomesWrite['claim']
type Written = ClaimKey & ReturnType<typeof sums> & { before: Buffer; outcomes: Buffer; now: number }

// The state is a literal: SQLite looks at a bound one each time, because of partial indexes.
const OF_CLAIM = "id = :id AND fence = :fence AND owner = :owner AND state = 'claimed'"
const COLUMNS =
  'id, app_id, notification_id, lane_id, expires_at, attempt, resends, after_crash, by_user, recipients, outcomes, fence'
type ClaimedRow = ReadPage & { fence: number }

const PAGES = preparedPlan<{ ids: List; owner: string }, ClaimedRow>(
  (kind) =>
    `SELECT ${COLUMNS} FROM pages WHERE ${among(kind, 'id', 'ids')} AND owner = :owner AND state = 'claimed' ORDER BY id`,
)

const write = (also: string) =>
  preparedPlan<Written>(
    `UPDATE pages SET outcomes = :outcomes, accepted = :accepted, failed = :failed, expired = :expired,
       cancelled = :cancelled, skipped = :skipped, unknown = :unknown, moved = :moved, reasons = :reasons,
       updated_at = :now${also}
     WHERE ${OF_CLAIM} AND outcomes = :before`,
  )
const WRITE = { open: write(''), closed: write(", state = 'done', owner = NULL, lease_until = NULL") }

/** The lists of `WRITE_TOGETHER` and the types of their values. Outcomes are text, as PostgreSQL reads bytes. */
const GIVEN = {
  id: 'bigint',
  fence: 'bigint',
  before: 'bytea',
  outcomes: 'bytea',
  closed: 'boolean',
  reasons: 'text',
  accepted: 'bigint',
  failed: 'bigint',
  expired: 'bigint',
  cancelled: 'bigint',
  skipped: 'bigint',
  unknown: 'bigint',
  moved: 'bigint',
} as const
type Given = Record<keyof typeof GIVEN, List>
const LISTS = Object.keys(GIVEN) as (keyof Given)[]
/** Lists of them that `sums` makes. */
const SUMS = ['reasons', 'accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const

/**
 * `WRITE` for pages of one owner, for PostgreSQL. They are changed in the order of their ids, in which they are given: as lists, because
 * each value of a JSON line costs PostgreSQL a look at the whole line. The planner expects one row, as of a `preparedLookUp`.
 */
const WRITE_TOGETHER = preparedPlan<Given & { owner: string; now: number }, { id: number }>(
  `WITH given AS MATERIALIZED (
     SELECT * FROM unnest(${LISTS.map((name) => `CAST(:${name} AS ${GIVEN[name]}[])`).join(', ')}) AS list (${LISTS.join(', ')})
     WHERE sign(id) = 1)
   UPDATE pages AS page SET outcomes = given.outcomes, updated_at = :now,
     ${SUMS.map((column) => `${column} = given.${column}`).join(', ')},
     state = CASE WHEN given.closed THEN 'done' ELSE page.state END,
     owner = CASE WHEN given.closed THEN NULL ELSE page.owner END,
     lease_until = CASE WHEN given.closed THEN NULL ELSE page.lease_until END
   FROM given
   WHERE page.id = given.id AND page.fence = given.fence AND page.owner = :owner AND page.state = 'claimed'
     AND page.outcomes = given.before
   RETURNING page.id`,
)

/** The lists `SUMS` of pages with these sums. */
function countedOf(all: readonly ReturnType<typeof sums>[]): Pick<Given, (typeof SUMS)[number]> {
  const lists: Partial<Given> = {}
  for (const column of SUMS) lists[column] = all.map((one) => one[column]) as List
  return lists as Given
}

/** Bytes as the text of a value of PostgreSQL. */
const bytesOf = (bytes: Buffer) => `\\x${bytes.toString('hex')}`

/** Pages that a worker has claimed. A claim that is lost finds nothing and changes nothing. Tables: docs/reference/schema.md#pages. */
export function claimedPagesRepository(sql: Sql) {
  /** `writeOne` for many pages of one owner on PostgreSQL, in one round trip. */
  async function writeTogether(writes: readonly OutcomesWrite[], now: number): Promise<Set<number>> {
    const sorted = writes.toSorted((a, b) => a.claim.id - b.claim.id)
    const given = {
      id: sorted.map(({ claim }) => claim.id),
      fence: sorted.map(({ claim }) => claim.fence),
      before: sorted.map(({ before }) => bytesOf(before)),
      outcomes: sorted.map(({ outcomes }) => bytesOf(outcomes)),
      closed: sorted.map(({ closed = false }) => String(closed)),
      ...countedOf(sorted.map(({ outcomes }) => sums(outcomes))),
    }
    const { owner } = writes[0]!.claim
    const rows = await WRITE_TOGETHER.all(sql, { ...given, owner, now })
    return new Set(rows.map(({ id }) => id))
  }

  async function writeOne({ claim, before, outcomes, closed }: OutcomesWrite, now: number): Promise<boolean> {
    const { id, fence, owner } = claim
    const values = { id, fence, owner, before, outcomes, ...sums(outcomes), now }
    return (await WRITE[closed ? 'closed' : 'open'].run(sql, values)) > 0
  }

  async function claimedPages(claims: readonly Claim[]): Promise<Map<number, Page>> {
    const fences = new Map(claims.map(({ id, fence }) => [id, fence]))
    const rows = await PAGES.all(sql, { ids: listOf(sql, [...fences.keys()]), owner: claims[0]!.owner })
    return new Map(rows.filter(({ id, fence }) => fences.get(id) === fence).map((row) => [row.id, toPage(row)]))
  }

  return {
    /** The pages of claims (at least one) of one owner, by id; lost ones are missing. */
    claimedPages,

    /** The page of a claim; undefined when the claim is lost. */
    async claimedPage(claim: Claim): Promise<Page | undefined> {
      return (await claimedPages([claim])).get(claim.id)
    },

    /**
     * Writes the outcomes of a claimed page if those on disk are still `before`. Returns false, and changes nothing,
     * when the claim is lost or a late response was merged into the page meanwhile.
     */
    writeOutcomes: (claim: ClaimKey, before: Buffer, outcomes: Buffer, now: number): Promise<boolean> =>
      writeOne({ claim, before, outcomes }, now),

    /** `writeOutcomes` for pages of one owner; returns the ids of those that were written. */
    async writeAllOutcomes(writes: readonly OutcomesWrite[], now: number): Promise<Set<number>> {
      if (isPostgres(sql) && writes.length > 1) return writeTogether(writes, now)
      const written = new Set<number>()
      for (const one of writes) if (await writeOne(one, now)) written.add(one.claim.id)
      return written
    },
  }
}
