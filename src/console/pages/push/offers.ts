import { api } from '../../api/client.ts'
import { type Loaded, useLoad } from '../../api/load.ts'
import { readWhole } from '../../api/whole.ts'
import type { Option } from '../../parts/field.tsx'

/** Segments, channels, geofences and tags from which a target can be composed. */
export interface Offers {
  segments: Option[]
  channels: Option[]
  geofences: Option[]
  /** Tags of geofences that are on. */
  tags: Option[]
}

const LIMIT = 1000

/** Segments, channels and geofences of an app, whole, by name. */
export function useOffers(appId: number): Loaded<Offers> {
  return useLoad(
    async (signal) => {
      const path = { appId }
      const page = (after: string | undefined) => ({ path, query: { limit: LIMIT, after }, signal })
      const [segments, channels, geofences] = await Promise.all([
        readWhole(async (after) => {
          const { segments: items, next } = await api.get('/admin/v1/apps/{appId}/segments', page(after))
          return { items, next }
        }),
        readWhole(async (after) => {
          const { channels: items, next } = await api.get('/admin/v1/apps/{appId}/channels', page(after))
          // What the contract says of the console: only these are offered.
          return { items: items.filter(({ name, showInPortal }) => showInPortal && name), next }
        }),
        readWhole(async (after) => {
          const { geofences: items, next } = await api.get('/admin/v1/apps/{appId}/geofences', page(after))
          // Without their shapes, which are large.
          return {
            items: items.flatMap(({ id, name, tags, isEnabled }) => (isEnabled ? [{ id, name, tags }] : [])),
            next,
          }
        }),
      ])
      const named = (value: string, label: string): Option => ({ value, label })
      return {
        segments: segments.map(({ uuid, name }) => named(uuid, name)).sort(byName),
        channels: channels.map(({ uuid, name }) => named(uuid, name!)).sort(byName),
        geofences: geofences.map(({ id, name }) => named(String(id), name)).sort(byName),
        tags: [...new Set(geofences.flatMap(({ tags }) => tags))].map((tag) => named(tag, tag)).sort(byName),
      }
    },
    [appId],
  )
}

const byName = (a: Option, b: Option) => a.label.localeCompare(b.label)

/** The options, and the one that is chosen though it is no longer there. */
export const withGone = (options: readonly Option[], chosen: string): Option[] =>
  chosen === '' || options.some(({ value }) => value === chosen)
    ? [...options]
    : [...options, { value: chosen, label: `${chosen}, which is gone` }]
