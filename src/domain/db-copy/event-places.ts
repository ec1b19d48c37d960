import type { Row, Shape, Store } from '../../platform/db/copy/store.ts'
import { SpillingMap } from '../../platform/files/spilling-map.ts'
import { type Position, readCursor, writeCursor } from '../followers/position.ts'

/** Columns with positions in the event log, alone or inside JSON. */
const CURSORS: Record<string, readonly string[]> = {
  followers: ['cursor'],
  webhook_cursors: ['cursor', 'span', 'batch'],
  metrics: ['from_cursor'],
}

const ANY_CURSOR = /(?<![0-9a-z])[0-9a-z]{22}(?![0-9a-z])/g

/** The event log of PostgreSQL as SQLite has it: the rows of every table, one by one. */
export type EventPlaces = (table: string, columns: Shape['columns'], row: Row) => Row

/**
 * Translates positions in the event log. On PostgreSQL events are in the order of their transactions, on SQLite in the order of
 * their ids. Where the two differ, the events exchange their ids among themselves, and every position that the database keeps
 * becomes that of the same event: its followers and webhooks go on exactly where they were
 * (docs/decisions/0044-moving-between-databases.md).
 */
export async function eventPlaces(source: Store): Promise<EventPlaces> {
  const exchanged = await exchangedIds(source)
  const idOf = (id: string) => exchanged.get(id) ?? id

  /** Finds the position on SQLite behind the same events. */
  async function placeOf({ tx, id }: Position): Promise<number> {
    const [last] = await source.run(
      `SELECT id FROM events WHERE (tx, id) <= (${tx}, ${id}) ORDER BY tx DESC, id DESC LIMIT 1`,
    )
    if (last) return Number(idOf(String(last.id)))
    // All that are kept come later: behind what was forgotten before them.
    const [first] = await source.run('SELECT min(id) AS id FROM events')
    return first?.id ? Number(first.id) - 1 : Number.MAX_SAFE_INTEGER
  }

  const end = await endOf(source)
  const places = new Map<string, string>()
  for (const [table, columns] of Object.entries(CURSORS)) {
    for (const row of await source.run(`SELECT ${columns.join(', ')} FROM ${table}`)) {
      for (const cursor of columns.flatMap((name) => String(row[name] ?? '').match(ANY_CURSOR) ?? [])) {
        const known = readCursor(cursor)
        if (!known || places.has(cursor)) continue
        places.set(cursor, writeCursor({ tx: 0, id: Math.min(await placeOf(known), end) }))
      }
    }
  }
  const forgotten = new Map<string, string>()
  for (const { app_id, tx, event_id } of await source.run('SELECT app_id, tx, event_id FROM forgotten_events')) {
    const place = await placeOf({ tx: Number(tx), id: Number(event_id) })
    forgotten.set(String(app_id), String(Math.min(place, end)))
  }

  return (table, columns, row) => {
    const names = columns.map(({ name }) => name)
    const change = (changes: (name: string, value: string) => string): Row =>
      row.map((value, i) => (value === null ? null : changes(names[i]!, value)))
    if (table === 'events') return change((name, value) => (name === 'id' ? idOf(value) : value))
    if (table === 'forgotten_events') {
      const place = forgotten.get(row[names.indexOf('app_id')]!)!
      return change((name, value) => (name === 'tx' ? '0' : name === 'event_id' ? place : value))
    }
    const positions = CURSORS[table]
    if (!positions) return row
    return change((name, value) =>
      positions.includes(name) ? value.replaceAll(ANY_CURSOR, (cursor) => places.get(cursor) ?? cursor) : value,
    )
  }
}

/** Rows that are fetched at once. */
const FETCHED = 10_000

/** The ids of events that get another one, and these. Where apps are busy they may be most of a large log. */
async function exchangedIds(source: Store): Promise<Pick<SpillingMap, 'get'>> {
  const exchanged = new SpillingMap()
  await source.run(`DECLARE moved NO SCROLL CURSOR WITH HOLD FOR SELECT was.id AS was, becomes.id AS becomes
    FROM (SELECT id, row_number() OVER (ORDER BY tx, id) AS place FROM events) AS was
    JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM events) AS becomes USING (place)
    WHERE was.id <> becomes.id`)
  for (;;) {
    const moved = await source.run(`FETCH ${FETCHED} FROM moved`)
    if (moved.length === 0) break
    for (const { was, becomes } of moved) exchanged.set(String(was), String(becomes))
  }
  await source.run('CLOSE moved')
  return exchanged
}

/**
 * Deletes events that partitions of PostgreSQL have taken twice, but the first one: a table that is whole takes none of them
 * (docs/decisions/0129-partitions-of-events.md). In the transaction of the copy, so nothing is deleted when it fails.
 */
export async function forgetRepeats(source: Store): Promise<void> {
  const [table] = await source.run(`SELECT relkind FROM pg_class WHERE oid = to_regclass('events')`)
  if (table?.relkind !== 'p') return
  await source.run(
    `DELETE FROM events USING (
       SELECT app_id, install_row, uuid, min(id) AS id FROM events GROUP BY app_id, install_row, uuid HAVING count(*) > 1) AS first
     WHERE events.app_id = first.app_id AND events.install_row IS NOT DISTINCT FROM first.install_row
       AND events.uuid = first.uuid AND events.id > first.id`,
  )
}

/** The last id that the log has given. */
async function endOf(source: Store): Promise<number> {
  const [row] = await source.run(
    `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM events_id_seq`,
  )
  return Number(row!.last)
}
