import type { Clock } from '../../platform/clock.ts'
import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isStorable, type SizeLimit, sizeProblem } from '../../platform/json.ts'
import type { ImportsRepository } from './imports.repository.ts'
import type { ChannelKey, ChannelNames, ChannelsRepository } from './repository.ts'
import { NAME_NEEDED } from './schema.ts'
import type { SubscriptionCounts, SubscriptionsRepository } from './subscriptions.repository.ts'
import type { Channel, ChannelChange, NewChannel } from './types.ts'

export type ChannelsService = ReturnType<typeof channelsService>

/** Channels found among those that were asked for, and what was asked for in vain, in the order given. */
export interface FoundChannels<K> {
  channels: ChannelNames[]
  unknown: K[]
}

/** Rows of one transaction that clears away, and imports, each of which may have kept a thousand unknown lines. */
const ROWS_CLEARED_AT_ONCE = 5000
const IMPORTS_CLEARED_AT_ONCE = 5

/** Channels of an app: what there is to subscribe to. */
export function channelsService({
  repo,
  subscriptions,
  imports,
  clock,
  largestMeta,
}: {
  repo: ChannelsRepository
  subscriptions: SubscriptionsRepository
  imports: Pick<ImportsRepository, 'deleteOf'>
  clock: Clock
  /** What `meta` may have, of a server and of a device; absent: any size. */
  largestMeta?: { server: SizeLimit; device: SizeLimit }
}) {
  /** Throws `not_found`. */
  async function get(appId: number, key: ChannelKey): Promise<Channel> {
    // PostgreSQL refuses NUL even in a question.
    const channel = 'uuid' in key && !isStorable(key.uuid) ? undefined : await repo.find(appId, key)
    if (!channel) throw unknownChannel(key)
    return channel
  }

  async function insert(
    appId: number,
    channel: NewChannel,
    { madeByDevice }: Pick<Channel, 'madeByDevice'>,
  ): Promise<Channel | undefined> {
    const now = clock.now()
    return repo.insert({
      appId,
      uuid: channel.uuid,
      name: channel.name ?? null,
      showInPortal: channel.showInPortal ?? false,
      meta: channel.meta ?? null,
      madeByDevice,
      createdAt: now,
      updatedAt: now,
    })
  }

  return {
    get,

    /** A new channel; it has no subscribers. Throws `invalid` when the app has one of that uuid, or for a `meta` that is too large. */
    async create(appId: number, channel: NewChannel): Promise<Channel> {
      refuseMeta(channel.meta, largestMeta?.server)
      const created = await insert(appId, channel, { madeByDevice: false })
      if (!created) throw takenUuid(channel.uuid)
      return created
    },

    /**
     * A device's new channel, or the one that has this uuid already, unchanged: apps call this at every start. Throws `invalid` for a
     * `meta` that is too large, of a new one only.
     */
    async ensure(appId: number, channel: NewChannel): Promise<{ channel: Channel; created: boolean }> {
      const tooLarge = sizeProblem(channel.meta, largestMeta?.device)
      const created = tooLarge === undefined ? await insert(appId, channel, { madeByDevice: true }) : undefined
      if (created) return { channel: created, created: true }
      const found = await repo.find(appId, { uuid: channel.uuid })
      if (!found && tooLarge !== undefined) throw invalid({ meta: [tooLarge] })
      return { channel: found ?? (await get(appId, { uuid: channel.uuid })), created: false }
    },

    /**
     * A server changes what is given; absent stays, null clears. A channel that a device made is the server's own when it gives the
     * name. Throws `not_found`, and `invalid` for a uuid that another channel has, a channel that the portal should show and that
     * would have no name, or a `meta` that is too large.
     */
    async update(appId: number, id: number, change: ChannelChange): Promise<Channel> {
      refuseMeta(change.meta, largestMeta?.server)
      const before = await repo.lock(appId, id)
      if (!before) throw unknownChannel({ id })
      const after: Channel = {
        ...before,
        uuid: change.uuid ?? before.uuid,
        name: change.name === undefined ? before.name : change.name,
        showInPortal: change.showInPortal ?? before.showInPortal,
        meta: change.meta === undefined ? before.meta : change.meta,
        madeByDevice: before.madeByDevice && change.name === undefined,
        updatedAt: clock.now(),
      }
      const other = after.uuid === before.uuid ? undefined : await repo.find(appId, { uuid: after.uuid })
      if (other) throw takenUuid(after.uuid)
      if (after.showInPortal && after.name === null) throw invalid({ name: [NAME_NEEDED] })
      await repo.update(after)
      return after
    },

    /**
     * Deletes the channel. At once nobody sees it or is reached through it, and its uuid is free; `clearAway` follows with its
     * subscriptions and imports, because there can be millions. Throws `not_found`.
     */
    async delete(appId: number, id: number): Promise<void> {
      if (!(await repo.delete(appId, id))) throw unknownChannel({ id })
    },

    /** Deletes all channels of an app in the same way. */
    deleteAll(appId: number): Promise<void> {
      return repo.deleteAll(appId)
    },

    /** Deletes some of what deleted channels left behind, in some 20 ms. False when there was nothing. */
    async clearAway(): Promise<boolean> {
      const gone = await repo.deleted()
      if (!gone) return false
      if (await subscriptions.clear(gone.appId, gone.id, ROWS_CLEARED_AT_ONCE)) return true
      if ((await imports.deleteOf(gone.appId, gone.id, IMPORTS_CLEARED_AT_ONCE)) === 0)
        await repo.forgetDeleted(gone.appId, gone.id)
      return true
    },

    /** Channels in the order of their creation, after the one with the id `after` (0 = from the start); `next` is null at the end. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ channels: Channel[]; next: number | null }> {
      const { rows: channels, next } = await readWeighedPage(
        limit,
        (most) => repo.list(appId, after, most),
        (ids) => repo.byIds(appId, ids),
      )
      return { channels, next }
    },

    /** How many installs and users are subscribed to a channel of the app. */
    counts(appId: number, channelId: number): Promise<SubscriptionCounts> {
      return subscriptions.counts(appId, channelId)
    },

    /** The channels with these uuids, in the order given, each once. */
    async findByUuids(appId: number, uuids: readonly string[]): Promise<FoundChannels<string>> {
      const found = await repo.namesByUuids(appId, [...new Set(uuids)])
      return sorted(uuids, new Map(found.map((channel) => [channel.uuid, channel])))
    },

    /** The channels with these ids, in the order given, each once. */
    async findByIds(appId: number, ids: readonly number[]): Promise<FoundChannels<number>> {
      const found = await repo.namesByIds(appId, [...new Set(ids)])
      return sorted(ids, new Map(found.map((channel) => [channel.id, channel])))
    },
  }
}

function sorted<K>(keys: readonly K[], byKey: ReadonlyMap<K, ChannelNames>): FoundChannels<K> {
  const distinct = [...new Set(keys)]
  return {
    channels: distinct.flatMap((key) => byKey.get(key) ?? []),
    unknown: distinct.filter((key) => !byKey.has(key)),
  }
}

/** The error for a channel that the app does not have. */
export function unknownChannel(key: ChannelKey): AppError {
  const named = 'id' in key ? key.id : JSON.stringify(key.uuid)
  return new AppError('not_found', `there is no channel ${named}`)
}

function refuseMeta(meta: NewChannel['meta'], limit: SizeLimit | undefined): void {
  const tooLarge = sizeProblem(meta, limit)
  if (tooLarge !== undefined) throw invalid({ meta: [tooLarge] })
}

function takenUuid(uuid: string): AppError {
  return invalid({ uuid: [`is taken: another channel of the app has ${JSON.stringify(uuid)}`] })
}
