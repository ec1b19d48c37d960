import type { Sql } from '../src/platform/db/connect.ts'
import { makeDataDirectory } from './support/audience.ts'
import { openDatabase } from './support/database.ts'
import { openExecutable, start } from './support/executable.ts'
import type { Result } from './support/result.ts'
import { callsRow, type Measured, meterOf } from './support/server-load.ts'

export interface MessagesOptions {
  /** Number of messages of the user with many. */
  messages: number
  connections: number
  /** Duration of each kind of call (ms). */
  ms: number
  executable?: string | undefined
  /** `sqlite` or `postgres`. */
  database: string
}

/** Number of messages that clients keep, and that the user of the baseline has. */
const USUAL = 100
const CONTENT = JSON.stringify({ ver: 1, frame: { type: 'alert', nodes: [{ type: 'text', text: 'x'.repeat(1000) }] } })

/** Measures the sync of in-app messages, from the start and with `after`, of a user with many. The baseline is a user with a hundred. */
export async function benchMessages(options: MessagesOptions): Promise<Result[]> {
  const { messages, connections, ms, executable, database } = options
  const program = await openExecutable(executable)
  const db = await openDatabase(database)
  const now = Date.now()
  const data = await makeDataDirectory({
    installs: 2,
    database: db.url,
    fill: (trx, appId) => giveMessages(trx, appId, [USUAL, messages], now),
  })
  try {
    const argv = ['serve', '--port', '0', '--data-dir', data.dir]
    const server = await start<{ listening: string }>(program, argv, data.environment)
    try {
      const measure = meterOf(server, { credentials: data.deviceKey, connections, ms })
      const sync = (user: string, query = '') =>
        measure(() => ({ method: 'GET', path: `/push/v1/users/${user}/messages${query}` }))
      const recent = `?after=${new Date(now - 60_000).toISOString().slice(0, 19)}Z`
      const rows: Result[] = []
      for (const [what, query] of [
        ['first sync', ''],
        ['sync with after', recent],
      ] as const) {
        const usual = await sync('few', query)
        const against = { name: `${USUAL} messages`, value: usual.rate }
        const row = (count: number, measured: Measured) =>
          callsRow(`messages ${database}: ${what}, ${count} messages`, measured, against)
        rows.push(row(USUAL, usual), row(messages, await sync('many', query)))
      }
      return rows
    } finally {
      await server.stop()
    }
  } finally {
    data.remove()
    await db.drop()
  }
}

/** Creates the users `few` and `many` with these numbers of open messages, one per minute. */
async function giveMessages(trx: Sql, appId: number, counts: readonly number[], now: number): Promise<void> {
  const users: { id: number }[] = await trx('users').where({ app_id: appId }).orderBy('id').limit(2).select('id')
  for (const [i, name] of ['few', 'many'].entries()) {
    const [count, user] = [counts[i]!, users[i]!.id]
    await trx('users').where({ id: user }).update({ identifier: name })
    const { last } = (await trx('in_app_messages').max({ last: 'id' }).first()) as { last: number | null }
    await trx.raw(
      `INSERT INTO in_app_messages (app_id, source, status, filters, target, template, template_version, tag_values, content,
         presented_when, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       SELECT ${appId}, 1, 3, '{}', '{}', 'x', 1, '{}', ?, 'immediately', ${now}, ${now} FROM n`,
      [CONTENT],
    )
    await trx.raw(
      `INSERT INTO user_messages (user_id, message_id, app_id, sent_at, updated_at)
       SELECT ${user}, id, ${appId}, ${now} - 60000 * (${(last ?? 0) + count} - id), ${now} - 60000 * (${(last ?? 0) + count} - id)
       FROM in_app_messages WHERE id > ${last ?? 0}`,
    )
  }
}
