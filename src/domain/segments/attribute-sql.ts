import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres } from '../../platform/db/dialect.ts'
import { compose, type Fragment, fragment, joined } from './fragment.ts'
import type { AttributeTest, Scalar } from './types.ts'

/**
 * A question about a user's attributes, JSON that is stored as text, with the same answer on both databases: a name leads only
 * through objects, values of another type never match, null and absent are both nothing, text is compared byte by byte in
 * UTF-8, numbers as numbers. Never unknown. Over the alias `users`, which must come from `usersOfInstall`.
 */
export function attributeCondition(sql: Sql, path: readonly string[], test: AttributeTest): Fragment {
  const words = isPostgres(sql) ? postgresAttribute(path) : sqliteAttribute(path)
  if (test.op === 'exists') return words.exists()
  if (test.op === 'among') return words.among(test.values)
  if (typeof test.value === 'number') return words.number(test.op, test.value)
  return words.text(test.op, test.value)
}

/** `FROM` of a subselect with the user of the install in reach; `document` is the user's attributes, fit for both databases. */
export function usersOfInstall(sql: Sql, hasAttributes: boolean): string {
  if (!hasAttributes) return 'FROM users WHERE users.id = installs.user_id'
  const text = `CASE WHEN ${isPostgres(sql) ? 'strpos' : 'instr'}(own.attributes, '\\u') = 0 THEN own.attributes ELSE ${STORABLE} END`
  // OFFSET 0 keeps PostgreSQL from parsing the text again for every question.
  const [document, once] = isPostgres(sql) ? [`CAST(${text} AS jsonb)`, 'OFFSET 0'] : [text, '']
  return `FROM (SELECT own.*, ${document} AS document FROM users own WHERE own.id = installs.user_id ${once}) AS users`
}

/**
 * jsonb refuses NUL and lone surrogates, SQLite takes them, no filter can hold them. JSON.stringify writes them as escapes, and
 * nothing else as `\ud`: they become U+FFFF (a surrogate's last digits stay behind it). Escaped backslashes are spelt otherwise
 * first, lest a backslash followed by the letters u0000 be taken for one.
 */
const STORABLE = String.raw`replace(replace(replace(own.attributes, '\\', '\u005c'), '\u0000', '\uffff'), '\ud', '\uffff')`

/** How one database asks about one attribute. */
interface AttributeWords {
  exists(): Fragment
  among(values: readonly Scalar[]): Fragment
  number(op: string, value: number): Fragment
  text(op: string, value: string): Fragment
}

function postgresAttribute(path: readonly string[]): AttributeWords {
  // `->` with a text finds nothing but the member of an object.
  const value = fragment(`(users.document${' -> CAST(? AS text)'.repeat(path.length)})`, path)
  const type = compose`jsonb_typeof(${value})`
  return {
    exists: () => compose`COALESCE(${type} <> 'null', FALSE)`,
    // Values of jsonb are equal when type and value are.
    among: (values) =>
      compose`COALESCE(${value} = ANY(${fragment('CAST(? AS jsonb[])', [values.map((one) => JSON.stringify(one))])}), FALSE)`,
    number: (op, wanted) =>
      compose`CASE WHEN ${type} = 'number' THEN CAST(${value} AS numeric) ${fragment(`${op} CAST(? AS numeric)`, [wanted])} ELSE FALSE END`,
    text: (op, wanted) =>
      compose`CASE WHEN ${type} = 'string' THEN ${textQuestion('strpos', compose`((${value} #>> '{}') COLLATE "C")`, op, wanted)} ELSE FALSE END`,
  }
}

function sqliteAttribute(path: readonly string[]): AttributeWords {
  // A name stands in a path as in the stored text: as JSON.stringify writes it.
  const place = `$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`
  const value = fragment('json_extract(users.document, ?)', [place])
  const type = fragment('json_type(users.document, ?)', [place])
  return {
    exists: () => compose`COALESCE(${type} <> 'null', FALSE)`,
    among(values) {
      const [texts, numbers] = [
        values.filter((v) => typeof v === 'string'),
        values.filter((v) => typeof v === 'number'),
      ]
      const wanted = (some: readonly Scalar[]) =>
        some.length === 1
          ? fragment("= json_extract(?, '$')", [JSON.stringify(some[0])])
          : fragment('IN (SELECT value FROM json_each(?))', [JSON.stringify(some)])
      const cases = [
        ...(texts.length > 0 ? [compose`WHEN ${type} = 'text' THEN ${value} ${wanted(texts)}`] : []),
        ...(numbers.length > 0 ? [compose`WHEN ${type} IN ('integer', 'real') THEN ${value} ${wanted(numbers)}`] : []),
        ...(values.includes(true) ? [compose`WHEN ${type} = 'true' THEN TRUE`] : []),
        ...(values.includes(false) ? [compose`WHEN ${type} = 'false' THEN TRUE`] : []),
      ]
      return compose`CASE ${joined(cases, ' ')} ELSE FALSE END`
    },
    // Read as JSON: SQLite reads the last digits of long numbers in its own way, so both sides must take the same road.
    number: (op, wanted) =>
      compose`CASE WHEN ${type} IN ('integer', 'real') THEN ${value} ${fragment(`${op} json_extract(?, '$')`, [JSON.stringify(wanted)])} ELSE FALSE END`,
    text: (op, wanted) =>
      compose`CASE WHEN ${type} = 'text' THEN ${textQuestion('instr', value, op, wanted)} ELSE FALSE END`,
  }
}

/** `position` is the database's function that finds one text in another, from 1, or 0. */
function textQuestion(position: string, value: Fragment, op: string, wanted: string): Fragment {
  const asked = fragment('?', [wanted])
  if (op === 'startsWith') return compose`${fragment(position)}(${value}, ${asked}) = 1`
  if (op === 'contains') return compose`${fragment(position)}(${value}, ${asked}) > 0`
  return compose`${value} ${fragment(op)} ${asked}`
}
