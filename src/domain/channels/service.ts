import type { LockPurpose } from '../../platform/db/dialect.ts'
import { readWeighedPage } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isStorable, type SizeLimit, sizeProblem } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ImportsRepository } from './imports.repository.ts'
import type { ChannelKey, ChannelNames, ChannelsRepository } from './repository.ts'
import { NAME_NEEDED } from './schema.ts'
import type { SubscriptionCounts, SubscriptionsRepository } from './subscriptions.repository.ts'
import { type Channel, type ChannelChange, merged, type NewChannel } from './types.ts'

export type ChannelsService = ReturnType<typeof channelsService>

/** Channels that were found, and keys that were not, each in the order given. */
export interface FoundChannels<K> {
  channels: ChannelNames[]
  unknown: K[]
}

/** Rows, and imports, that one clean-up transaction deletes. An import may have stored a thousand unknown lines. */
const ROWS_CLEARED_AT_ONCE = 5000
const IMPORTS_CLEARED_AT_ONCE = 5

/** The channels of an app. */
export function channelsService({
  repo,
  subscriptions,
  imports,
  clock,
  maxMeta,
}: {
  repo: ChannelsRepository
  subscriptions: SubscriptionsRepository
  imports: Pick<ImportsRepository, 'deleteOf'>
  clock: Clock
  /** Maximum size of `meta` from a server and from a device; no limit if absent. */
  maxMeta?: { server: SizeLimit; device: SizeLimit }
}) {
  /** Throws `not_found`. */
  async function get(appId: number, key: ChannelKey): Promise<Channel> {
    // PostgreSQL refuses NUL characters in queries too.
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
      ...merged(channel),
      madeByDevice,
      createdAt: now,
      updatedAt: now,
    })
  }

  return {
    get,

    /** Creates a channel without subscribers. Throws `invalid` if its uuid is taken or its `meta` is too large. */
    async create(appId: number, channel: NewChannel): Promise<Channel> {
      refuseMeta(channel.meta, maxMeta?.server)
      const created = await insert(appId, channel, { madeByDevice: false })
      if (!created) throw takenUuid(channel.uuid)
      return created
    },

    /**
     * Creates a channel for a device. If the uuid exists, returns that channel unchanged, because apps call this at
     * every start. Throws `invalid` if the `meta` of a new channel is too large.
     */
    async ensure(appId: number, channel: NewChannel): Promise<{ channel: Channel; created: boolean }> {
      const tooLarge = sizeProblem(channel.meta, maxMeta?.device)
      const created = tooLarge === undefined ? await insert(appId, channel, { madeByDevice: true }) : undefined
      if (created) return { channel: created, created: true }
      const found = await repo.find(appId, { uuid: channel.uuid })
      if (!found && tooLarge !== undefined) throw invalid({ meta: [tooLarge] })
      return { channel: found ?? (await get(appId, { uuid: channel.uuid })), created: false }
    },

    /** Locks a channel until the commit, as a change of it does first. */
    lock: (appId: number, id: number, purpose: LockPurpose) => repo.lock(appId, id, purpose),

    /**
     * Changes a channel for a server: absent fields are left unchanged, null clears. A name makes a channel that a
     * device created the server's own. Throws `not_found`, and `invalid` if the uuid is taken, if the portal should
     * show a channel without a name, or if `meta` is too large.
     */
    async update(appId: number, id: number, change: ChannelChange): Promise<Channel> {
      refuseMeta(change.meta, maxMeta?.server)
      const before = await repo.lock(appId, id)
      if (!before) throw unknownChannel({ id })
      const after: Channel = {
        ...before,
        uuid: change.uuid ?? before.uuid,
        ...merged(change, before),
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
     * Deletes a channel. It is no longer listed or targeted, and its uuid is free. Its subscriptions and imports, of
     * which there can be millions, are left to `clearAway`. Throws `not_found`.
     */
    async delete(appId: number, id: number): Promise<void> {
      if (!(await repo.delete(appId, id))) throw unknownChannel({ id })
    },

    /** Deletes all channels of an app as `delete` does. */
    deleteAll(appId: number): Promise<void> {
      return repo.deleteAll(appId)
    },

    /** Deletes some rows of deleted channels, in about 20 ms. False if there are none. */
    async clearAway(): Promise<boolean> {
      const gone = await repo.deleted()
      if (!gone) return false
      if (await subscriptions.clear(gone.appId, gone.id, ROWS_CLEARED_AT_ONCE)) return true
      if ((await imports.deleteOf(gone.appId, gone.id, IMPORTS_CLEARED_AT_ONCE)) === 0)
        await repo.forgetDeleted(gone.appId, gone.id)
      return true
    },

    /** Channels by id, after the id `after` (0 = from the start); `next` is null on the last page. */
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

    /** The number of installs and users that are subscribed to a channel of the app. */
    counts(appId: number, channelId: number): Promise<SubscriptionCounts> {
      return subscriptions.counts(appId, channelId)
    },

    /** The channels with these uuids, in the order given, without duplicates. */
    async findByUuids(appId: number, uuids: readonly string[]): Promise<FoundChannels<string>> {
      const found = await repo.namesByUuids(appId, [...new Set(uuids)])
      return sorted(uuids, new Map(found.map((channel) => [channel.uuid, channel])))
    },

    /** The channels with these ids, in the order given, without duplicates. */
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
