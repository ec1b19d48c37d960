import type { Sql } from '../../../platform/db/connect.ts'
import { among, type List, listOf, unindexed } from '../../../platform/db/dialect.ts'
import { prepared } from '../../../platform/db/prepared.ts'
import { readObject } from '../../../platform/json/json.ts'
import type { Attributes } from '../../crm/types.ts'

/** A person as texts see them: the user, and what one of their installs reported. */
export interface Person {
  userId: number
  identifier: string
  /** Undefined when they were not asked for. */
  attributes: Attributes | undefined
  os: string | null
  osVersion: string | null
  appVersion: string | null
  locale: string | null
  /** Two capital letters. */
  country: string | null
  /** IANA name. */
  timezone: string | null
}

interface PersonRow extends Omit<Person, 'attributes'> {
  of: number
  attributes: string | null
}

/** Installs whose users' attributes are read at a time: attributes may be large, and most of a page needs little of them. */
const DETAILS = `u.id AS "userId", u.identifier AS "identifier", i.os AS "os", i.os_version AS "osVersion",
  i.app_version AS "appVersion", i.locale AS "locale", i.country_iso_code AS "country", i.timezone AS "timezone"`

const ofInstalls = (attributes: string) =>
  prepared<{ appId: number; ids: List }, PersonRow>(
    (kind) =>
      `SELECT i.id AS "of", ${attributes} AS "attributes", ${DETAILS} FROM installs AS i
       JOIN users AS u ON u.id = i.user_id
       WHERE ${unindexed('i.app_id')} = :appId AND ${among(kind, 'i.id', 'ids')}`,
  )

/** Users without an install are there too: their install has no properties. */
const ofUsers = (attributes: string) =>
  prepared<{ appId: number; ids: List }, PersonRow>(
    (kind) =>
      `SELECT u.id AS "of", ${attributes} AS "attributes", ${DETAILS} FROM users AS u
       LEFT JOIN installs AS i ON i.id = (SELECT newest.id FROM installs AS newest WHERE newest.user_id = u.id
         ORDER BY newest.last_active DESC, newest.id DESC LIMIT 1)
       WHERE ${unindexed('u.app_id')} = :appId AND ${among(kind, 'u.id', 'ids')}`,
  )

const ATTRIBUTES = 'u.attributes'
const NO_ATTRIBUTES = 'NULL'
const OF_INSTALLS = { with: ofInstalls(ATTRIBUTES), without: ofInstalls(NO_ATTRIBUTES) }
const OF_USERS = { with: ofUsers(ATTRIBUTES), without: ofUsers(NO_ATTRIBUTES) }

export type PeopleRepository = ReturnType<typeof peopleRepository>

/** What texts may say about people. Tables: docs/reference/schema.md#users, #installs. */
export function peopleRepository(sql: Sql) {
  async function read(
    statement: (typeof OF_INSTALLS)['with'],
    appId: number,
    ids: readonly number[],
  ): Promise<Map<number, Person>> {
    const rows = await statement.all(sql, { appId, ids: listOf(sql, ids) })
    return new Map(
      rows.map(({ of, attributes, ...person }) => [
        of,
        { ...person, attributes: attributes === null ? undefined : readObject(attributes) },
      ]),
    )
  }

  return {
    /** The users of installs, by the rows of these, with what each install reported. `attributes`: whether they are wanted. */
    ofInstalls: (appId: number, rows: readonly number[], { attributes }: { attributes: boolean }) =>
      read(attributes ? OF_INSTALLS.with : OF_INSTALLS.without, appId, rows),

    /** Users by their row, each with what their most recently active install reported. */
    ofUsers: (appId: number, userIds: readonly number[], { attributes }: { attributes: boolean }) =>
      read(attributes ? OF_USERS.with : OF_USERS.without, appId, userIds),
  }
}
