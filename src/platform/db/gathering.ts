import { isDeepStrictEqual } from 'node:util'
import type { Manner, Translated, Value, ValueType } from './statement.ts'

type Rows = Record<string, unknown>[]

/** Runs a statement on the connection of a transaction. */
type Execute = (
  text: string,
  bindings: readonly unknown[],
  staysPlanned?: true,
) => Promise<{ rows: Rows; rowCount: number }>

interface Ask {
  bindings: readonly Value[]
  manner: Manner
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * The statements of tasks that share a transaction on PostgreSQL: those that are asked at the same time with the same text are one
 * for the database. So thirty tasks that do the same take as many round trips as one.
 */
export class Gathering {
  readonly #execute: Execute
  readonly #waiting = new Map<Translated, Ask[]>()

  constructor(execute: Execute) {
    this.#execute = execute
  }

  /** Resolves with what the statement returns by itself. */
  ask(statement: Translated, bindings: readonly Value[], manner: Manner): Promise<unknown> {
    // By then every task that can go on has asked.
    if (this.#waiting.size === 0) setImmediate(() => this.#run())
    return new Promise((resolve, reject) => {
      const ask = { bindings, manner, resolve, reject }
      const others = this.#waiting.get(statement)
      if (others) others.push(ask)
      else this.#waiting.set(statement, [ask])
    })
  }

  #run(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [statement, asks] of waiting) {
      const run = isSame(statement, asks) ? this.#runOnce(statement, asks) : this.#runForMany(statement, asks)
      run.catch((error: unknown) => {
        for (const { reject } of asks) reject(error)
      })
    }
  }

  async #runOnce(statement: Translated, asks: readonly Ask[]): Promise<void> {
    const { rows, rowCount } = await this.#execute(statement.text, asks[0]!.bindings, statement.staysPlanned)
    for (const { manner, resolve } of asks) resolve(resultOf(manner, rows, rowCount))
  }

  async #runForMany(statement: Translated, asks: readonly Ask[]): Promise<void> {
    const { text, names, types, gives } = statement.forMany!
    const arrays = names.map((name, i) => {
      const place = statement.names.indexOf(name)
      return asks.map(({ bindings }) => element(types[i]!, bindings[place]!))
    })
    const { rows } = await this.#execute(text, arrays, statement.staysPlanned)
    const rowsOf = gives === 'asked' ? byAsker(rows) : inOrder(rows)
    for (const [i, { manner, resolve }] of asks.entries()) {
      const own = rowsOf(i)
      resolve(resultOf(manner, own, gives === 'asked' ? own.length : 1))
    }
  }
}

/** Tells whether one answer is for all: they read the same, or there is one. */
function isSame({ forMany }: Translated, asks: readonly Ask[]): boolean {
  if (asks.length === 1) return true
  const { bindings } = asks[0]!
  return forMany!.reads && asks.every((ask) => isDeepStrictEqual(ask.bindings, bindings))
}

function resultOf(manner: Manner, rows: Rows, rowCount: number): unknown {
  if (manner === 'run') return rowCount
  return manner === 'get' ? rows[0] : rows
}

function byAsker(rows: Rows): (asker: number) => Rows {
  const found = new Map<number, Rows>()
  for (const { asked, ...row } of rows) {
    const own = found.get(asked as number)
    if (own) own.push(row)
    else found.set(asked as number, [row])
  }
  return (asker) => found.get(asker + 1) ?? []
}

/** PostgreSQL gives ids in the order of the rows of an INSERT with ORDER BY. The order of what it returns is not promised. */
function inOrder(rows: Rows): (asker: number) => Rows {
  const ids = rows.map(({ id }) => id as number).sort((a, b) => a - b)
  return (asker) => (ids.length === 0 ? [] : [{ id: ids[asker] }])
}

/** An element of an array of values. A list is the text of an array: PostgreSQL has no arrays of arrays of different lengths. */
function element(type: ValueType, value: Value): unknown {
  if (type === 'bigint[]') return `{${(value as readonly number[]).join(',')}}`
  if (type === 'text[]') return `{${(value as readonly string[]).map(quoted).join(',')}}`
  return value
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
