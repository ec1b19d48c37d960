import type { Sql } from '../../platform/db/connect.ts'
import { byIndex } from '../../platform/db/dialect.ts'
import { SEND_STATUS } from './sends.ts'

/** A list of sends by a time, which a partial index serves. Both databases use it only for the literal condition. */
export interface TimeList {
  index: string
  where: string
  /** The expression of the time. */
  time: string
  beyond: '<' | '>'
  direction: 'asc' | 'desc'
}

/** The list of sends that wait for their time, the next first. */
export const dueList = (index: string, where: string, time: string): TimeList => ({
  index,
  where,
  time,
  beyond: '>',
  direction: 'asc',
})

/** The list of sends that were sent or are being sent, the latest first. */
export const sentList = (index: string): TimeList => ({
  index,
  where: `status IN (${SEND_STATUS.sending}, ${SEND_STATUS.sent})`,
  time: 'COALESCE(sent_at, created_at)',
  beyond: '<',
  direction: 'desc',
})

/** The time by which `sentList` places a send; null: it is not in this list. Pure. */
export const timeInSent = (one: { status: number; sentAt: number | null; createdAt: number }): number | null =>
  one.status === SEND_STATUS.sending || one.status === SEND_STATUS.sent ? (one.sentAt ?? one.createdAt) : null

interface Place {
  id: number
  /** The time of the last one on the page before, as the list has it. */
  at: number | null
}

/** Reads a page of a list of sends by a time: of the app, behind `after`. The caller selects the columns. */
export function listByTime(
  sql: Sql,
  table: string,
  appId: number,
  { list, after, limit }: { list: TimeList; after: Place | undefined; limit: number },
) {
  const { index, where, time, beyond, direction } = list
  return sql
    .from(sql.raw(`${table} ${byIndex(sql, index)}`))
    .where({ app_id: appId })
    .whereRaw(where)
    .modify((query) => {
      if (!after) return
      const { at, id } = after
      void query.whereRaw(`${time} ${beyond}= ? AND (${time} ${beyond} ? OR id ${beyond} ?)`, [at, at, id])
    })
    .orderByRaw(`${time} ${direction}, id ${direction}`)
    .limit(limit)
}
