import { setImmediate } from 'node:timers/promises'
import { failpoint } from '../../process/failpoints.ts'
import { type Digest, digestOfRows } from './digest.ts'
import { type Kind, keyOf, quoted, type Row, type Shape, type Store, type Value } from './store.ts'

/** Where an interrupted copy goes on. Both tables exist in a target only until the copy is complete. */
export const PROGRESS = 'copy_progress'
export const SOURCE = 'copy_source'

/** A table of both databases. */
export interface CopiedTable {
  from: Shape
  to: Shape
  /** Columns that only the target has, and their value. */
  constants: Row
}

export interface ComparedTable {
  name: string
  rows: number
  /** Rows of the target. */
  copied: number
  /** Of the content of the source. */
  digest: string
  equal: boolean
}

export interface CopyParts {
  source: Store
  target: Store
  tables: readonly CopiedTable[]
  /** What a row of the source becomes. */
  translate?(table: string, columns: Shape['columns'], row: Row): Row
  /** Rows that are copied or compared so far. */
  onProgress?(rows: number): void | Promise<void>
  signal?: AbortSignal | undefined
}

/** Columns that only one of the two kinds of database has, as `table.column`. */
export interface OneSided {
  /** Left out when the target has none. */
  left: readonly string[]
  /** What such a column of the target gets. */
  given: Readonly<Record<string, Value>>
}

/** Pairs the tables of two schemas. Throws when the target lacks a table or a column that is not `left` out. */
export function pairTables(
  source: readonly Shape[],
  target: readonly Shape[],
  { left, given }: OneSided,
): CopiedTable[] {
  const there = new Map(target.map((shape) => [shape.name, shape]))
  return source.map((from) => {
    const to = there.get(from.name)
    if (!to) throw new Error(`the target has no table ${from.name}`)
    const twins = new Map(to.columns.map((column) => [column.name, column]))
    const both = from.columns.flatMap((column) => {
      const twin = twins.get(column.name)
      if (twin) return [{ column, twin, kind: kindOfBoth(column.kind, twin.kind) }]
      if (left.includes(`${from.name}.${column.name}`)) return []
      throw new Error(`the target has no column ${from.name}.${column.name}`)
    })
    const more = to.columns.filter(({ name }) => !from.columns.some((column) => column.name === name))
    return {
      from: { ...from, columns: both.map(({ column, kind }) => ({ ...column, kind })) },
      to: { ...to, key: from.key, columns: [...both.map(({ twin, kind }) => ({ ...twin, kind })), ...more] },
      constants: more.map(({ name }) => given[`${from.name}.${name}`] ?? null),
    }
  })
}

/** PostgreSQL says more about a column than SQLite, which keeps booleans as numbers, and times as texts. */
function kindOfBoth(one: Kind, other: Kind): Kind {
  return SPECIAL.find((kind) => kind === one || kind === other) ?? one
}
const SPECIAL: readonly Kind[] = ['boolean', 'time', 'json']

interface Progress extends Digest {
  last: Row | undefined
  done: boolean
}

/** What an interrupted copy has copied, by table. */
async function readProgress(target: Store): Promise<Map<string, Progress>> {
  const rows = await target.run(`SELECT name, last_key, row_count, digest, done FROM ${PROGRESS}`)
  return new Map(
    rows.map(({ name, last_key, row_count, digest, done }) => [
      String(name),
      {
        last: last_key === null ? undefined : (JSON.parse(String(last_key)) as Row),
        rows: Number(row_count),
        sum: String(digest),
        done: Number(done) === 1,
      },
    ]),
  )
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

async function writeProgress(target: Store, name: string, { last, rows, sum, done }: Progress): Promise<void> {
  await target.run(`DELETE FROM ${PROGRESS} WHERE name = ${text(name)}`)
  await target.run(
    `INSERT INTO ${PROGRESS} (name, last_key, row_count, digest, done)
     VALUES (${text(name)}, ${last ? text(JSON.stringify(last)) : 'NULL'}, ${rows}, ${text(sum)}, ${done ? 1 : 0})`,
  )
}

/**
 * Whether the source still has what an interrupted copy took from it. Reads again what was copied, which takes a small part of the
 * time that copying took.
 */
export async function isUnchanged(parts: CopyParts, except: readonly string[]): Promise<boolean> {
  const progress = await readProgress(parts.target)
  for (const { from } of parts.tables) {
    if (except.includes(from.name)) continue
    const known = progress.get(from.name)
    if (!known || known.rows === 0) continue
    const digest = digestOfRows()
    let last: Row | undefined
    while (digest.value().rows < known.rows) {
      const rows = await parts.source.page(from, last)
      if (rows.length === 0) return false
      for (const row of rows.slice(0, known.rows - digest.value().rows)) {
        digest.add(translated(parts, from, row))
        last = keyOf(from, row)
      }
      await turn(parts.signal)
    }
    if (digest.value().sum !== known.sum || JSON.stringify(last) !== JSON.stringify(known.last)) return false
  }
  return true
}

const translated = ({ translate }: CopyParts, { name, columns }: Shape, row: Row): Row =>
  translate ? translate(name, columns, row) : row

/** SQLite answers at once: without this no signal would be heard. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate()
  signal?.throwIfAborted()
}

/** Copies what is not copied yet: page by page, each with its progress in one transaction. */
export async function copyTables(parts: CopyParts): Promise<void> {
  const { source, target, tables, onProgress, signal } = parts
  const progress = await readProgress(target)
  let copied = [...progress.values()].reduce((sum, { rows }) => sum + rows, 0)
  for (const { from, to, constants } of tables) {
    const known = progress.get(from.name)
    if (known?.done) continue
    const digest = digestOfRows(known)
    let last = known?.last
    for (let done = false; !done; ) {
      await turn(signal)
      const rows = await source.page(from, last)
      done = rows.length === 0
      const isFirst = last === undefined
      if (!done) last = keyOf(from, rows.at(-1)!)
      const given = rows.map((row) => translated(parts, from, row))
      for (const row of given) digest.add(row)
      await target.transaction(async () => {
        // What a migration put there.
        if (isFirst) await target.run(`DELETE FROM ${quoted(from.name)}`)
        if (!done) await target.insert(to, constants.length === 0 ? given : given.map((row) => [...row, ...constants]))
        await writeProgress(target, from.name, { ...digest.value(), last, done })
      })
      copied += rows.length
      await onProgress?.(copied)
      failpoint(done ? 'copy.table' : 'copy.page')
    }
  }
}

/** Reads every row of the target and compares it with what was read from the source. All tables must have been copied. */
export async function compareTables({ target, tables, onProgress, signal }: CopyParts): Promise<ComparedTable[]> {
  const progress = await readProgress(target)
  const compared: ComparedTable[] = []
  let seen = 0
  for (const { from, to } of tables) {
    const shape = { ...to, columns: to.columns.slice(0, from.columns.length) }
    const digest = digestOfRows()
    let last: Row | undefined
    for (;;) {
      await turn(signal)
      const rows = await target.page(shape, last)
      if (rows.length === 0) break
      for (const row of rows) digest.add(row)
      last = keyOf(shape, rows.at(-1)!)
      seen += rows.length
      await onProgress?.(seen)
    }
    const { rows, sum } = progress.get(from.name)!
    const found = digest.value()
    compared.push({
      name: from.name,
      rows,
      copied: found.rows,
      digest: sum,
      equal: rows === found.rows && sum === found.sum,
    })
  }
  return compared
}
