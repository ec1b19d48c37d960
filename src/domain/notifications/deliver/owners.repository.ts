import type { Sql } from '../../../platform/db/connect.ts'
import { among, type List, listOf, unindexed } from '../../../platform/db/dialect.ts'
import { type Prepared, prepared, preparedPlan } from '../../../platform/db/prepared.ts'
import { RECIPIENT_COLUMNS, RECIPIENTS } from '../../crm/store/tokens.repository.ts'
import type { Attributes, OwnedRecipient, Recipient } from '../../crm/types.ts'
import {
  type Person,
  type PersonParts,
  personColumns,
  userJoin,
} from '../../personalization/people/people.repository.ts'

/** Row as a SELECT returns it. */
type Stored = Omit<OwnedRecipient, 'subscribed'> & { subscribed: boolean | number }

const OWNER = 'user_id'
/** Only of those who have an in-app message. */
const HOLDER = (messageId: string, installs = 'installs') =>
  `CASE WHEN EXISTS (SELECT 1 FROM user_messages AS held
     WHERE held.user_id = ${installs}.user_id AND held.message_id = ${messageId}) THEN ${installs}.user_id END`

const recipientsWith = <V extends object>(owner: string) =>
  preparedPlan<{ appId: number; rows: List } & V, Stored>(
    (kind) =>
      `SELECT ${RECIPIENT_COLUMNS}, ${owner} AS owner FROM installs
       WHERE ${unindexed('app_id')} = :appId AND ${among(kind, 'id', 'rows')} ORDER BY id`,
  )
const WITH_OWNERS = recipientsWith<object>(OWNER)
const WITH_HOLDERS: Prepared<{ appId: number; rows: List; messageId: number }, Stored> = recipientsWith<{
  messageId: number
}>(HOLDER(':messageId'))

/**
 * A recipient with the wanted parts of the person, whose attributes are JSON text where the database hands that over. `owner` is there
 * where it was asked for.
 */
export type RecipientPerson = Recipient &
  Partial<Pick<OwnedRecipient, 'owner'>> &
  Omit<Person, 'attributes'> & { attributes?: string | Attributes | undefined }

type PeopleStatement = Prepared<
  { appId: number; rows: List; messageId: number },
  Stored & Omit<Person, 'attributes'> & { attributes?: string | Attributes | undefined }
>

const COLUMNS = RECIPIENTS.aliases.map((alias) => {
  const [column, name = column] = alias.split(' as ')
  return `i.${column} AS "${name}"`
})

/** The statements of `people`, each made once. */
const peopleStatements = new Map<string, PeopleStatement>()

/** Users who are read with recipients: none, those of the installs, or only those who have an in-app message. */
type Owners = 'none' | 'users' | 'holders'
const OWNER_COLUMNS: Readonly<Record<Owners, string>> = {
  none: '',
  users: ', i.user_id AS "owner"',
  holders: `, ${HOLDER(':messageId', 'i')} AS "owner"`,
}

function peopleStatement(parts: PersonParts, owners: Owners): PeopleStatement {
  const columns = personColumns(parts)
  const key = `${owners}${columns}`
  const statement: PeopleStatement =
    peopleStatements.get(key) ??
    prepared(
      (kind) =>
        `SELECT ${COLUMNS.join(', ')}${OWNER_COLUMNS[owners]}${columns} FROM installs AS i ${userJoin(columns)}
         WHERE ${unindexed('i.app_id')} = :appId AND ${among(kind, 'i.id', 'rows')} ORDER BY i.id`,
    )
  peopleStatements.set(key, statement)
  return statement
}

export type OwnersRepository = ReturnType<typeof ownersRepository>

/** The recipients of pushes that are for certain users. Tables: docs/reference/schema.md#installs. */
export function ownersRepository(sql: Sql) {
  async function stored(appId: number, rows: readonly number[], messageId: number | undefined): Promise<Stored[]> {
    const given = { appId, rows: listOf(sql, rows) }
    return messageId === undefined ? WITH_OWNERS.all(sql, given) : WITH_HOLDERS.all(sql, { ...given, messageId })
  }

  return {
    /**
     * The installs of these that are there, in the order of their rows, each with its current token and user. With
     * `messageId` the user is null when they do not have this in-app message.
     */
    async recipients(appId: number, rows: readonly number[], messageId?: number): Promise<OwnedRecipient[]> {
      const found = await stored(appId, rows, messageId)
      for (const recipient of found) recipient.subscribed = Boolean(recipient.subscribed)
      return found as OwnedRecipient[]
    },

    /**
     * `recipients` with the wanted parts of each person, in one statement: to read them by itself takes four times as long. The owner is read
     * where `hasOwner` is true.
     */
    async people(
      appId: number,
      rows: readonly number[],
      parts: PersonParts,
      { hasOwner, messageId }: { hasOwner: boolean; messageId?: number | undefined },
    ): Promise<RecipientPerson[]> {
      const owners = messageId === undefined ? 'users' : 'holders'
      const statement = peopleStatement(parts, hasOwner ? owners : 'none')
      const found = await statement.all(sql, { appId, rows: listOf(sql, rows), messageId: messageId ?? 0 })
      for (const recipient of found) recipient.subscribed = Boolean(recipient.subscribed)
      return found as RecipientPerson[]
    },
  }
}
