import type { Sql } from '../../platform/db/connect.ts'
import { databaseNow } from '../../platform/db/dialect.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { integer, table, text } from '../../platform/db/table.ts'

const FOLLOWERS = table('followers', {
  name: text('name'),
  appId: integer('app_id').orNull,
  cursor: text('cursor'),
  owner: text('owner').orNull,
  fence: integer('fence'),
  leaseUntil: integer('lease_until'),
  missedAt: integer('missed_at').orNull,
})

/** The stored place of a follower in the log. */
export type StoredFollower = ReturnType<typeof FOLLOWERS.fromRow>

/** A follower that this worker may run: nobody else moves its cursor while the fence is this one. */
export type Hold = { name: string; owner: string; fence: number }

const MOVE = prepared<Hold & { cursor: string }>(
  'UPDATE followers SET cursor = :cursor WHERE name = :name AND owner = :owner AND fence = :fence',
)
const FIND = prepared<{ name: string }, Parameters<typeof FOLLOWERS.fromRow>[0]>(
  `SELECT ${FOLLOWERS.names.join(', ')} FROM followers WHERE name = :name`,
)

export type FollowersRepository = ReturnType<typeof followersRepository>

/** The cursors of followers, and the worker that runs each. Tables: docs/reference/schema.md#followers. */
export function followersRepository(sql: Sql) {
  const followers = () => FOLLOWERS.in(sql)
  const ofHold = ({ name, owner, fence }: Hold) => followers().where({ name, owner, fence })

  return {
    async list(): Promise<StoredFollower[]> {
      return (await followers().orderBy('name')).map(FOLLOWERS.fromRow)
    },

    async find(follower: string): Promise<StoredFollower | undefined> {
      const row = await FIND.first(sql, { name: follower })
      return row && FOLLOWERS.fromRow(row)
    },

    /** Adds a follower, unless there is one with this name. */
    async add({ name, appId, cursor }: { name: string; appId: number | null; cursor: string }): Promise<void> {
      await followers().insert({ name, app_id: appId, cursor, fence: 0, lease_until: 0 }).onConflict('name').ignore()
    },

    /**
     * Takes a follower for `leaseMs`, or keeps it for so long from now on. Undefined while another worker has it, and
     * when there is no such follower. The fence goes up when the owner changes.
     */
    async claim(follower: string, owner: string, leaseMs: number): Promise<(Hold & { cursor: string }) | undefined> {
      const now = databaseNow(sql)
      const changed = await followers()
        .where({ name: follower })
        .whereRaw(`(owner = ? OR lease_until < ${now})`, [owner])
        .update({
          owner,
          fence: sql.raw('CASE WHEN owner = ? THEN fence ELSE fence + 1 END', [owner]),
          lease_until: sql.raw(`${now} + ?`, [leaseMs]),
        } as never)
        .returning(['fence', 'cursor'])
      const [row] = changed
      return row && { name: follower, owner, ...row }
    },

    /**
     * Takes a follower away from whoever runs it: until the commit nobody stores how far it looked, and then it goes on from its stored
     * cursor.
     */
    async recall(follower: string): Promise<void> {
      const fence = sql.raw('fence + 1')
      await followers()
        .where({ name: follower })
        .update({ owner: null, fence, lease_until: 0 } as never)
    },

    /** Ends the lease, so that another worker need not wait for it. */
    async release(hold: Hold): Promise<void> {
      await ofHold(hold).update({ lease_until: 0 })
    },

    /** Moves the cursor. False when another worker has taken the follower over, or it is gone: then nothing may be stored. */
    async move(hold: Hold, cursor: string): Promise<boolean> {
      const { name, owner, fence } = hold
      return (await MOVE.run(sql, { name, owner, fence, cursor })) === 1
    },

    /** Stores that some events were forgotten before the follower had read them. */
    async noteMissed(hold: Hold, at: number): Promise<void> {
      await ofHold(hold).update({ missed_at: at })
    },

    /** Deletes a follower. A worker that is running it stores nothing any more. */
    async remove(follower: string): Promise<void> {
      await followers().where({ name: follower }).delete()
    },
  }
}
