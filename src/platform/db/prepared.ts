import type { Sql } from './database.ts'
import { isPostgres, type JsonColumn, jsonLines } from './dialect.ts'
import type { ForMany, Manner, Translated, Value, ValueType } from './statement.ts'

/**
 * Statements that are declared once, as SQL with named values, and run often. Knex writes the text of a query anew for each call and
 * hands it through a dozen promises, which takes longer than most of our statements themselves. These are translated once for each
 * kind of database and compiled once for each connection. On SQLite they run before the call returns.
 *
 *     const RENAME = prepared<{ appId: number; id: number; name: string }>(
 *       'UPDATE channels SET name = :name WHERE app_id = :appId AND id = :id',
 *     )
 *     const changed = await RENAME.run(sql, { appId, id, name })
 */
export interface Prepared<V extends Values = Values, R = never> {
  /** Returns all rows. */
  all(sql: Sql, values: V): R[] | Promise<R[]>
  /** Returns the first row; undefined when there is none. */
  first(sql: Sql, values: V): R | undefined | Promise<R | undefined>
  /** Runs a statement that returns no rows. Returns how many rows it changed. */
  run(sql: Sql, values: V): number | Promise<number>
  /** `first` for code that cannot wait. On SQLite only. */
  firstNow(sql: Sql, values: V): R | undefined
}

type Values = Readonly<Record<string, Value>>

/** The ability of both of our Knex clients to run a translated statement. It throws what a query of Knex would throw. */
export interface PreparingClient {
  runPrepared(statement: Translated, bindings: readonly Value[], manner: Manner): unknown
  /**
   * Lets the reads that `work` starts share a transaction. Absent where a statement is a round trip: there it would only hold a
   * connection.
   */
  readTogether?(work: () => void): void
}

/**
 * Runs `work`. On SQLite, the prepared reads outside of transactions that it makes before it returns share one read transaction, which
 * saves two locks and a look at the write-ahead log for each: they see one state of the database, that of the first read. Code that
 * `work` starts and that goes on later reads as usual.
 */
export function readTogether(sql: Sql, work: () => void): void {
  const client = sql.client as PreparingClient
  if (client.readTogether) client.readTogether(work)
  else work()
}

/** The text of a statement, which must not contain a question mark: Knex would number it. As a function it writes the text for a kind of database. */
type Text = string | ((kind: 'sqlite' | 'postgres') => string)

/**
 * A statement. `takes`: the types of its values, for a SELECT that tasks of a shared transaction ask at the same time: it is then one
 * for PostgreSQL.
 */
export function prepared<V extends Values = Record<string, never>, R = never>(
  text: Text,
  takes?: Readonly<Record<keyof V & string, ValueType>>,
): Prepared<V, R> {
  const textFor = typeof text === 'string' ? () => text : text
  return statementOf(textFor, takes && (() => selectForMany(textFor('postgres'), takes)))
}

/**
 * A statement of which PostgreSQL keeps the plan for a few seconds, as of `preparedLookUp`: for one that runs often, takes longer to plan
 * than to run, and finds its rows by the same index whatever its values are. `takes` as of `prepared`.
 */
export function preparedPlan<V extends Values, R = never>(
  text: Text,
  takes?: Readonly<Record<keyof V & string, ValueType>>,
): Prepared<V, R> {
  const textFor = typeof text === 'string' ? () => text : text
  return statementOf(textFor, takes && (() => selectForMany(textFor('postgres'), takes)), { staysPlanned: true, takes })
}

/**
 * An INSERT of one row, whose values are named like the columns. `returning: 'id'` for a table that numbers its rows. Tasks of a
 * shared transaction that insert at the same time are one statement for PostgreSQL.
 */
export function preparedInsert<V extends Values, R = never>(
  table: string,
  columns: Readonly<Record<keyof V & string, ValueType>>,
  returning?: 'id',
): Prepared<V, R> {
  const { into, values, given, ...forMany } = insertOf(table, columns)
  const end = returning === undefined ? '' : ` RETURNING ${returning}`
  return statementOf(
    () => `${into} ${values}${end}`,
    () => ({
      ...forMany,
      text: `${into} SELECT ${given} FROM ${givenOf(columns)} ORDER BY given.asked${end}`,
      gives: returning === undefined ? 'nothing' : 'ids',
    }),
    { staysPlanned: true },
  )
}

/**
 * `preparedInsert` of a row that may be there already, by its `key`. It stays, and `run` returns 0, unless `replaces` (SQL over the
 * table and `excluded`) is true.
 */
