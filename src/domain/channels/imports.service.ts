import { readPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ImportsRepository } from './imports.repository.ts'
import type { SubscribersFile } from './subscribers-file.ts'
import type { Channel, ChannelImport, UnknownLine } from './types.ts'

const DAY_MS = 86_400_000

/** Imports of subscriber files: queues them and reports their progress. `ingest.ts` applies them. */
export function importsService({ repo, clock }: { repo: ImportsRepository; clock: Clock }) {
  /** An import of the channel. Throws `not_found`. */
  async function find(channel: Channel, id: string): Promise<ChannelImport> {
    const found = /^[0-9a-f-]{36}$/.test(id) ? await repo.find(channel.appId, channel.id, id) : undefined
    if (!found) throw new AppError('not_found', `there is no import ${JSON.stringify(id)} of this channel`)
    return found
  }

  return {
    find,

    /** Queues a file that is on disk. */
    queue(channel: Channel, { id, size, total }: SubscribersFile): Promise<ChannelImport> {
      return repo.insert({ id, appId: channel.appId, channelId: channel.id, size, total }, clock.now())
    },

    /** An import of the channel with the first lines that named nobody. Throws `not_found`. */
    async get(channel: Channel, id: string): Promise<ChannelImport & { unknownLines: UnknownLine[] }> {
      const found = await find(channel, id)
      return { ...found, unknownLines: await repo.unknownLines(found.row) }
    },

    /**
     * Deletes up to `limit` imports that ended at least `days` days ago, with their lists of unknown users. Returns how
     * many.
     */
    forget(days: number, limit: number): Promise<number> {
      return repo.forget(clock.now() - days * DAY_MS, limit)
    },

    /** Imports of a channel, newest first; `next` is null on the last page. */
    async list(
      channel: Channel,
      { after, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ imports: ChannelImport[]; next: number | null }> {
      const { rows: imports, last } = await readPage(limit, (most) => repo.list(channel.appId, channel.id, after, most))
      return { imports, next: last?.row ?? null }
    },
  }
}
