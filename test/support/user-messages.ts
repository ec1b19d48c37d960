import type { Program } from '../../src/program.ts'

/** The fields of a stored message that tests care about; the rest is filled in. */
export interface MessageFields {
  content?: unknown
  data?: unknown
  inbox?: { title: string; subtitle: string; from?: number; to?: number; imageUrl?: string } | null
  presentedWhen?: string
  ttlMs?: number | null
  withdrawnAt?: number | null
  nextAt?: number | null
  createdAt?: number
}

/** A message as it is stored, without anybody who has it; its id. */
export async function addMessage(program: Program, appId: number, fields: MessageFields = {}): Promise<number> {
  const now = program.kernel.clock.now()
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))
  const [row] = await program.kernel.db.write((trx) =>
    trx('in_app_messages')
      .insert({
        app_id: appId,
        source: 1,
        status: 3,
        filters: '{}',
        target: '{}',
        template: 'hello',
        template_version: 1,
        tag_values: '{}',
        content: JSON.stringify(fields.content === undefined ? { ver: 1 } : fields.content),
        data: json(fields.data),
        inbox: json(fields.inbox),
        presented_when: fields.presentedWhen ?? 'immediately',
        ttl_ms: fields.ttlMs ?? null,
        withdrawn_at: fields.withdrawnAt ?? null,
        next_at: fields.nextAt ?? null,
        created_at: fields.createdAt ?? now,
        updated_at: fields.createdAt ?? now,
      })
      .returning('id'),
  )
  return row.id
}

/** Gives users (by identifier) a message, as the fan-out does. */
export async function giveMessage(
  program: Program,
  appId: number,
  messageId: number,
  identifiers: readonly string[],
  sentAt = program.kernel.clock.now(),
): Promise<void> {
  await program.kernel.db.write(async (trx) => {
    const users = await trx('users').where({ app_id: appId }).whereIn('identifier', identifiers).select('id')
    await trx('user_messages').insert(
      users.map(({ id }) => ({
        user_id: id,
        message_id: messageId,
        app_id: appId,
        sent_at: sentAt,
        updated_at: sentAt,
      })),
    )
  })
}
