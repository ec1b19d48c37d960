import { chunks } from '../../platform/concurrency/chunks.ts'
import { readSlices } from '../../platform/db/pages.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isStorable } from '../../platform/json/json.ts'
import { type Pace, unhurried } from '../../platform/long-reads/pace.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { CrmService } from '../crm/service.ts'
import type { UsersRepository } from '../crm/store/users.repository.ts'
import type { ChannelsRepository } from './repository.ts'
import { distinctIds } from './schema.ts'
import { unknownChannel } from './service.ts'
import type { CountedStretch, SubscriptionsRepository } from './subscriptions.repository.ts'
import type {
  Channel,
  ChannelCounts,
  GivenId,
  SeenChannel,
  Subscription,
  UnknownSubscribers,
  Unsubscribers,
  UserChannel,
} from './types.ts'

/** Changes of a device's subscriptions: it adds channels, removes them, or replaces all of them. */
export type Change = 'add' | 'remove' | 'replace'

/** Public channels whose sizes one statement reads. */
const CHANNELS_AT_ONCE = 1000

/** Channels that the record of one user shows. */
const MAX_SHOWN = 1000

/** Identifiers that one statement looks up. */
const IDS_AT_ONCE = 10_000

/** Subscriptions that one statement counts: about 10 ms. */
const COUNTED_AT_ONCE = 50_000

/** The number of users at whom a search for members looks. */
const SEARCHED = 200

interface Parts {
  channels: ChannelsRepository
  subscriptions: SubscriptionsRepository
  users: UsersRepository
  crm: CrmService
  clock: Clock
}

/**
 * Subscriptions. An install is subscribed if it has a subscription of its own, or if its current user has one and the
 * install has not opted out. Every function runs inside the transaction of the caller.
 */
export function subscriptionsService(parts: Parts) {
  return { ...serverSide(parts), ...deviceSide(parts) }
}

