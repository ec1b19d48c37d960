import type { Sql } from '../db/connect.ts'
import { databaseNow, isPostgres, skipLocked, unindexed } from '../db/dialect.ts'
import { type Prepared, prepared, preparedPlan } from '../db/prepared.ts'
import type { Claim, Queue } from './queue.ts'

/** The tables with the units and their lanes. A lane is held until `lanes.held_until`. */
export interface QueueTables {
  units: string
  lanes: string
  /** The column of a unit with its weight. */
  weight: string
  /** Units that weigh at most this much do not wait for those that weigh more. An index finds them. */
  light: number
  /** Further columns of a unit that is completed or buried. */
  ended(): Record<string, number>
}

/**
 * A claim raises the fence by one, a failure by this much. The fence only ever grows, and still tells how many failures there were: a
 * unit that was returned without a failure (rate limits do that twice a second) is not counted as failed.
 */
const FAILURE = 1_000_000

const toClaim = (row: Omit<Claim, 'failures'>): Claim => ({ ...row, failures: Math.floor(row.fence / FAILURE) })

type Claiming = { owner: string; leaseMs: number; lane: number; now: number }
type Returning = Pick<Claim, 'id' | 'owner' | 'fence'> & { nextFence: number }
type Claimed = { id: number; fence: number; not_before: number }

type Statements = {
  dueLanes: Prepared<{ now: number; limit: number }, { id: number }>
  nextDue: Prepared<Record<string, never>, { due: number | string | null }>
  claimOne: Prepared<Claiming, Claimed>
  claimSome: Prepared<Claiming & { units: number; weight: number }, Claimed>
  complete: Prepared<Record<string, string | number>>
  /** To its place in the queue, or due at another time. */
  retry: Prepared<Returning>
  retryAt: Prepared<Returning & { notBefore: number }>
}

/** The statements of each claim, by table and database. */
const known = new Map<string, Statements>()

function statementsFor(sql: Sql, { units, lanes, weight, light, ended }: QueueTables): Statements {
  const key = `${units} ${isPostgres(sql)}`
  let statements = known.get(key)
  if (!statements) {
    const columns = Object.keys(ended()).map((column) => `, ${column} = :${column}`)
    const waiting = (columns: string, limit: string, which = '') =>
      `SELECT ${columns} FROM ${units} WHERE lane_id = :lane AND state = 'queued' AND not_before <= :now ${which}
       ORDER BY not_before, id LIMIT ${limit}`
    const due = (columns: string, limit: string, which?: string) =>
      `${waiting(columns, limit, which)} ${skipLocked(sql)}`
    const weighed = (columns: string, of: string, share: string) =>
      `SELECT ${columns} FROM (SELECT id, SUM(weight) OVER (ORDER BY not_before, id) - weight AS ahead
         FROM (${of}) AS due) AS weighed
       WHERE ahead < ${share}`
    const weights = `id, not_before, ${weight} AS weight`
    const some = (share: string, which?: string) => {
      // PostgreSQL would write a lock into each row that it looks at, also of those that are too many. So they are counted first.
      const most = isPostgres(sql) ? `(${weighed('COUNT(*)', waiting(weights, ':units', which), share)})` : ':units'
      return weighed('id', due(weights, most, which), share)
    }
    const claim = (which: string) =>
      `UPDATE ${units} SET state = 'claimed', owner = :owner, fence = fence + 1,
         lease_until = ${databaseNow(sql)} + :leaseMs
       WHERE ${which} RETURNING id, fence, not_before`
    // The state is a literal: SQLite looks at a bound one each time, because of partial indexes.
    const released = (change: string) =>
      `UPDATE ${units} SET ${change}, owner = NULL, lease_until = NULL
       WHERE id = :id AND fence = :fence AND owner = :owner AND state = 'claimed'`
    statements = {
      dueLanes: preparedPlan(
        `SELECT id FROM ${lanes} WHERE held_until <= :now AND EXISTS (SELECT 1 FROM ${units} AS unit
           WHERE unit.lane_id = ${lanes}.id AND unit.state = 'queued' AND unit.not_before <= :now)
         ORDER BY id LIMIT :limit`,
      ),
      nextDue: prepared(
        `SELECT MIN(CASE WHEN lane.held_until > unit.not_before THEN lane.held_until ELSE unit.not_before END) AS due
         FROM ${units} AS unit JOIN ${lanes} AS lane ON lane.id = unit.lane_id WHERE unit.state = 'queued'`,
      ),
      claimOne: preparedPlan(claim(`id = (${due('id', '1')})`)),
      // Of what is due, half are the oldest.
      claimSome: preparedPlan(
        claim(`id IN (${some(':weight', `AND ${weight} <= ${light}`)} UNION ${some(':weight / 2.0')})`),
      ),
      complete: preparedPlan(released(`state = 'done'${columns.join('')}`)),
      retry: preparedPlan(released(`state = 'queued', fence = :nextFence`)),
      retryAt: preparedPlan(released(`state = 'queued', fence = :nextFence, not_before = :notBefore`)),
    }
    known.set(key, statements)
  }
  return statements
}

