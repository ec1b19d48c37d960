import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { useGet, useLoad } from '../../api/load.ts'

type Suggested = Answer<'/admin/v1/apps/{appId}/segment-suggestions'>
export type SeenType = Suggested['events'][number]
export type Metric = Answer<'/admin/v1/apps/{appId}/metrics'>['metrics'][number]

/** Values that the editor of a filter offers. */
export interface Suggestions {
  attributes: Suggested['attributes']
  fields: Readonly<Record<string, readonly string[]>>
  /** Types of events that were seen. */
  events: readonly SeenType[]
  metrics: readonly Metric[]
  channels: readonly { value: string; label: string }[]
  geofences: readonly { value: number; label: string }[]
}

const NOTHING = { attributes: [], fields: {}, events: [], channels: [], geofences: [] }

/** Time (ms) between two looks at a metric that reads what was stored before it. */
const LOOK_AGAIN_MS = 3000

/** Channels and geofences that are offered. People who need another one write the filter as JSON. */
const LISTED = 200

/** Reads them once for a page, and metrics until they have read everything. Without them a filter can be written all the same. */
export function useSuggestions(appId: number): Suggestions & { reload(): void } {
  const counted = useGet('/admin/v1/apps/{appId}/metrics', { path: { appId } })
  const metrics = counted.value.value?.metrics ?? []
  useEffect(() => {
    if (!metrics.some(isReading)) return
    const timer = setTimeout(counted.reload, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [metrics])
  const loaded = useLoad(
    async (signal): Promise<Omit<Suggestions, 'metrics'>> => {
      const path = { appId }
      const [suggested, channels, geofences] = await Promise.all([
        orNothing(api.get('/admin/v1/apps/{appId}/segment-suggestions', { path, signal })),
        orNothing(api.get('/admin/v1/apps/{appId}/channels', { path, query: { limit: LISTED }, signal })),
        orNothing(api.get('/admin/v1/apps/{appId}/geofences', { path, query: { limit: LISTED }, signal })),
      ])
      return {
        attributes: suggested?.attributes ?? [],
        fields: { ...suggested?.fields, language: languagesOf(suggested?.fields.locale ?? []) },
        events: suggested?.events ?? [],
        channels: (channels?.channels ?? []).map(({ uuid, name }) => ({ value: uuid, label: name ?? uuid })),
        geofences: (geofences?.geofences ?? []).map(({ id, name }) => ({
          value: id,
          label: name ?? `Geofence ${id}`,
        })),
      }
    },
    [appId],
  )
  return { ...NOTHING, ...loaded.value.value, metrics, reload: counted.reload }
}

/** Tells whether a metric still reads what was stored before it. */
export const isReading = ({ backfilled }: Metric): boolean => backfilled !== null && backfilled < 1

async function orNothing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch {
    return undefined
  }
}

const languagesOf = (locales: readonly string[]): string[] => [
  ...new Set(locales.flatMap((locale) => /^[a-z]{2,8}/i.exec(locale)?.[0].toLowerCase() ?? [])),
]
