import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'

type Suggested = Answer<'/admin/v1/apps/{appId}/segment-suggestions'>

/** Values that the editor of a filter offers. */
export interface Suggestions {
  attributes: Suggested['attributes']
  fields: Readonly<Record<string, readonly string[]>>
  metrics: readonly string[]
  channels: readonly { value: string; label: string }[]
  geofences: readonly { value: number; label: string }[]
}

const NOTHING: Suggestions = { attributes: [], fields: {}, metrics: [], channels: [], geofences: [] }

/** Channels and geofences that are offered. People who need another one write the filter as JSON. */
const LISTED = 200

/** Reads them once for a page. Without them a filter can be written all the same. */
export function useSuggestions(appId: number, isWanted: boolean): Suggestions {
  const loaded = useLoad(
    isWanted
      ? async (signal): Promise<Suggestions> => {
          const path = { appId }
          const [suggested, metrics, channels, geofences] = await Promise.all([
            orNothing(api.get('/admin/v1/apps/{appId}/segment-suggestions', { path, signal })),
            orNothing(api.get('/admin/v1/apps/{appId}/metrics', { path, signal })),
            orNothing(api.get('/admin/v1/apps/{appId}/channels', { path, query: { limit: LISTED }, signal })),
            orNothing(api.get('/admin/v1/apps/{appId}/geofences', { path, query: { limit: LISTED }, signal })),
          ])
          return {
            attributes: suggested?.attributes ?? [],
            fields: { ...suggested?.fields, language: languagesOf(suggested?.fields.locale ?? []) },
            metrics: (metrics?.metrics ?? []).map(({ name }) => name),
            channels: (channels?.channels ?? []).map(({ uuid, name }) => ({ value: uuid, label: name ?? uuid })),
            geofences: (geofences?.geofences ?? []).map(({ id, name }) => ({
              value: id,
              label: name ?? `Geofence ${id}`,
            })),
          }
        }
      : null,
    [appId, isWanted],
  )
  return loaded.value.value ?? NOTHING
}

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
