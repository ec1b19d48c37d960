import type { Knex } from 'knex'
import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres } from '../../../platform/db/dialect.ts'
import { TRANSPORT_SQL } from '../../crm/store/transport.ts'
import type { Condition, Leaf, SaidField, WordField } from '../types.ts'
import { answerOfUser, attributeCondition } from './attribute-sql.ts'
import { compose, type Fragment, fragment, joined } from './fragment.ts'

/** Everything that a filter depends on besides its conditions. */
export interface Surroundings {
  sql: Sql
  /** SQL of the user's id where the statement is not over `installs`: then only conditions on users can be compiled. */
  userId?: string
  /** The time of use (ms), from which `withinDays` counts back. */
  now: number
  /** SQL over `installs`: subscribed to any of these channels, by uuid; undefined if none of them exists. */
  subscribed(uuids: readonly string[]): Knex.Raw | undefined
  /** SQL over `installs`: inside any of these geofences; undefined if none of them exists. */
  inside(ids: readonly number[]): Knex.Raw | undefined
  /** SQL over `installs`: the count of a metric for the user; undefined if the metric does not exist. */
  counted(metric: Leaf & { kind: 'metric' }): Knex.Raw | undefined
}

/**
 * The condition as SQL for any statement in which `installs` is a table or an alias with all its columns. The result is
 * true or false, never NULL. It contains no join, so it cannot change the order in which the statement reads installs.
 * For each install it reads at most one user, by primary key, and only if the columns of the install do not decide.
 */
export function compileCondition(condition: Condition, around: Surroundings): Knex.Raw {
  const { sql, bindings } = compileRoot(condition, around).fragment
  return around.sql.raw(`(${sql})`, bindings as Knex.RawBinding[])
}

interface Piece {
  fragment: Fragment
  /** Uses `users`, so it must be in the subselect. */
  needsUser: boolean
  /** Uses the attributes of the user. */
  needsAttributes: boolean
  /**
   * Rough cost, for the order of evaluation: 0 columns of the install, 1 columns of the user, 2 attributes, 3 other
   * areas.
   */
  cost: number
}

const piece = (fragment: Fragment, more: Partial<Piece> = {}): Piece => ({
  fragment,
  needsUser: false,
  needsAttributes: false,
  cost: 0,
  ...more,
})
const ofUser = (fragment: Fragment, needsAttributes = false) =>
  piece(fragment, { needsUser: true, needsAttributes, cost: needsAttributes ? 2 : 1 })
const NEVER = piece(fragment('FALSE'))

function compileRoot(condition: Condition, around: Surroundings): Piece {
  if (condition.kind !== 'and' && condition.kind !== 'or') return withUser(compile(condition, around), around)
  const pieces = condition.parts.map((part) => compile(part, around))
  const [theirs, own] = [pieces.filter((one) => one.needsUser), pieces.filter((one) => !one.needsUser)]
  const lookedUp = theirs.length > 0 ? [withUser(combined(condition.kind, theirs), around)] : []
  return combined(condition.kind, [...own, ...lookedUp])
}

function withUser(one: Piece, { sql, userId }: Surroundings): Piece {
  if (!one.needsUser) return one
  return piece(answerOfUser(sql, one.fragment, one.needsAttributes, userId), { cost: one.cost })
}

/** Cheap parts come first: both databases stop at the first part that decides the result. */
function combined(kind: 'and' | 'or', pieces: readonly Piece[]): Piece {
  const ordered = pieces.toSorted((a, b) => a.cost - b.cost)
  const words = joined(
    ordered.map((one) => one.fragment),
    kind === 'and' ? ' AND ' : ' OR ',
  )
  return piece(compose`(${words})`, {
    needsUser: pieces.some((one) => one.needsUser),
    needsAttributes: pieces.some((one) => one.needsAttributes),
    cost: Math.max(...pieces.map((one) => one.cost)),
  })
}

