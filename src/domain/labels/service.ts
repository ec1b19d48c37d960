import { readPage } from '../../platform/db/pages.ts'
import type { LabelsRepository } from './repository.ts'
import { labelOf } from './schema.ts'
import type { Labelled, LabelPeriod, LabelSums, MessageSums, PushSums } from './types.ts'

export interface LabelsParts {
  repo: Pick<LabelsRepository, 'names' | 'sends'>
  /** Adds up notifications of an app. */
  pushSums(appId: number, ids: readonly number[]): Promise<PushSums>
  /** The same of in-app messages. */
  messageSums(appId: number, ids: readonly number[]): Promise<MessageSums>
}

/** A page of labels. */
interface Page {
  after?: string | undefined
  limit: number
}

/** The sends of each kind that the sums of one label read: the newest of the period. */
export const MOST_SENDS = 500

/** Labels of sends: which are in use, and what became of the sends that carry them. */
export function labelsService({ repo, pushSums, messageSums }: LabelsParts) {
  /** Labels in use that begin with `q`, in the order of their characters; `next` leads on. */
  async function names(appId: number, { q = '', after, limit }: Page & { q?: string | undefined }) {
    const begin = labelOf(q)
    const last = after === undefined ? '' : labelOf(after)
    const isBehind = last >= begin && last !== ''
    const { rows: labels, last: end } = await readPage(limit, async (most) => {
      const found = await repo.names(appId, { from: isBehind ? last : begin, isBehind, limit: most })
      return found.filter((label) => label.startsWith(begin))
    })
    return { labels, next: end ?? null }
  }

  async function sumsOf(appId: number, label: string, { since, before }: LabelPeriod): Promise<LabelSums> {
    const read = (kind: Labelled) =>
      repo.sends(appId, label, kind, { createdSince: since, createdBefore: before, limit: MOST_SENDS + 1 })
    const [pushes, messages] = [await read('push'), await read('in-app')]
    return {
      label,
      pushes: await pushSums(appId, pushes.slice(0, MOST_SENDS)),
      messages: await messageSums(appId, messages.slice(0, MOST_SENDS)),
      isWhole: pushes.length <= MOST_SENDS && messages.length <= MOST_SENDS,
    }
  }

  return {
    names,

    /**
     * The sums of the sends that carry each label and were created in a period: one label, or a page of those in use. A label
     * without sends in the period is left out, so a page may be short, or empty, and have a `next` all the same.
     */
    async report(
      appId: number,
      period: LabelPeriod,
      { label, ...page }: Page & { label?: string | undefined },
    ): Promise<{ rows: LabelSums[]; next: string | null }> {
      if (label !== undefined) return { rows: [await sumsOf(appId, labelOf(label), period)], next: null }
      const { labels, next } = await names(appId, page)
      const rows: LabelSums[] = []
      for (const one of labels) {
        const sums = await sumsOf(appId, one, period)
        if (sums.pushes.sends + sums.messages.sends > 0) rows.push(sums)
      }
      return { rows, next }
    },
  }
}
