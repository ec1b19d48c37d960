import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { isTextOperator, type TextOperator, textSql } from '../../../platform/filters/operators.ts'
import type { Scalar, ValueTest } from '../../../platform/filters/value-test.ts'
import { compose, type Fragment, fragment, joined } from './fragment.ts'

/**
 * A condition on the attributes of a user, which are JSON stored as text, for use in `answerOfUser`. Both databases
 * give the same result: names lead only through objects, values of another type never match, null is the same as
 * absent, text is compared byte by byte in UTF-8, and numbers as numbers. The result is never NULL.
 */
export function attributeCondition(sql: Sql, path: readonly string[], test: ValueTest): Fragment {
  const words = isPostgres(sql) ? postgresAttribute(path) : sqliteAttribute(path)
  if (test.op === 'exists') return words.exists()
  if (test.op === 'among') return words.among(test.values)
  if (typeof test.value === 'number') return words.number(test.op, test.value)
  return words.text(test.op, test.value)
}

/**
 * Evaluates a condition over the alias `users` for the user of the install, found by primary key. With `hasAttributes`
 * the condition may use `users.document`: the attributes in a form that both databases can read. `userId` is the SQL of
 * the user's id in the statement around it.
 */
export function answerOfUser(
  sql: Sql,
  question: Fragment,
  hasAttributes: boolean,
  userId = 'installs.user_id',
): Fragment {
  const user = fragment(`FROM users WHERE users.id = ${userId}`)
  if (!hasAttributes) return compose`(SELECT ${question} ${user})`
  const found = isPostgres(sql) ? 'strpos' : 'instr'
  const isPlain = `${found}(users.attributes, '\\u') = 0`
  if (isPostgres(sql)) {
    // OFFSET 0 keeps PostgreSQL from parsing the text again for every condition.
    const document = `CAST(CASE WHEN ${isPlain} THEN users.attributes ELSE ${STORABLE} END AS jsonb)`
    return compose`(SELECT ${question} FROM (SELECT users.*, ${fragment(document)} AS document ${user} OFFSET 0) AS users)`
  }
  // SQLite would rewrite the document for every condition, so the text to use is chosen first: 3.2 µs instead of 6.1
  // for ten conditions.
  const plain = fragment(question.sql.replaceAll('users.document', 'users.attributes'), question.bindings)
  const rewritten = compose`FROM (SELECT users.*, ${fragment(STORABLE)} AS document ${user}) AS users`
  return compose`(SELECT CASE WHEN ${fragment(isPlain)} THEN ${plain} ELSE (SELECT ${question} ${rewritten}) END ${user})`
}

/**
 * NUL characters and lone surrogates: jsonb refuses them, SQLite accepts them, and no filter can contain them.
 * JSON.stringify writes them as escapes and uses `\ud` for nothing else, so this replaces them with U+FFFF (the last
 * digits of a surrogate remain after it). Escaped backslashes are rewritten first, so that a backslash followed by the
 * letters u0000 is not taken for an escape.
 */
const STORABLE = String.raw`replace(replace(replace(users.attributes, '\\', '\u005c'), '\u0000', '\uffff'), '\ud', '\uffff')`

/** Comparisons of an attribute that is text. */
type TextOp = TextOperator | '<' | '<=' | '>' | '>='

/** The conditions of one database on one attribute. */
interface AttributeWords {
  exists(): Fragment
  among(values: readonly Scalar[]): Fragment
  number(op: string, value: number): Fragment
  text(op: TextOp, value: string): Fragment
}

function postgresAttribute(path: readonly string[]): AttributeWords {
  // `->` with a text finds only members of objects.
  const value = fragment(`(users.document${' -> CAST(? AS text)'.repeat(path.length)})`, path)
  const type = compose`jsonb_typeof(${value})`
  return {
    exists: () => compose`COALESCE(${type} <> 'null', FALSE)`,
    // Values of jsonb are equal if their types and values are.
    among: (values) =>
      compose`COALESCE(${value} = ANY(${fragment('CAST(? AS jsonb[])', [values.map((one) => JSON.stringify(one))])}), FALSE)`,
    number: (op, wanted) =>
      compose`CASE WHEN ${type} = 'number' THEN CAST(${value} AS numeric) ${fragment(`${op} CAST(? AS numeric)`, [wanted])} ELSE FALSE END`,
    text: (op, wanted) =>
      compose`CASE WHEN ${type} = 'string' THEN ${textQuestion('postgres', compose`((${value} #>> '{}') COLLATE "C")`, op, wanted)} ELSE FALSE END`,
  }
}

function sqliteAttribute(path: readonly string[]): AttributeWords {
  // Names in the path must be written as in the stored text, that is, as by JSON.stringify.
  const place = `$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`
  const value = fragment('json_extract(users.document, ?)', [place])
  const type = fragment('json_type(users.document, ?)', [place])
  // The value first: it usually decides, so the type need not be read.
  const ofType = (types: string, comparison: Fragment) =>
    compose`COALESCE(${comparison} AND ${type} ${fragment(types)}, FALSE)`
  const [isText, isNumber] = ["= 'text'", "IN ('integer', 'real')"]
  return {
    exists: () => compose`COALESCE(${type} <> 'null', FALSE)`,
    among(values) {
      const [texts, numbers] = [
        values.filter((v) => typeof v === 'string'),
        values.filter((v) => typeof v === 'number'),
      ]
      const wanted = (some: readonly Scalar[]) =>
        some.length === 1
          ? compose`${value} = ${wantedScalar(some[0]!)}`
          : compose`${value} ${fragment('IN (SELECT value FROM json_each(?))', [JSON.stringify(some)])}`
      const cases = [
        ...(texts.length > 0 ? [ofType(isText, wanted(texts))] : []),
        ...(numbers.length > 0 ? [ofType(isNumber, wanted(numbers))] : []),
        ...(values.includes(true) ? [compose`COALESCE(${type} = 'true', FALSE)`] : []),
        ...(values.includes(false) ? [compose`COALESCE(${type} = 'false', FALSE)`] : []),
      ]
      return compose`(${joined(cases, ' OR ')})`
    },
    number: (op, wanted) => ofType(isNumber, compose`${value} ${fragment(op)} ${wantedScalar(wanted)}`),
    text: (op, wanted) => ofType(isText, textQuestion('sqlite', value, op, wanted)),
  }
}

/** SQLite rounds the last digits of long numbers differently in JSON and in SQL, so both sides are read as JSON. */
function wantedScalar(one: Scalar): Fragment {
  if (typeof one === 'string' || Number.isSafeInteger(one)) return fragment('?', [one])
  return fragment("json_extract(?, '$')", [JSON.stringify(one)])
}

function textQuestion(database: 'postgres' | 'sqlite', value: Fragment, op: TextOp, wanted: string): Fragment {
  const text = fragment('?', [wanted])
  if (!isTextOperator(op)) return compose`${value} ${fragment(op)} ${text}`
  const { between, parts } = textSql(op, database)
  const [first, ...rest] = between.map((sql) => fragment(sql))
  return rest.reduce((sql, next, i) => compose`${sql}${parts[i] === 'value' ? value : text}${next}`, first!)
}