function serverSide({ channels, subscriptions, users, crm }: Parts) {
  async function usersOf(appId: number, identifiers: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (const some of chunks(identifiers, IDS_AT_ONCE)) {
      for (const { id, identifier } of await users.idsOf(appId, some)) found.set(identifier, id)
    }
    return found
  }

  return {
    /**
     * Subscribes or unsubscribes installs and users for a server. Returns the unknown ids; with `all` it throws
     * `not_found` for them and changes nothing. An install that is unsubscribed is no longer reached through its user
     * either. A user who is unsubscribed takes the own subscriptions of their current installs along, unless
     * `keepInstalls` is true. Throws `not_found`.
     */
    async changeSubscribers(
      appId: number,
      channelId: number,
      given: Unsubscribers,
      { subscribe, all }: { subscribe: boolean; all: boolean },
    ): Promise<UnknownSubscribers> {
      if (!(await channels.lock(appId, channelId))) throw unknownChannel({ id: channelId })
      const installIds = distinctIds(given.installIds)
      const userIds = distinctIds(given.userIds)
      const installs = await crm.lookupInstalls(appId, [...installIds.keys()])
      const known = await usersOf(appId, [...userIds.keys()])
      const unknownInstallIds = [...installIds].flatMap(([id, written]) => (installs.has(id) ? [] : [written]))
      const unknownUserIds = [...userIds].flatMap(([id, written]) => (known.has(id) ? [] : [written]))
      const unknown = {
        ...(unknownInstallIds.length > 0 && { unknownInstallIds }),
        ...(unknownUserIds.length > 0 && { unknownUserIds }),
      }
      if (all && Object.keys(unknown).length > 0) throw unknownSubscribers(unknownInstallIds, unknownUserIds)

      const rows = [...installs.values()].map(({ row }) => row)
      if (subscribe) {
        await subscriptions.setInstalls(appId, channelId, rows, true)
        await subscriptions.addUsers(appId, channelId, [...known.values()])
      } else {
        // Users first: an install whose user is unsubscribed in the same call then needs no opt-out.
        await subscriptions.removeUsers(appId, channelId, [...known.values()])
        if (!given.keepInstalls) await subscriptions.removeInstallsOf(appId, channelId, [...known.values()])
        await subscriptions.removeInstalls(appId, channelId, rows)
      }
      return unknown
    },

    /** The channels that reach the user or one of their installs, in the order of their creation: the first 1000. */
    async ofUser(appId: number, userId: number): Promise<UserChannel[]> {
      const whole = await subscriptions.ofUser(appId, userId)
      const choices = Map.groupBy(await subscriptions.choicesOfInstalls(appId, userId), ({ channelId }) => channelId)
      const ids = [...whole.union(choices)].sort((a, b) => a - b)
      const names = new Map((await channels.namesByIds(appId, ids.slice(0, MAX_SHOWN))).map((one) => [one.id, one]))
      return ids.flatMap((id) => {
        // Subscriptions of a deleted channel are there for a while.
        const channel = names.get(id)
        if (!channel) return []
        const installIds = (subscribed: boolean) =>
          (choices.get(id) ?? []).flatMap((choice) => (choice.subscribed === subscribed ? [choice.installId] : []))
        const { uuid, name } = channel
        const [own, optedOut] = [installIds(true), installIds(false)]
        if (!whole.has(id) && own.length === 0) return []
        return [{ uuid, name, subscribed: whole.has(id), installIds: own, optedOutInstallIds: optedOut }]
      })
    },

    /**
     * Numbers of subscriptions of channels, in the order of their ids. Counts in short statements; a channel that is
     * not counted to its end when the time of `pace` is over has `isWhole: false`, or is left out.
     */
    async countAll(appId: number, channelIds: readonly number[], pace: Pace = unhurried): Promise<ChannelCounts[]> {
      const found: ChannelCounts[] = []
      const { countUsers, countInstalls } = subscriptions
      for (const channelId of channelIds) {
        const counts: ChannelCounts = { channelId, users: 0, installs: 0, optedOut: 0, isWhole: false }
        for (const count of [countUsers, countInstalls]) {
          for (let after: number | null = 0; after !== null; ) {
            if (!(await pace.turn())) return counts.users > 0 ? [...found, counts] : found
            const { last, seen, own }: CountedStretch = await count(appId, channelId, after, COUNTED_AT_ONCE)
            counts[count === countUsers ? 'users' : 'installs'] += own
            counts.optedOut += seen - own
            after = seen < COUNTED_AT_ONCE ? null : last
          }
        }
        found.push({ ...counts, isWhole: true })
      }
      return found
    },

    /**
     * Members of a channel whose identifier begins with a text, and the install with this id. Only the first users with such
     * identifiers are looked at: `isWhole` is false when there are more.
     */
    async search(
      appId: number,
      channelId: number,
      text: string,
    ): Promise<{ subscriptions: Subscription[]; isWhole: boolean }> {
      if (!isStorable(text)) return { subscriptions: [], isWhole: true }
      const users = await subscriptions.usersFrom(appId, channelId, text, SEARCHED)
      const install = await subscriptions.installNamed(appId, channelId, text)
      const members = users.flatMap(({ userId, isMember }) =>
        isMember && userId.startsWith(text) ? [wholeUser(userId)] : [],
      )
      const isPast = users.at(-1)?.userId.toLowerCase().startsWith(text.toLowerCase()) === false
      return { subscriptions: [...members, ...(install ? [install] : [])], isWhole: users.length < SEARCHED || isPast }
    },

    /**
     * Lists the subscriptions to a channel: first of users, then of installs, each in the order of their creation. `after` is
     * the `next` of the previous page, which is null on the last one. Throws `invalid` for any other `after`.
     */
    async list(
      appId: number,
      channelId: number,
      { after = 'u0', limit }: { after?: string | undefined; limit: number },
    ): Promise<{ subscriptions: Subscription[]; next: string | null }> {
      const [, kind, place] = /^([ui])(\d{1,15})$/.exec(after) ?? []
      if (kind === undefined) throw invalid({ after: ['must be the next of the previous page'] })
      const listed: { one: Subscription | undefined; next: string }[] = []
      if (kind === 'u') {
        for (const { at, userId } of await subscriptions.usersPage(appId, channelId, Number(place), limit + 1)) {
          listed.push({ one: userId === undefined ? undefined : wholeUser(userId), next: `u${at}` })
        }
      }
      if (listed.length <= limit) {
        const from = kind === 'i' ? Number(place) : 0
        const found = await subscriptions.installsPage(appId, channelId, from, limit + 1 - listed.length)
        listed.push(...found.map(({ at, install }) => ({ one: install, next: `i${at}` })))
      }
      const page = listed.slice(0, limit)
      return {
        subscriptions: page.flatMap(({ one }) => one ?? []),
        next: listed.length > limit ? page.at(-1)!.next : null,
      }
    },
  }
}

