import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { answerOfUser } from './attribute-sql.ts'
import { compose, type Fragment, fragment } from './fragment.ts'

/** A text that is looked for inside of identifiers and of values of attributes. */
export interface Inside {
  text: string
  /** Users whose identifier begins with this are left out: another search has found them. */
  notBeginning: string
}

/**
 * A condition that is true for users with the text inside of their identifier or of a value of their attributes, in upper or lower
 * case. The stored JSON as a whole is asked first: most users are ruled out without reading it. Names of attributes do not count.
 */
export function insideCondition(sql: Sql, { text, notBeginning }: Inside, userId: string): Fragment {
  const postgres = isPostgres(sql)
  const like = (column: string, wanted: string) =>
    fragment(postgres ? `${column} ILIKE ?` : `${column} LIKE ? ESCAPE '\\'`, [patternOf(wanted)])
  // As JSON.stringify writes the text inside of a string.
  const stored = JSON.stringify(text).slice(1, -1)
  const value = postgres
    ? compose`EXISTS (SELECT 1 FROM jsonb_path_query(users.document, '$.**') AS found (value) WHERE jsonb_typeof(found.value) IN ('string', 'number') AND ${like("(found.value #>> '{}')", text)})`
    : compose`EXISTS (SELECT 1 FROM json_tree(users.document) AS found WHERE found.type IN ('text', 'integer', 'real') AND ${like('found.atom', text)})`
  const isOther = fragment('substr(users.identifier, 1, length(CAST(? AS text))) <> ?', [notBeginning, notBeginning])
  const holds = compose`(${like('users.identifier', text)} OR (${like('users.attributes', stored)} AND ${value}))`
  return answerOfUser(sql, compose`(${isOther} AND ${holds})`, true, userId)
}

/** A pattern of LIKE for a text with anything around it. */
const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
