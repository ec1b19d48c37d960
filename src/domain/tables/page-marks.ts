import type { Cursor } from './types.ts'

/** A record and how many come before it in an order. */
export interface Mark {
  before: number
  place: Cursor
}

const MOST_ORDERS = 64
const MOST_MARKS = 256

export type PageMarks = ReturnType<typeof createPageMarks>

/**
 * Where pages that were read lately began, for every order of every table: the next page far down is counted from the nearest
 * mark, not from the start. Marks hold for one state of a table only; `changes` of its census tells states apart.
 */
export function createPageMarks() {
  /** By table and order; the one used last at the end. */
  const orders = new Map<string, { changes: number; marks: Mark[] }>()

  function marksOf(order: string, changes: number): Mark[] {
    const known = orders.get(order)
    orders.delete(order)
    const kept = known?.changes === changes ? known : { changes, marks: [] }
    orders.set(order, kept)
    if (orders.size > MOST_ORDERS) orders.delete(orders.keys().next().value!)
    return kept.marks
  }

  return {
    /** The last mark that is not behind `before`. */
    nearest(order: string, changes: number, before: number): Mark | undefined {
      return marksOf(order, changes).findLast((mark) => mark.before <= before)
    },

    remember(order: string, changes: number, mark: Mark): void {
      const marks = marksOf(order, changes)
      const at = marks.findLastIndex(({ before }) => before <= mark.before)
      if (marks[at]?.before === mark.before) return
      marks.splice(at + 1, 0, mark)
      // The one in the middle of the densest stretch would be the best to lose; any one will do.
      if (marks.length > MOST_MARKS) marks.splice((at + 1 + MOST_MARKS / 2) % MOST_MARKS, 1)
    },
  }
}
