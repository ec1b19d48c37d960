import type { Sql } from '../../../platform/db/connect.ts'
import { isPostgres, unindexed, whereIds } from '../../../platform/db/dialect.ts'
import { type Prepared, prepared } from '../../../platform/db/prepared.ts'
import { RECIPIENTS } from '../../crm/store/tokens.repository.ts'
import type { OwnedRecipient } from '../../crm/types.ts'

/** As a SELECT returns it. */
type Stored = Omit<OwnedRecipient, 'subscribed'> & { subscribed: boolean | number }

const OWNER = 'user_id'
/** Only of those who have an in-app message. */
const HOLDER = (messageId: string) =>
  `CASE WHEN EXISTS (SELECT 1 FROM user_messages AS held
     WHERE held.user_id = installs.user_id AND held.message_id = ${messageId}) THEN user_id END`

/** On SQLite. */
const recipientsWith = <V extends object>(owner: string) =>
  prepared<{ appId: number; rows: string } & V, Stored>(
    `SELECT ${RECIPIENTS.aliases.join(', ')}, ${owner} AS owner FROM installs
     WHERE ${unindexed('app_id')} = :appId AND id IN (SELECT value FROM json_each(:rows)) ORDER BY id`,
  )
const WITH_OWNERS = recipientsWith<object>(OWNER)
const WITH_HOLDERS: Prepared<{ appId: number; rows: string; messageId: number }, Stored> = recipientsWith<{
  messageId: number
}>(HOLDER(':messageId'))

export type OwnersRepository = ReturnType<typeof ownersRepository>

/** The recipients of pushes that are for certain users. Tables: docs/reference/schema.md#installs. */
export function ownersRepository(sql: Sql) {
  async function stored(appId: number, rows: readonly number[], messageId: number | undefined): Promise<Stored[]> {
    if (!isPostgres(sql)) {
      const given = { appId, rows: JSON.stringify(rows) }
      return messageId === undefined ? WITH_OWNERS.all(sql, given) : WITH_HOLDERS.all(sql, { ...given, messageId })
    }
    const owner =
      messageId === undefined ? sql.raw(`${OWNER} AS owner`) : sql.raw(`${HOLDER('?')} AS owner`, [messageId])
    return whereIds(sql('installs'), sql, appId, rows)
      .orderBy('id')
      .select(...RECIPIENTS.aliases, owner)
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
  }
}
