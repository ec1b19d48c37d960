import type { Sql } from '../../../platform/db/connect.ts'
import { among, isPostgres, type List, listOf } from '../../../platform/db/dialect.ts'
import { preparedLookUp, preparedPlan } from '../../../platform/db/prepared.ts'
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

/** Columns of `given` in `WRITE_TOGETHER`, in this order. */
const COUNTED = ['accepted', 'failed', 'expired', 'cancelled', 'skipped', 'unknown', 'moved'] as const

/** `WRITE` for pages of one owner, for PostgreSQL. They are changed in the order of their ids, in which they are given. */
const WRITE_TOGETHER = preparedLookUp<{ owner: string; now: number }, { id: number }>(
  ['bigint', 'bigint', 'text', 'text', 'boolean', 'text', ...COUNTED.map(() => 'bigint' as const)],
  (lines) =>
    `WITH given (id, fence, before, outcomes, closed, reasons, ${COUNTED.join(', ')}) AS MATERIALIZED (${lines})
     UPDATE pages AS page SET outcomes = decode(given.outcomes, 'hex'), reasons = given.reasons, updated_at = :now,
       ${COUNTED.map((column) => `${column} = given.${column}`).join(', ')},
       state = CASE WHEN given.closed THEN 'done' ELSE page.state END,
       owner = CASE WHEN given.closed THEN NULL ELSE page.owner END,
       lease_until = CASE WHEN given.closed THEN NULL ELSE page.lease_until END
     FROM given
     WHERE page.id = given.id AND page.fence = given.fence AND page.owner = :owner AND page.state = 'claimed'
       AND page.outcomes = decode(given.before, 'hex')
     RETURNING page.id`,
)

/** Pages that a worker has claimed. A claim that is lost finds nothing and changes nothing. Tables: docs/reference/schema.md#pages. */
export function claimedPagesRepository(sql: Sql) {
  /** `writeOne` for many pages of one owner on PostgreSQL, in one round trip. */
  async function writeTogether(writes: readonly OutcomesWrite[], now: number): Promise<Set<number>> {
    const lines = writes
      .toSorted((a, b) => a.claim.id - b.claim.id)
      .map(({ claim: { id, fence }, before, outcomes, closed = false }) => {
        const { reasons, ...counts } = sums(outcomes)
        const counted = COUNTED.map((column) => counts[column])
        return [id, fence, before.toString('hex'), outcomes.toString('hex'), closed, reasons, ...counted]
      })
    const { owner } = writes[0]!.claim
    const rows = await WRITE_TOGETHER.all(sql, { owner, now, lines: JSON.stringify(lines) })
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