export function preparedUpsert<V extends Values>(
  table: string,
  columns: Readonly<Record<keyof V & string, ValueType>>,
  { key, replaces }: { key: readonly (keyof V & string)[]; replaces: string },
): Prepared<V> {
  const { into, values, given, ...forMany } = insertOf(table, columns)
  const others = forMany.names.filter((name) => !key.includes(name))
  const set = others.map((name) => `${name} = excluded.${name}`).join(', ')
  const end = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set} WHERE ${replaces}`
  return statementOf(
    () => `${into} ${values} ${end}`,
    () => ({
      ...forMany,
      // In the order of the key, so that two transactions cannot deadlock.
      text: `WITH given AS (SELECT * FROM ${givenOf(columns)}),
        stored AS (${into} SELECT ${given} FROM given ORDER BY ${key.join(', ')} ${end} RETURNING ${key.join(', ')})
        SELECT given.asked FROM given JOIN stored USING (${key.join(', ')})`,
      gives: 'asked',
    }),
  )
}

/** An UPDATE of one row of a table: the columns `set` of the row with this `key`. `also`: a further assignment. */
export function preparedUpdate<V extends Values>(
  table: string,
  { set, key, also }: { set: Partial<Types<V>>; key: Partial<Types<V>>; also?: string },
): Prepared<V> {
  const changed = Object.keys(set)
  const found = Object.keys(key)
  const end = also === undefined ? '' : `, ${also}`
  const columns = { ...set, ...key } as Record<string, ValueType>
  return statementOf(
    () =>
      `UPDATE ${table} SET ${changed.map((name) => `${name} = :${name}`).join(', ')}${end}
       WHERE ${found.map((name) => `${name} = :${name}`).join(' AND ')}`,
    () => ({
      names: Object.keys(columns),
      types: Object.values(columns),
      reads: false,
      // In the order of the key, so that two transactions cannot deadlock.
      text: `WITH given AS (SELECT * FROM ${givenOf(columns)} ORDER BY ${found.map((name) => `"${name}"`).join(', ')})
        UPDATE ${table} SET ${changed.map((name) => `${name} = given."${name}"`).join(', ')}${end}
        FROM given WHERE ${found.map((name) => `${table}.${name} = given."${name}"`).join(' AND ')}
        RETURNING given.asked`.replace(/\s+/g, ' '),
      gives: 'asked',
    }),
  )
}

/**
 * An INSERT of many rows, given as the JSON text `lines`: a list with a list of values for each row, in the order of the columns `own`.
 * `same`: columns whose value all rows of a call have in common, which are bound once.
 */
export function preparedRows<V extends Values>(
  table: string,
  own: { readonly names: readonly string[]; readonly types: readonly JsonColumn[] },
  same: Types<V>,
): Prepared<V & { lines: string }> {
  const bound = Object.entries<ValueType>(same)
  const into = `INSERT INTO ${table} (${[...Object.keys(same), ...own.names].join(', ')})`
  const takes = { ...same, lines: 'text' } as Record<string, ValueType>
  return statementOf(
    (kind) => {
      const before = bound.map(([name, type]) => (kind === 'postgres' ? `CAST(:${name} AS ${type})` : `:${name}`))
      return `${into} ${jsonLines(kind, own.types, ':lines', { before })}`
    },
    () => ({
      names: Object.keys(takes),
      types: Object.values(takes),
      reads: false,
      text: `${into} ${jsonLines('postgres', own.types, 'given.lines', {
        before: bound.map(([name]) => `given."${name}"`),
        from: `${givenOf(takes)} CROSS JOIN `,
      })}`,
      gives: 'nothing',
    }),
  )
}

/**
 * A statement over a list of rows, given as the JSON text `lines`: a list with a list of values for each row. `text` gets the SELECT of
 * these values, which have the given types. PostgreSQL keeps its plan for a few seconds, because planning takes two to four times as long
 * as running it for a few rows. It is planned for one row, so that it looks each row up by an index: the text has to name a unique key or
 * an index for every table that it reads. Of a table that grows with every call, the text also has to ask for the order of that index: before
 * the first ANALYZE the planner may else read all rows of an app for each given row (docs/decisions/0115-what-an-upload-costs-postgresql.md).
 */
export function preparedLookUp<V extends Values, R = never>(
  types: readonly JsonColumn[],
  text: (given: string, kind: 'sqlite' | 'postgres') => string,
): Prepared<V & { lines: string }, R> {
  return statementOf((kind) => text(jsonLines(kind, types, ':lines', { isFew: true }), kind), undefined, {
    staysPlanned: true,
  })
}

type Types<V extends Values> = Readonly<Record<keyof V & string, ValueType>>

function insertOf(table: string, columns: Readonly<Record<string, ValueType>>) {
  const names = Object.keys(columns)
  return {
    into: `INSERT INTO ${table} (${names.join(', ')})`,
    values: `VALUES (${names.map((name) => `:${name}`).join(', ')})`,
    given: names.map((name) => `given."${name}"`).join(', '),
    names,
    types: Object.values(columns),
    reads: false,
  }
}

/**
 * An array whose length the planner of PostgreSQL does not see. Of a bound one it would, and for fewer values than the ten that it expects of others
 * it finds a plan that looks cheaper than the one to keep: then it plans the statement again at each run.
 */
const unseen = (place: string, type: string) => `(SELECT ${place}::${type})`

/** The values of all askers as a table `given`, with their number, from 1, in the column `asked`. */
function givenOf(takes: Readonly<Record<string, ValueType>>): string {
  const arrays = Object.values(takes).map((type, i) => {
    const array = type.endsWith('[]') ? 'text[]' : `${type}[]`
    // The planner expects as many rows as the longest array has.
    return i === 0 ? unseen('$1', array) : `$${i + 1}::${array}`
  })
  const columns = [...Object.keys(takes), 'asked'].map((name) => `"${name}"`)
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS given(${columns.join(', ')})`
}