/**
 * A queue on the table of the units itself, with the columns `lane_id`, `state` (`queued`, `claimed`, `done`, `buried`), `not_before`,
 * `owner`, `fence` and `lease_until`. Leases use the clock of the database, which all nodes share. When `sql` is a transaction, the
 * changes are part of it.
 */
export function databaseQueue(sql: Sql, tables: QueueTables, publish: () => void = () => {}): Queue {
  const { units, ended } = tables
  const statements = statementsFor(sql, tables)
  const held = (claim: Claim) =>
    sql(units).where({ id: claim.id, owner: claim.owner, fence: claim.fence, state: 'claimed' })
  const release = { owner: null, lease_until: null }

  return {
    publish,

    dueLanes: async (now, limit) => (await statements.dueLanes.all(sql, { now, limit })).map(({ id }) => id),

    async nextDue(now) {
      const due = (await statements.nextDue.first(sql, {}))?.due
      return due === null || due === undefined ? undefined : Math.max(now, Number(due))
    },

    async claim(lane, owner, now, leaseMs) {
      const row = await statements.claimOne.first(sql, { owner, leaseMs, lane, now })
      return row && toClaim({ id: row.id, owner, fence: row.fence })
    },

    async claimSome(lane, owner, now, leaseMs, { units, weight }) {
      const rows = await statements.claimSome.all(sql, { owner, leaseMs, lane, now, units, weight })
      rows.sort((a, b) => a.not_before - b.not_before || a.id - b.id)
      return rows.map(({ id, fence }) => toClaim({ id, owner, fence }))
    },

    async extend(owner, leaseMs, ids) {
      await sql(units)
        .where({ owner, state: 'claimed' })
        .whereIn('id', ids)
        .update({ lease_until: sql.raw(`${databaseNow(sql)} + ?`, [leaseMs]) })
    },

    complete: async ({ id, fence, owner }) =>
      (await statements.complete.run(sql, { id, fence, owner, ...ended() })) > 0,

    async retry({ id, owner, fence }, notBefore, failed = false) {
      const values = { id, owner, fence, nextFence: fence + (failed ? FAILURE : 0) }
      if (notBefore === undefined) return (await statements.retry.run(sql, values)) > 0
      return (await statements.retryAt.run(sql, { ...values, notBefore })) > 0
    },

    bury: async (claim) => (await held(claim).update({ state: 'buried', ...release, ...ended() })) > 0,

    async orphans(limit, owner) {
      // The literal condition of the partial index, which holds only claimed units. Ordered by an expression, because SQLite would
      // otherwise scan the whole table in the order of its ids.
      const rows = await sql(units)
        .whereRaw("state = 'claimed'")
        .modify((q) => {
          if (owner === undefined) q.whereRaw(`lease_until < ${databaseNow(sql)}`)
          else if ('name' in owner) q.where({ owner: owner.name })
        })
        .orderByRaw(unindexed('id'))
        .limit(limit)
        .select('id', 'owner', 'fence')
      return (rows as Omit<Claim, 'failures'>[]).map(toClaim)
    },
  }
}
