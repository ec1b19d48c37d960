import type { Sql } from '../../platform/db/connect.ts'
import { isPostgres, type LockPurpose, rowLocked, whereAmong, whereIds } from '../../platform/db/dialect.ts'
import { bytesOf, oldestFirst, type WeighedRow } from '../../platform/db/pages.ts'
import { CHANNELS, type Channel } from './types.ts'

/** The names of a channel, without its data. */
export type ChannelNames = Pick<Channel, 'id' | 'uuid' | 'name'>

/** Identifies a channel. */
export type ChannelKey = { id: number } | { uuid: string }

export type ChannelsRepository = ReturnType<typeof channelsRepository>

/** Tables: docs/reference/schema.md#channels, #deleted_channels. */
export function channelsRepository(sql: Sql) {
  const channels = () => CHANNELS.in(sql)
  const listed = (appId: number, after: number, limit: number) =>
    sql('channels').where({ app_id: appId }).modify(oldestFirst(after, limit))

  return {
    async find(appId: number, key: ChannelKey): Promise<Channel | undefined> {
      const row = await channels()
        .where({ app_id: appId, ...key })
        .first()
      return row && CHANNELS.fromRow(row)
    },

    /**
     * The channel, locked until the commit against deletion and other bulk changes: two long lists of subscribers could
     * deadlock on PostgreSQL. Devices can still subscribe one by one, unless it is to be deleted. SQLite has a single writer.
     */
    async lock(appId: number, id: number, purpose: LockPurpose = 'change'): Promise<Channel | undefined> {
      const row = await channels().where({ app_id: appId, id }).modify(rowLocked(sql, purpose)).first()
      return row && CHANNELS.fromRow(row)
    },

    /** Stores a channel unless the app has one of that uuid (then undefined). */
    async insert(channel: Omit<Channel, 'id'>): Promise<Channel | undefined> {
      const [row] = await channels()
        .insert(CHANNELS.toRow(channel))
        .onConflict(['app_id', 'uuid'])
        .ignore()
        .returning('*')
      return row && CHANNELS.fromRow(row)
    },

    async update({ id, ...channel }: Channel): Promise<void> {
      await channels().where({ app_id: channel.appId, id }).update(CHANNELS.toRow(channel))
    },

    /** Deletes a channel; returns whether there was one. Its subscriptions and imports have no effect any more and are deleted later. */
    async delete(appId: number, id: number): Promise<boolean> {
      if ((await channels().where({ app_id: appId, id }).delete()) === 0) return false
      await sql('deleted_channels').insert({ channel_id: id, app_id: appId })
      return true
    },

    /** Deletes all channels of an app that is being deleted. Locks the app, so that none is created in the meantime. */
    async deleteAll(appId: number): Promise<void> {
      if (isPostgres(sql)) await sql('apps').where({ id: appId }).forUpdate().first('id')
      await sql.raw(
        'INSERT INTO deleted_channels (channel_id, app_id) SELECT id, app_id FROM channels WHERE app_id = ?',
        [appId],
      )
      await channels().where({ app_id: appId }).delete()
    },

    /** A deleted channel whose rows still have to be deleted. */
    async deleted(): Promise<{ appId: number; id: number } | undefined> {
      const row = await sql('deleted_channels').orderBy('channel_id').first('app_id', 'channel_id')
      return row && { appId: row.app_id, id: row.channel_id }
    },

    /** Forgets a deleted channel, of which all rows are gone. */
    async forgetDeleted(appId: number, id: number): Promise<void> {
      await sql('deleted_channels').where({ channel_id: id, app_id: appId }).delete()
    },

    /** Ids and sizes of channels in the order of their creation, after the id `after`. */
    list(appId: number, after: number, limit: number): Promise<WeighedRow[]> {
      return listed(appId, after, limit).select('id', bytesOf(sql, ['meta']))
    },

    /** Tells whether the app makes named channels public even if a device created them. */
    async showsDeviceChannels(appId: number): Promise<boolean> {
      const app = await sql('apps').where({ id: appId }).first('device_channels_public')
      return Boolean(app?.device_channels_public)
    },

    /** The same as `list` for public channels only: those with a name. `ofDevices` includes those that devices created. */
    public(appId: number, after: number, limit: number, ofDevices: boolean): Promise<WeighedRow[]> {
      return listed(appId, after, limit)
        .whereNotNull('name')
        .modify((query) => {
          // Written as in the partial index `channels_shown`, because devices may have created many channels.
          if (!ofDevices) query.whereRaw('NOT made_by_device')
        })
        .select('id', bytesOf(sql, ['meta']))
    },

    /** Sizes of the channels with these ids; unknown ones are left out. */
    async weights(appId: number, ids: readonly number[]): Promise<WeighedRow[]> {
      if (ids.length === 0) return []
      return whereIds(sql('channels'), sql, appId, ids).select('id', bytesOf(sql, ['meta']))
    },

    /** The channels with these ids; unknown ids are left out. */
    async byIds(appId: number, ids: readonly number[]): Promise<Channel[]> {
      if (ids.length === 0) return []
      return (await whereIds(channels(), sql, appId, ids)).map(CHANNELS.fromRow)
    },

    /** Names of the channels with these ids; unknown ids are left out. */
    async namesByIds(appId: number, ids: readonly number[]): Promise<ChannelNames[]> {
      if (ids.length === 0) return []
      return whereIds(sql('channels'), sql, appId, ids).select('id', 'uuid', 'name')
    },

    /** Names of the channels with these uuids; unknown uuids are left out. */
    async namesByUuids(appId: number, uuids: readonly string[]): Promise<ChannelNames[]> {
      if (uuids.length === 0) return []
      return whereAmong(sql('channels').where({ app_id: appId }), sql, 'uuid', uuids).select('id', 'uuid', 'name')
    },
  }
}
