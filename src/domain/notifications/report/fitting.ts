import type { ListedRow } from '../repository.ts'
import type { NotificationFilter } from '../types.ts'

const TITLE = /^\{"title":("(?:[^"\\]|\\.)*")/

/** Tells whether a stored content has the text in its title. Pure. */
function hasInTitle(head: string, q: string): boolean {
  const found = TITLE.exec(head)
  return found !== null && (JSON.parse(found[1]!) as string).toLowerCase().includes(q.toLowerCase())
}

/** Tells whether a part of the filter is left that no index finds: its rows are looked through. Pure. */
export function isLookedThrough({ order, q, label, status, createdSince, createdBefore }: NotificationFilter): boolean {
  if (q !== undefined) return true
  if (order === undefined) return label !== undefined && status !== undefined
  return [label, status, createdSince, createdBefore].some((one) => one !== undefined)
}

/** Tells whether a row is one that the filter lets through. Pure. */
export function isFitting(
  row: ListedRow,
  { q, label, status, createdSince, createdBefore }: NotificationFilter,
): boolean {
  return (
    (q === undefined || hasInTitle(row.head!, q)) &&
    (label === undefined || (JSON.parse(row.labels ?? '[]') as string[]).includes(label)) &&
    (status === undefined || row.status === status) &&
    (createdSince === undefined || row.created_at >= createdSince) &&
    (createdBefore === undefined || row.created_at < createdBefore)
  )
}