/**
 * `OFFSET 0` keeps the statement as it is for each asker. Without it PostgreSQL may join all askers with a whole table, because it does
 * not know how many there are.
 */
function selectForMany(text: string, takes: Readonly<Record<string, ValueType>>): ForMany {
  const own = text.replace(NAMED, (whole, name: string | undefined) => {
    if (name === undefined) return whole
    const type = takes[name]!
    return type.endsWith('[]') ? `CAST(given."${name}" AS ${type})` : `given."${name}"`
  })
  const names = Object.keys(takes)
  const select = `SELECT given.asked, found.* FROM ${givenOf(takes)} CROSS JOIN LATERAL (${own} OFFSET 0) AS found`
  return { text: select.replace(/\s+/g, ' ').trim(), names, types: Object.values(takes), reads: true, gives: 'asked' }
}

function statementOf<V extends Values, R>(
  textFor: (kind: 'sqlite' | 'postgres') => string,
  forMany: (() => ForMany) | undefined,
  {
    staysPlanned = false,
    takes,
  }: { staysPlanned?: boolean; takes?: Readonly<Record<string, ValueType>> | undefined } = {},
): Prepared<V, R> {
  let forSqlite: Translated | undefined
  let forPostgres: Translated | undefined

  function run(sql: Sql, values: V, manner: Manner): unknown {
    const statement = isPostgres(sql)
      ? (forPostgres ??= {
          ...translate(textFor('postgres'), (place, name) => {
            const type = takes?.[name]
            // The cast makes it a value: PostgreSQL takes the SELECT of ANY((SELECT …)) for rows.
            return type?.endsWith('[]') ? `${unseen(`$${place}`, type)}::${type}` : `$${place}`
          }),
          ...(forMany && { forMany: forMany() }),
          ...(staysPlanned && { staysPlanned }),
        })
      : (forSqlite ??= translate(textFor('sqlite'), () => HIDDEN))
    const bindings = statement.names.map((name) => values[name] as Value)
    return (sql.client as PreparingClient).runPrepared(statement, bindings, manner)
  }

  return {
    all: (sql, values) => run(sql, values, 'all') as R[] | Promise<R[]>,
    first: (sql, values) => run(sql, values, 'get') as R | undefined | Promise<R | undefined>,
    run: (sql, values) => run(sql, values, 'run') as number | Promise<number>,
    firstNow(sql, values) {
      if (isPostgres(sql)) throw new Error('firstNow is for SQLite, which is in this process')
      return run(sql, values, 'get') as R | undefined
    },
  }
}

/**
 * A place of a value that the planner of SQLite does not look at. It looks for small integers in `LIMIT ?` and in `column = ?` where the
 * index has not that column. A statement whose bound value it has looked at is compiled anew at each run, which takes ten times as
 * long as running most of ours. The plus changes nothing about the value.
 */
const HIDDEN = '+?'

/** `:name` in SQL. A cast of PostgreSQL has two colons, and text in quotes none of ours. */
const NAMED = /'[^']*'|::|:([A-Za-z]\w*)/g

/** Writes the values of a text as the database wants them. Each use of a name is a value of its own. */
function translate(text: string, placeOf: (place: number, name: string) => string): Translated {
  const names: string[] = []
  const translated = text.replace(NAMED, (whole, name: string | undefined) => {
    if (name === undefined) return whole
    names.push(name)
    return placeOf(names.length, name)
  })
  return { text: translated.replace(/\s+/g, ' ').trim(), names }
}
