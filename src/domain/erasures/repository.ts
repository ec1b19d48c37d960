import type { Sql } from '../../platform/db/connect.ts'
import { deleteSome, deleteSomeById } from '../../platform/db/delete-some.ts'
import { isPostgres, unindexed, whereAmong } from '../../platform/db/dialect.ts'
import { type Key, type Personal, rowsWith } from './personal.ts'
import { ERASURES, type Erasure, type ErasureKind, type ErasureState, type Subject } from './types.ts'

export type ErasuresRepository = ReturnType<typeof erasuresRepository>

/**
 * The erasure list, and the rows of the persons on it.
 * Tables: docs/reference/schema.md#users, #installs, #erasures, #erased_devices, #install_users. /.
 */
export function erasuresRepository(sql: Sql) {
  const erasures = () => ERASURES.in(sql)

  async function subjectOf(
    appId: number,
    kind: ErasureKind,
    name: string,
    { most, locked }: { most: number; locked: boolean },
  ): Promise<Subject> {
    const ofUser = sql('users').where({ app_id: appId, identifier: name }).select('id')
    const rows: { id: number; install_id: string; user_id: number; token: string | null }[] = await sql('installs')
      .whereRaw(`${unindexed('installs.app_id')} = ?`, [appId])
      .modify((query) => {
        if (kind === 'user') void query.where('user_id', ofUser)
        else void query.where('id', sql('installs').where({ app_id: appId, install_id: name }).select('id'))
        if (locked && isPostgres(sql)) void query.forUpdate()
      })
      .orderBy('id')
      .limit(most)
      .select('id', 'install_id', 'user_id', 'token')
    const installs = rows.map((row) => ({
      row: row.id,
      installId: row.install_id,
      userId: row.user_id,
      token: row.token,
    }))
    const installIds = installs.map(({ installId }) => installId)
    // Their anonymous users, unless these are the users of other installs by now.
    const anonymous: { id: number; identifier: string }[] = await whereAmong(
      sql('users').where({ app_id: appId, anonymous: true }),
      sql,
      'identifier',
      kind === 'install' ? [...installIds, name] : installIds,
    ).select('id', 'identifier')
    const [person]: (number | undefined)[] = kind === 'user' ? await ofUser.clone().pluck('id') : []
    const alone: number[] = []
    for (const { id } of anonymous) {
      const others = await sql('installs')
        .whereRaw(`${unindexed('installs.app_id')} = ?`, [appId])
        .where({ user_id: id })
        .whereNotIn(
          'id',
          installs.map(({ row }) => row),
        )
        .first('id')
      if (!others && id !== person) alone.push(id)
    }
    return { appId, names: [...new Set([name, ...installIds])], installs, person, anonymous: alone }
  }

  return {
    /** Adds it to the list unless an erasure with this id is there. */
    async insert(erasure: Erasure): Promise<void> {
      await sql('erasures').insert(ERASURES.toRow(erasure)).onConflict('id').ignore()
    },

    async find(appId: number, id: string): Promise<Erasure | undefined> {
      const row = await erasures().where({ app_id: appId, id }).first()
      return row && ERASURES.fromRow(row)
    },

    /** An erasure with this digest that is not done. */
    async openOf(appId: number, digest: string): Promise<Erasure | undefined> {
      const row = await erasures().where({ app_id: appId, digest }).whereNull('done_at').first()
      return row && ERASURES.fromRow(row)
    },

    /** Erasures of all apps that are in one of these states, oldest first, behind `after`, at most `limit`. */
    async open(limit: number, states: readonly ErasureState[], after?: Erasure): Promise<Erasure[]> {
      const rows = await erasures()
        .whereRaw('done_at IS NULL')
        .whereIn('state', states as ErasureState[])
        .modify((query) => {
          if (after) void query.whereRaw('(requested_at, id) > (?, ?)', [after.requestedAt, after.id])
        })
        .orderBy(['requested_at', 'id'])
        .limit(limit)
      return rows.map(ERASURES.fromRow)
    },

    /** Ids among `ids` that are on the list. */
    async among(appId: number, ids: readonly string[]): Promise<string[]> {
      return whereAmong(sql('erasures').where({ app_id: appId }), sql, 'id', ids).pluck('id')
    },

    /** Tells whether anybody of an app was ever erased. */
    async hasAny(appId: number): Promise<boolean> {
      return (await sql('erasures').where({ app_id: appId }).first('app_id')) !== undefined
    },

    /** Digests among `digests` that are on the list, each as `kind digest`. */
    async listed(appId: number, digests: readonly string[]): Promise<string[]> {
      const rows: { kind: ErasureKind; digest: string }[] = await whereAmong(
        sql('erasures').where({ app_id: appId }),
        sql,
        'digest',
        digests,
      ).select('kind', 'digest')
      return rows.map(({ kind, digest }) => `${kind} ${digest}`)
    },

    /** Remembers devices of an erased person. */
    async addDevices(appId: number, digests: readonly string[]): Promise<void> {
      const rows = [...new Set(digests)].map((digest) => ({ app_id: appId, digest }))
      if (rows.length > 0) await sql('erased_devices').insert(rows).onConflict(['app_id', 'digest']).ignore()
    },

    /** Digests among `digests` that belong to devices of erased persons. */
    async devicesAmong(appId: number, digests: readonly string[]): Promise<string[]> {
      return whereAmong(sql('erased_devices').where({ app_id: appId }), sql, 'digest', digests).pluck('digest')
    },

    /** Locks the erasure until the commit. Undefined when another process has locked it. */
    async lock(appId: number, id: string): Promise<Erasure | undefined> {
      const row = await erasures()
        .where({ app_id: appId, id })
        .modify((query) => {
          if (isPostgres(sql)) void query.forUpdate().skipLocked()
        })
        .first()
      return row && ERASURES.fromRow(row)
    },

    async save(
      { appId, id }: Pick<Erasure, 'appId' | 'id'>,
      change: Partial<Pick<Erasure, 'state' | 'found' | 'names' | 'doneAt'>>,
    ): Promise<void> {
      await erasures().where({ app_id: appId, id }).update(ERASURES.toRow(change))
    },

    /**
     * The person or install with this name, with at most `most` installs, and locks them until the commit: first the
     * installs in the order of their rows, as uploads do.
     */
    subject: (appId: number, kind: ErasureKind, name: string, most: number): Promise<Subject> =>
      subjectOf(appId, kind, name, { most, locked: true }),

    /** A person or install as `subject`, without locks. */
    look: (appId: number, kind: ErasureKind, name: string, most: number): Promise<Subject> =>
      subjectOf(appId, kind, name, { most, locked: false }),

    /** Installs that named this user once, or were theirs while they were anonymous, and are not among `rows`. */
    async formerInstalls(appId: number, name: string, rows: readonly number[], limit: number): Promise<number[]> {
      const own = await sql('installs').where({ app_id: appId, install_id: name }).whereNotIn('id', rows).pluck('id')
      const named = await sql('install_users')
        .where({ app_id: appId, identifier: name })
        .whereNotIn('install_row', rows)
        .orderBy('install_row')
        .limit(limit)
        .pluck('install_row')
      return [...own, ...named]
    },

    /** Deletes at most `limit` rows of one kind with this key; returns how many. */
    async deleteRows(appId: number, one: Personal, key: Key, limit: number, name?: string): Promise<number> {
      const some = rowsWith(sql, appId, one, key, name)
        .orderBy(one.sorted ? one.along[0]! : one.column)
        .limit(limit)
      if (one.table === 'events') return deleteSomeById(sql, one.table, some)
      if (!one.clustered || isPostgres(sql)) return deleteSome(sql, one.table, some)
      return rowsWith(sql, appId, one, key, name).whereIn(one.along[0]!, some.select(one.along[0]!)).delete()
    },

    /** Rows of one kind with this key, at most `limit`, behind the row whose `along` is `after`. */
    async readRows(
      appId: number,
      one: Personal,
      key: Key,
      { name, after, limit }: { name?: string | undefined; after: readonly Key[] | undefined; limit: number },
    ): Promise<Record<string, unknown>[]> {
      const { along, sorted } = one
      // The plus keeps the planners from walking another index in this order.
      const order = sorted || one.table === 'install_users' ? along : along.map((column) => `+${one.table}.${column}`)
      return rowsWith(sql, appId, one, key, name)
        .modify((query) => {
          if (after) void query.whereRaw(`(${order.join(', ')}) > (${order.map(() => '?').join(', ')})`, [...after])
        })
        .orderByRaw(order.join(', '))
        .limit(limit)
        .select(`${one.table}.*`)
    },

    /** Rows that belong to others, such as the people of check-ins. */
    belonging(owners: readonly number[], of: { table: string; column: string }): Promise<Record<string, unknown>[]> {
      return sql(of.table).whereIn(of.column, owners).orderBy([of.column, 'id'])
    },

    /** Names that persons of an app have, behind the row `after`, for an erasure of which only the digest is known. */
    async known(
      appId: number,
      kind: ErasureKind,
      after: number,
      limit: number,
    ): Promise<{ id: number; name: string; createdAt: number }[]> {
      const [from, column] = kind === 'user' ? ['users', 'identifier'] : ['installs', 'install_id']
      return sql(from)
        .whereRaw(`${unindexed('app_id')} = ?`, [appId])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select('id', `${column} as name`, 'created_at as createdAt')
    },
  }
}