function compile(condition: Condition, around: Surroundings): Piece {
  const { sql, now } = around
  switch (condition.kind) {
    case 'and':
    case 'or':
      return combined(
        condition.kind,
        condition.parts.map((part) => compile(part, around)),
      )
    case 'not': {
      const part = compile(condition.part, around)
      return { ...part, fragment: compose`NOT ${part.fragment}` }
    }
    case 'word': {
      const words = orFalse(compose`${fragment(wordOf(sql, condition.field))} ${among(sql, condition.values)}`)
      return condition.field === 'identifier' ? ofUser(words) : piece(words)
    }
    case 'language':
      return piece(language(sql, condition.values))
    case 'present':
      return piece(fragment(`(${COLUMNS[condition.field]} IS NOT NULL)`))
    case 'version': {
      const { keys, texts } = condition
      const either = [
        ...(keys.length > 0 ? [compose`installs.app_version_key ${among(sql, keys)}`] : []),
        ...(texts.length > 0 ? [compose`installs.app_version ${among(sql, texts)}`] : []),
      ].map(orFalse)
      return piece(compose`(${joined(either, ' OR ')})`)
    }
    case 'versionOrder':
      return piece(orFalse(fragment(`installs.app_version_key ${condition.op} ?`, [condition.key])))
    case 'time': {
      const { field, op, instant } = condition
      const at = 'at' in instant ? instant.at : now - instant.ago
      return ofUser(fragment(`(${TIMES[field]} ${op} ?)`, [at]))
    }
    case 'flag':
      return condition.field === 'subscribedToPush'
        ? piece(fragment('(installs.subscribed)'))
        : ofUser(fragment(condition.field === 'known' ? '(NOT users.anonymous)' : '(users.in_app_enabled)'))
    case 'said': {
      const column = COLUMNS[condition.field]
      return piece(fragment(`COALESCE(${condition.value ? column : `NOT ${column}`}, FALSE)`))
    }
    case 'attribute':
      return ofUser(attributeCondition(sql, condition.path, condition.test), true)
    case 'channels':
      return foreign(around.subscribed(condition.uuids))
    case 'geofences':
      return foreign(around.inside(condition.ids))
    case 'metric':
      return foreign(around.counted(condition))
  }
}

const COLUMNS: Readonly<Record<WordField | 'appVersion' | SaidField, string>> = {
  os: 'installs.os',
  sdkType: 'installs.sdk_type',
  locale: 'installs.locale',
  countryIsoCode: 'installs.country_iso_code',
  timezone: 'installs.timezone',
  identifier: 'users.identifier',
  appVersion: 'installs.app_version',
  buildKind: 'installs.build_kind',
  simulator: 'installs.simulator',
  timeSensitive: 'installs.time_sensitive',
  transport: `(${TRANSPORT_SQL})`,
}

const TIMES = { firstActive: 'users.first_active', lastActive: 'users.last_active' } as const

/** The column in the form to which `leaf.ts` converts values. */
function wordOf(sql: Sql, field: WordField): string {
  const column = COLUMNS[field]
  if (field === 'os') return lowered(sql, column)
  if (field === 'locale') return `replace(${lowered(sql, column)}, '_', '-')`
  return column
}

/** lower() of SQLite converts ASCII only; collation "C" makes PostgreSQL do the same. */
function lowered(sql: Sql, column: string): string {
  return isPostgres(sql) ? `lower(${column} COLLATE "C")` : `lower(${column})`
}

/** `en` is the language of en, en-GB, en_GB and en@calendar=x. */
function language(sql: Sql, values: readonly string[]): Fragment {
  const locale = fragment(lowered(sql, COLUMNS.locale))
  const each = values.map((value) => {
    const longer = ['-', '_', '.', '@'].map((mark) => value + mark)
    const begins = fragment(`substr(${locale.sql}, 1, ${value.length + 1}) IN (?, ?, ?, ?)`, longer)
    return compose`${locale} = ${fragment('?', [value])} OR ${begins}`
  })
  return orFalse(joined(each, ' OR '))
}

/** One bound parameter for a list, so that the text of the statement does not depend on its length. */
function among(sql: Sql, values: readonly string[]): Fragment {
  if (values.length === 1) return fragment('= ?', values)
  if (isPostgres(sql)) return fragment('= ANY(CAST(? AS text[]))', [values as unknown as Knex.Value])
  return fragment('IN (SELECT value FROM json_each(?))', [JSON.stringify(values)])
}

/** Makes a comparison with NULL false. In SQL it is NULL, and so is its negation. */
function orFalse(comparison: Fragment): Fragment {
  return compose`COALESCE(${comparison}, FALSE)`
}

/** A condition of another area, unchanged. */
function foreign(raw: Knex.Raw | undefined): Piece {
  if (!raw) return NEVER
  const { sql, bindings } = raw.toSQL()
  return piece(fragment(`(${sql})`, bindings as Knex.Value[]), { cost: 3 })
}