function wholeUser(userId: string): Subscription {
  return { userId, installId: null, subscribed: true }
}

function deviceSide({ channels, subscriptions, users, crm, clock }: Parts) {
  /**
   * The ids of channels in ascending order, so that two devices cannot deadlock. Throws `not_found` if any is unknown.
   */
  async function all(appId: number, uuids: readonly string[]): Promise<number[]> {
    const found = await channels.namesByUuids(appId, uuids)
    const known = new Set(found.map(({ uuid }) => uuid))
    const unknown = uuids.filter((uuid) => !known.has(uuid))
    if (unknown.length > 0) {
      throw new AppError('not_found', `nothing was changed, because there is no channel ${quoted(unknown)}`)
    }
    return found.map(({ id }) => id).sort((a, b) => a - b)
  }

  /**
   * All public channels, and the private ones in `subscribed`, by id and without duplicates. They are read in parts
   * because apps ask for the whole list; each has the state it had when its part was read.
   */
  async function* seen(appId: number, subscribed: ReadonlySet<number>): AsyncGenerator<SeenChannel> {
    const ofDevices = await channels.showsDeviceChannels(appId)
    const isPublic = ({ name, madeByDevice }: Channel) => name !== null && (ofDevices || !madeByDevice)
    for (let after = 0; after < Infinity; ) {
      const named = await channels.public(appId, after, CHANNELS_AT_ONCE, ofDevices)
      const last = named.length < CHANNELS_AT_ONCE ? Infinity : named.at(-1)!.id
      const shown = new Set(named.map(({ id }) => id))
      const others = [...subscribed].filter((id) => id > after && id <= last && !shown.has(id))
      const listed = [...named, ...(await channels.weights(appId, others))].sort((a, b) => a.id - b.id)
      for await (const channel of readSlices(listed, (ids) => channels.byIds(appId, ids))) {
        const isSubscribed = subscribed.has(channel.id)
        // It may have become private since.
        if (isSubscribed || isPublic(channel)) yield seenAs(channel, isSubscribed)
      }
      after = last
    }
  }

  /** Channels that reach the user or one of their current installs, so that the user sees them and can leave them. */
  async function channelsOfUser(appId: number, userId: number): Promise<Set<number>> {
    const choices = await subscriptions.choicesOfInstalls(appId, userId)
    const own = choices.filter(({ subscribed }) => subscribed).map(({ channelId }) => channelId)
    return new Set([...(await subscriptions.ofUser(appId, userId)), ...own])
  }

  async function channelsOfInstall(appId: number, row: number, userId: number): Promise<Set<number>> {
    const subscribed = await subscriptions.ofUser(appId, userId)
    for (const [channelId, isSubscribed] of await subscriptions.choicesOfInstall(appId, row)) {
      if (isSubscribed) subscribed.add(channelId)
      else subscribed.delete(channelId)
    }
    return subscribed
  }

  /** True if the user had to be created. */
  async function changeOfUser(
    appId: number,
    identifier: string,
    how: Change,
    ids: readonly number[],
  ): Promise<boolean> {
    if (!isIdentifier(identifier)) throw invalid({ userIdentifier: [IDENTIFIER_RULE] })
    const known = await users.find(appId, identifier)
    // An unknown user has no subscriptions.
    if (!known && (how === 'remove' || ids.length === 0)) return false
    const created = known ? undefined : await createUser(appId, identifier)
    const user = known ?? created ?? (await users.find(appId, identifier))!
    await subscriptions.lockUser(appId, user.id)
    const before = await channelsOfUser(appId, user.id)
    const leaving = how === 'add' ? [] : how === 'remove' ? ids : [...before].filter((id) => !ids.includes(id))
    for (const id of leaving) await subscriptions.removeUsers(appId, id, [user.id])
    if (how !== 'remove') for (const id of ids) await subscriptions.addUsers(appId, id, [user.id])
    await liftChoices(appId, user.id, identifier, new Set(leaving), how === 'remove' ? [] : ids)
    return created !== undefined
  }

  /**
   * Unsubscribing a user unsubscribes all of their installs. Subscribing a user does not lift the opt-out of an
   * install, unless the user is anonymous: then user and install are the same.
   */
  async function liftChoices(
    appId: number,
    userId: number,
    identifier: string,
    leaving: ReadonlySet<number>,
    coming: readonly number[],
  ): Promise<void> {
    const choices = await subscriptions.choicesOfInstalls(appId, userId)
    const lifted = choices.filter(({ channelId, subscribed, installId }) =>
      subscribed ? leaving.has(channelId) : installId === identifier && coming.includes(channelId),
    )
    for (const [row, some] of Map.groupBy(lifted, (choice) => choice.row)) {
      await subscriptions.forget(
        appId,
        row,
        some.map(({ channelId }) => channelId),
      )
    }
  }

  /**
   * Creates the user of an identifier that a device uses before its first event has arrived. Later events show whether
   * the user is a known one. Undefined if another request created the user first.
   */
  function createUser(appId: number, identifier: string): Promise<{ id: number } | undefined> {
    const now = clock.now()
    return users.create(appId, identifier, { anonymous: true, at: now, now })
  }

  /** True if the install had to be created. */
  async function changeOfInstall(
    appId: number,
    installId: string,
    how: Change,
    ids: readonly number[],
  ): Promise<boolean> {
    const { row, isNew } = await crm.ensureInstall(appId, installId, clock.now())
    if (how !== 'remove') for (const id of ids) await subscriptions.setInstalls(appId, id, [row], true)
    if (how === 'add') return isNew
    const { userId } = await crm.showInstall(appId, installId)
    const leaving =
      how === 'remove' ? ids : [...(await channelsOfInstall(appId, row, userId))].filter((id) => !ids.includes(id))
    for (const id of leaving) await subscriptions.setInstalls(appId, id, [row], false)
    return isNew
  }

  return {
    /**
     * The channels that a user sees: the public ones, and the private ones to which they or one of their installs is
     * subscribed. Unknown users see the public ones.
     */
    async seenByUser(appId: number, identifier: string): Promise<AsyncIterable<SeenChannel>> {
      const user = isIdentifier(identifier) ? await users.find(appId, identifier) : undefined
      return seen(appId, user ? await channelsOfUser(appId, user.id) : new Set())
    },

    /**
     * The channels that an install sees. Throws `not_found`, before reading any, if the install is unknown;
     * `crm.ensureInstall` creates it.
     */
    async seenByInstall(appId: number, installId: string): Promise<AsyncIterable<SeenChannel>> {
      const { row, userId } = await crm.showInstall(appId, installId)
      return seen(appId, await channelsOfInstall(appId, row, userId))
    },

    /**
     * Changes the subscriptions of a device's user. True if the user had to be created. Throws `not_found`, and changes
     * nothing, if a channel is unknown.
     */
    async changeByUser(appId: number, identifier: string, how: Change, uuids: readonly string[]): Promise<boolean> {
      return changeOfUser(appId, identifier, how, await all(appId, uuids))
    },

    /**
     * Changes the subscriptions of a device's install; a removal is an opt-out. Returns and throws as `changeByUser`.
     */
    async changeByInstall(appId: number, installId: string, how: Change, uuids: readonly string[]): Promise<boolean> {
      return changeOfInstall(appId, installId, how, await all(appId, uuids))
    },

    /**
     * Subscribes the user or install that a device named when it created a channel; `made` counts those that had to be
     * created.
     */
    async join(
      appId: number,
      channel: Channel,
      { userIdentifier, installId }: { userIdentifier?: string; installId?: string },
    ): Promise<{ seen: SeenChannel; made: number }> {
      let made = 0
      if (installId !== undefined && (await changeOfInstall(appId, installId, 'add', [channel.id]))) made++
      if (userIdentifier !== undefined && (await changeOfUser(appId, userIdentifier, 'add', [channel.id]))) made++
      return { seen: seenAs(channel, installId !== undefined || userIdentifier !== undefined), made }
    },
  }
}

function seenAs({ uuid, name, meta }: Channel, subscribed: boolean): SeenChannel {
  return { uuid, name, meta, subscribed }
}

function unknownSubscribers(installIds: readonly GivenId[], userIds: readonly GivenId[]): AppError {
  const parts = [
    ...(installIds.length > 0 ? [`install ${quoted(installIds)}`] : []),
    ...(userIds.length > 0 ? [`user ${quoted(userIds)}`] : []),
  ]
  return new AppError('not_found', `nothing was changed, because there is no ${parts.join(' and no ')}`)
}

/** The first few items of a list, for an error message. */
function quoted(values: readonly GivenId[]): string {
  const shown = values.slice(0, 3).map((value) => JSON.stringify(value))
  const rest = values.length - shown.length
  return rest > 0 ? `${shown.join(', ')} (and ${rest} more)` : shown.join(', ')
}
