import type { Cursor } from '../types.ts'

/** A record, and the number of records before it in an order. */
export interface Mark {
  before: number
  place: Cursor
}

const MAX_ORDERS = 64
const MAX_MARKS = 256

export type PageMarks = ReturnType<typeof createPageMarks>

/**
 * Cache of the offsets of recently read pages, per table and order. A distant page is then counted from the nearest
 * mark instead of the start. Marks are valid for one state of a table; its `changes` counter distinguishes states.
 */
export function createPageMarks() {
  /** Marks by table and order, the most recently used last. */
  const orders = new Map<string, { changes: number; marks: Mark[] }>()

  function marksOf(order: string, changes: number): Mark[] {
    const known = orders.get(order)
    orders.delete(order)
    const kept = known?.changes === changes ? known : { changes, marks: [] }
    orders.set(order, kept)
    if (orders.size > MAX_ORDERS) orders.delete(orders.keys().next().value!)
    return kept.marks
  }

  return {
    /** The last mark at or before the offset `before`. */
    nearest(order: string, changes: number, before: number): Mark | undefined {
      return marksOf(order, changes).findLast((mark) => mark.before <= before)
    },

    remember(order: string, changes: number, mark: Mark): void {
      const marks = marksOf(order, changes)
      const at = marks.findLastIndex(({ before }) => before <= mark.before)
      if (marks[at]?.before === mark.before) return
      marks.splice(at + 1, 0, mark)
      // The best one to drop is in the densest area, but any will do.
      if (marks.length > MAX_MARKS) marks.splice((at + 1 + MAX_MARKS / 2) % MAX_MARKS, 1)
    },
  }
}
