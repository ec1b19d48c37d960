import type { Sql } from '../../platform/db/connect.ts'
import { whereAmong } from '../../platform/db/dialect.ts'
import { preparedRows } from '../../platform/db/prepared.ts'
import type { Labelled, LabelledSend } from './types.ts'

const INSERT = preparedRows<{ app_id: number; kind: string; created_at: number; send_id: number }>(
  'send_labels',
  { names: ['label'], types: ['text'] },
  { app_id: 'bigint', kind: 'text', created_at: 'bigint', send_id: 'bigint' },
)

/** A send that was stored, and its labels. */
interface Stored extends LabelledSend {
  appId: number
  labels: readonly string[] | null
}

/**
 * Notes the labels of a send, in the transaction that stores it. Without labels no statement is run. Tables:
 * docs/reference/schema.md#send_labels.
 */
export async function noteLabels(sql: Sql, kind: Labelled, { appId, id, createdAt, labels }: Stored): Promise<void> {
  if (labels === null || labels.length === 0) return
  const lines = JSON.stringify(labels.map((label) => [label]))
  await INSERT.run(sql, { app_id: appId, kind, created_at: createdAt, send_id: id, lines })
}

/** Notes the labels that a send has now in the place of those that it had `before`. Without a difference no statement is run. */
export async function replaceLabels(
  sql: Sql,
  kind: Labelled,
  send: Stored,
  before: readonly string[] | null,
): Promise<void> {
  const { appId, id, createdAt, labels } = send
  const gone = (before ?? []).filter((label) => !labels?.includes(label))
  const added = (labels ?? []).filter((label) => !before?.includes(label))
  if (gone.length > 0) {
    const of = sql('send_labels').where({ app_id: appId, kind, created_at: createdAt, send_id: id })
    await whereAmong(of, sql, 'label', gone).delete()
  }
  await noteLabels(sql, kind, { ...send, labels: added })
}
