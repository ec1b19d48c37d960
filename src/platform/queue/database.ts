import type { Sql } from '../db/connect.ts'
import { databaseNow, rowsOf, skipLocked } from '../db/dialect.ts'
import type { Claim, Queue } from './queue.ts'

/** Which tables hold the units and their lanes; `lanes.held_until` keeps a lane closed. */
export interface QueueTables {
  units: string
  lanes: string
}

/**
 * A failure raises the fence by so much, a claim by one: it still only grows, and what it has grown by tells the two apart. A
 * unit that is given back in peace (rate limits do that twice a second) is not suspected for it.
 */
const FAILURE = 1_000_000

const toClaim = (row: Omit<Claim, 'failures'>): Claim => ({ ...row, failures: Math.floor(row.fence / FAILURE) })

/**
 * The queue on the unit table itself: columns `lane_id`, `state` (`queued` · `claimed` · `done` · `buried`), `not_before`,
 * `owner`, `fence`, `lease_until`. Leases are measured with the database's clock, which all nodes share.
 * On the handle of a transaction its changes belong to that transaction.
 */
export function databaseQueue(sql: Sql, { units, lanes }: QueueTables, publish: () => void = () => {}): Queue {
  const held = (claim: Claim) =>
    sql(units).where({ id: claim.id, owner: claim.owner, fence: claim.fence, state: 'claimed' })
  const release = { owner: null, lease_until: null }

  return {
    publish,

    async dueLanes(now, limit) {
      const rows = await sql(`${lanes} as l`)
        .where('l.held_until', '<=', now)
        .whereExists(
          sql(`${units} as u`)
            .select(sql.raw('1'))
            .whereRaw('u.lane_id = l.id')
            .where('u.state', 'queued')
            .where('u.not_before', '<=', now),
        )
        .orderBy('l.id')
        .limit(limit)
        .select('l.id')
      return rows.map((row: { id: number }) => row.id)
    },

    async nextDue(now) {
      const row = await sql(`${units} as u`)
        .join(`${lanes} as l`, 'l.id', 'u.lane_id')
        .where('u.state', 'queued')
        .min({ due: sql.raw('CASE WHEN l.held_until > u.not_before THEN l.held_until ELSE u.not_before END') })
        .first()
      return row?.due === null || row?.due === undefined ? undefined : Math.max(now, Number(row.due))
    },

    async claim(lane, owner, now, leaseMs) {
      const result = await sql.raw(
        `UPDATE ${units} SET state = 'claimed', owner = ?, fence = fence + 1, lease_until = ${databaseNow(sql)} + ?
         WHERE id = (SELECT id FROM ${units} WHERE lane_id = ? AND state = 'queued' AND not_before <= ?
                     ORDER BY not_before, id LIMIT 1 ${skipLocked(sql)})
         RETURNING id, fence`,
        [owner, leaseMs, lane, now],
      )
      const row = rowsOf<{ id: number; fence: number }>(result)[0]
      return row && toClaim({ id: row.id, owner, fence: row.fence })
    },

    async extend(owner, leaseMs, ids) {
      await sql(units)
        .where({ owner, state: 'claimed' })
        .whereIn('id', ids)
        .update({ lease_until: sql.raw(`${databaseNow(sql)} + ?`, [leaseMs]) })
    },

    complete: async (claim) => (await held(claim).update({ state: 'done', ...release })) > 0,

    async retry(claim, notBefore, failed = false) {
      const fence = claim.fence + (failed ? FAILURE : 0)
      return (await held(claim).update({ state: 'queued', not_before: notBefore, fence, ...release })) > 0
    },

    bury: async (claim) => (await held(claim).update({ state: 'buried', ...release })) > 0,

    async orphans(limit, owner) {
      // The literal of the partial index, which holds the few that are worked on; and the plus, or SQLite would rather read every
      // unit there ever was in the order of their ids.
      const rows = await sql(units)
        .whereRaw("state = 'claimed'")
        .modify((q) => {
          if (owner === undefined) q.whereRaw(`lease_until < ${databaseNow(sql)}`)
          else if ('name' in owner) q.where({ owner: owner.name })
        })
        .orderByRaw('+id')
        .limit(limit)
        .select('id', 'owner', 'fence')
      return (rows as Omit<Claim, 'failures'>[]).map(toClaim)
    },
  }
}
