import { api } from '../../api/client.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import type { Counts } from './names.ts'

/** Channels that one call counts. */
const AT_ONCE = 100

/** Counts the subscriptions of these channels, by id. Channels that the server did not count in time are missing. */
export function useCounts(appId: number, ids: readonly number[]): Loaded<ReadonlyMap<number, Counts>> {
  return useLoad(
    ids.length === 0
      ? null
      : async (signal) => {
          const found = new Map<number, Counts>()
          for (let from = 0; from < ids.length; from += AT_ONCE) {
            const query = { ids: ids.slice(from, from + AT_ONCE).join(',') }
            const { items } = await api.get('/admin/v1/apps/{appId}/channel-counts', { path: { appId }, query, signal })
            for (const one of items) found.set(one.channelId, one)
          }
          return found
        },
    [appId, ids.join(',')],
  )
}
