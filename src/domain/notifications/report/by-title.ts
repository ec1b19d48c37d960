import { readWeighedPage } from '../../../platform/db/pages.ts'
import type { TitledRow } from '../repository.ts'
import type { NotificationRecord } from '../types.ts'

/** Notifications that a search looks at for a page: it ends after these, whatever it found. */
const LOOKED_AT = 500

const TITLE = /^\{"title":("(?:[^"\\]|\\.)*")/

/** Tells whether a stored content has the text in its title. Pure. */
function hasInTitle(head: string, q: string): boolean {
  const found = TITLE.exec(head)
  return found !== null && (JSON.parse(found[1]!) as string).toLowerCase().includes(q.toLowerCase())
}

/** Reads of a list: rows behind its beginning, and records. */
interface Reads {
  look(most: number): Promise<readonly TitledRow[]>
  byIds(ids: readonly number[]): Promise<readonly NotificationRecord[]>
}

/** A page of the notifications with the text in their title. It may have fewer than `limit`, or none, and a `next` all the same. */
export async function pageByTitle(q: string, limit: number, { look, byIds }: Reads) {
  const looked = await look(LOOKED_AT)
  const found = looked.filter(({ head }) => hasInTitle(head!, q))
  const page = await readWeighedPage(limit, async (most) => found.slice(0, most), byIds)
  const last = looked.length < LOOKED_AT ? null : looked.at(-1)!.id
  return { rows: page.rows, next: page.next ?? last }
}
