import { Flags } from '@oclif/core'
import type { Output } from '../output/output.ts'

/** Flags of a command that lists in pages. */
export function pageFlags({ limit = 50, most = 1000 } = {}) {
  return {
    after: Flags.integer({
      min: 1,
      // A longer number would be another one by the time it is looked for.
      max: Number.MAX_SAFE_INTEGER,
      helpValue: 'NEXT',
      description: 'go on where the page before ended (its next)',
    }),
    limit: Flags.integer({ default: limit, min: 1, max: most, helpValue: 'N', description: 'how many' }),
  }
}

/** A page for people: `none` when there is nothing at all, else a hint how to go on while there is a `next` page. */
export function showPage(
  out: Output,
  head: readonly string[],
  rows: Parameters<Output['table']>[1],
  { after, next, things, none }: { after: number | undefined; next: number | null; things: string; none: string },
): void {
  out.table(head, rows, after === undefined ? none : `There are no more ${things}.`)
  if (next !== null) out.note(`there are more: --after ${next}`)
}
