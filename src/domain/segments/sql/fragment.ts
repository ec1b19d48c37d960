import type { Knex } from 'knex'

/** A fragment of SQL with its bound values, in order. */
export interface Fragment {
  readonly sql: string
  readonly bindings: readonly Knex.Value[]
}

/** SQL text with a `?` for each value. The text never comes from a caller; values may. */
export function fragment(sql: string, bindings: readonly Knex.Value[] = []): Fragment {
  return { sql, bindings }
}

/** Inserts fragments into a text: compose`NOT ${condition}`. */
export function compose(texts: TemplateStringsArray, ...pieces: Fragment[]): Fragment {
  return {
    sql: texts.reduce((sql, text, i) => `${sql}${pieces[i - 1]!.sql}${text}`),
    bindings: pieces.flatMap((piece) => piece.bindings),
  }
}

/** Joins fragments with a separator. */
export function joined(pieces: readonly Fragment[], separator: string): Fragment {
  return {
    sql: pieces.map((piece) => piece.sql).join(separator),
    bindings: pieces.flatMap((piece) => piece.bindings),
  }
}
