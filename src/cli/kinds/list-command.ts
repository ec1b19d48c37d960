import { type Command, Flags } from '@oclif/core'
import type { Output } from '../output/output.ts'
import { type AppCommandParts, type ArgInput, appCommand, type FlagInput, type Job, type None } from './app-command.ts'

type Rows = Parameters<Output['table']>[1]

/** Flags of a command that lists in pages. */
export function pageFlags({ limit = 50, most = 1000 } = {}) {
  return {
    after: Flags.integer({
      min: 1,
      // Larger integers would be rounded.
      max: Number.MAX_SAFE_INTEGER,
      helpValue: 'NEXT',
      description: 'continue after the previous page, given its "next"',
    }),
    limit: Flags.integer({ default: limit, min: 1, max: most, helpValue: 'N', description: 'maximum number of rows' }),
  }
}

/** Prints a page as a table: `none` when the list is empty, and a hint how to continue while there is a `next` page. */
export function showPage(
  out: Output,
  head: readonly string[],
  rows: Rows,
  {
    after,
    next,
    things,
    none,
  }: { after: number | string | undefined; next: number | string | null; things: string; none: string },
): void {
  out.table(head, rows, after === undefined ? none : `There are no more ${things}.`)
  if (next !== null) out.note(`There are more: --after ${next}`)
}

type Paged<F> = F & ReturnType<typeof pageFlags>

interface Page {
  /** The JSON answer, without `next`. */
  json: object
  rows: Rows
  next: number | null
}

interface ListParts<A, F> extends Omit<AppCommandParts<A, F, undefined>, 'read' | 'work'> {
  paging?: Parameters<typeof pageFlags>[0]
  /** Plural noun. */
  things: string
  /** Printed instead of an empty list. */
  none: string
  head: readonly string[] | ((flags: Job<A, Paged<F>, undefined>['flags']) => readonly string[])
  page(job: Job<A, Paged<F>, undefined>): Promise<Page>
}

/** A command that lists things of one app in pages (`--after`, `--limit`). */
export function listCommand<A extends ArgInput = None, F extends FlagInput = None>({
  paging,
  things,
  none,
  head,
  page,
  flags,
  ...parts
}: ListParts<A, F>): Command.Class {
  return appCommand<A, Paged<F>>({
    ...(parts as Omit<typeof parts, 'args'> & { args: A }),
    flags: { ...flags, ...pageFlags(paging) } as Paged<F>,
    async work(job) {
      const { json, rows, next } = await page(job)
      job.out.value({ ...json, next })
      showPage(job.out, typeof head === 'function' ? head(job.flags) : head, rows, {
        after: (job.flags as { after?: number }).after,
        next,
        things,
        none,
      })
    },
  })
}
