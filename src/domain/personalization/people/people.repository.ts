import type { Sql } from '../../../platform/db/connect.ts'
import { among, type List, listOf, unindexed } from '../../../platform/db/dialect.ts'
import { type Prepared, prepared } from '../../../platform/db/prepared.ts'
import { readObjects } from '../../../platform/json/json.ts'
import type { Attributes } from '../../crm/types.ts'

/** A person as texts see them: the user, and what one of their installs reported. What was not asked for is undefined. */
export interface Person {
  identifier?: string
  attributes?: Attributes | undefined
  os?: string | null
  osVersion?: string | null
  appVersion?: string | null
  locale?: string | null
  /** Two capital letters. */
  country?: string | null
  /** IANA name. */
  timezone?: string | null
}

/** The wanted parts of people: each costs a broadcast a part of a microsecond for each recipient. */
export interface PersonParts {
  identifier: boolean
  attributes: boolean
  /** The locale alone, which is the language. */
  locale: boolean
  /** Everything of the install. */
  install: boolean
}

/** A row, which becomes a person by parsing its attributes. */
type PersonRow = Omit<Person, 'attributes'> & { of: number; attributes?: string | Attributes | undefined }

const PARTS: Readonly<Record<keyof PersonParts, string>> = {
  identifier: 'u.identifier AS "identifier"',
  attributes: 'u.attributes AS "attributes"',
  locale: 'i.locale AS "locale"',
  install: `i.os AS "os", i.os_version AS "osVersion", i.app_version AS "appVersion", i.locale AS "locale",
    i.country_iso_code AS "country", i.timezone AS "timezone"`,
}

/** The columns of the wanted parts, each behind a comma, of `users AS u` and `installs AS i`. */
export function personColumns(parts: PersonParts): string {
  const wanted = (Object.keys(PARTS) as (keyof PersonParts)[]).filter(
    (name) => parts[name] && !(name === 'locale' && parts.install),
  )
  return wanted.map((name) => `, ${PARTS[name]}`).join('')
}

/** The join of the user of `installs AS i`, where a column needs it. */
export const userJoin = (columns: string) => (/\bu\./.test(columns) ? 'JOIN users AS u ON u.id = i.user_id' : '')

/** Makes the attributes of rows as they were read those of people. */
function parseAttributes(rows: readonly { attributes?: string | Attributes | undefined }[]): void {
  if (typeof rows[0]?.attributes !== 'string') return
  const read = readObjects(rows.map(({ attributes }) => attributes as string))
  for (const [i, row] of rows.entries()) row.attributes = read[i]
}

type PeopleStatement = Prepared<{ appId: number; ids: List }, PersonRow>

/** Makes the function that finds the statement for the wanted parts: each is translated once. */
function statements(text: (columns: string, kind: 'sqlite' | 'postgres') => string) {
  const made = new Map<string, PeopleStatement>()
  return (parts: PersonParts): PeopleStatement => {
    const columns = personColumns(parts)
    const statement =
      made.get(columns) ?? prepared<{ appId: number; ids: List }, PersonRow>((kind) => text(columns, kind))
    made.set(columns, statement)
    return statement
  }
}

const ofInstalls = statements(
  (columns, kind) =>
    `SELECT i.id AS "of"${columns} FROM installs AS i ${userJoin(columns)}
     WHERE ${unindexed('i.app_id')} = :appId AND ${among(kind, 'i.id', 'ids')}`,
)

const NEWEST_INSTALL = `LEFT JOIN installs AS i ON i.id = (SELECT newest.id FROM installs AS newest WHERE newest.user_id = u.id
  ORDER BY newest.last_active DESC, newest.id DESC LIMIT 1)`

/** Users without an install are there too: their install has no properties. */
const ofUsers = statements(
  (columns, kind) =>
    `SELECT u.id AS "of"${columns} FROM users AS u ${/\bi\./.test(columns) ? NEWEST_INSTALL : ''}
     WHERE ${unindexed('u.app_id')} = :appId AND ${among(kind, 'u.id', 'ids')}`,
)

export type PeopleRepository = ReturnType<typeof peopleRepository>

/** The facts about people that texts may show. Tables: docs/reference/schema.md#users, #installs. */
export function peopleRepository(sql: Sql) {
  async function read(statement: PeopleStatement, appId: number, ids: readonly number[]): Promise<Map<number, Person>> {
    const found = await statement.all(sql, { appId, ids: listOf(sql, ids) })
    parseAttributes(found)
    return new Map(found.map((row) => [row.of, row as Person]))
  }

  return {
    /** The wanted parts of the users of installs, and of what each install reported; by the rows of the installs. */
    ofInstalls: (appId: number, rows: readonly number[], parts: PersonParts) => read(ofInstalls(parts), appId, rows),

    /** The wanted parts of users, and of what the most recently active install of each reported; by the rows of the users. */
    ofUsers: (appId: number, userIds: readonly number[], parts: PersonParts) => read(ofUsers(parts), appId, userIds),
  }
}
