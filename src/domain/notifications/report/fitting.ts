import { readWeighedPage } from '../../../platform/db/pages.ts'
import type { ListedRow } from '../repository.ts'
import type { NotificationFilter, NotificationRecord } from '../types.ts'

/** Notifications that are looked at for a page: it ends after these, whatever it found. */
const LOOKED_AT = 500

const TITLE = /^\{"title":("(?:[^"\\]|\\.)*")/

/** Tells whether a stored content has the text in its title. Pure. */
function hasInTitle(head: string, q: string): boolean {
  const found = TITLE.exec(head)
  return found !== null && (JSON.parse(found[1]!) as string).toLowerCase().includes(q.toLowerCase())
}

/** Reads of a list: rows behind its beginning, and records. */
interface Reads {
  look(most: number): Promise<readonly ListedRow[]>
  byIds(ids: readonly number[]): Promise<readonly NotificationRecord[]>
}

type Fitting = Pick<NotificationFilter, 'q' | 'label' | 'status'>

/** Tells whether a part of the filter is left that no index finds: its rows are looked through. Pure. */
export const isLookedThrough = ({ q, label, status }: Fitting): boolean =>
  q !== undefined || (label !== undefined && status !== undefined)

/** A page of the notifications that the rest of the filter lets through. It may have fewer than `limit`, or none, and a `next` all the same. */
export async function pageOfFitting({ q, status }: Fitting, limit: number, { look, byIds }: Reads) {
  const looked = await look(LOOKED_AT)
  const found = looked.filter(
    (row) => (q === undefined || hasInTitle(row.head!, q)) && (status === undefined || row.status === status),
  )
  const page = await readWeighedPage(limit, async (most) => found.slice(0, most), byIds)
  const last = looked.length < LOOKED_AT ? null : looked.at(-1)!.id
  return { rows: page.rows, next: page.next ?? last }
}
