import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { isCancelled } from '../../api/errors.ts'
import { middleOf, ringOf, type Shape, shapeOf } from './bounds.ts'
import { type LngLat, shareX, shareY } from './map/projection.ts'

export type Geofence = Answer<'/admin/v1/apps/{appId}/geofences/{id}'>

/** A geofence with what the map needs of it again and again. */
export interface Fence {
  geofence: Geofence
  shape: Shape
  ring: readonly LngLat[]
  middle: LngLat
  /** The corners of its box. */
  box: readonly [southWest: LngLat, northEast: LngLat]
  /** The same as shares of the world: what every picture of a map with thousands of them needs. */
  share: { x: number; y: number; reach: number }
}

const PAGE = 1000

function fenceOf(geofence: Geofence): Fence {
  const shape = shapeOf(geofence.boundsGeoJson)
  const ring = ringOf(shape)
  const [middle, box] = [middleOf(shape), boxOf(ring)]
  const [x, y] = [shareX(middle[0]), shareY(middle[1])]
  const reach = Math.max(...box.flatMap(([lng, lat]) => [Math.abs(shareX(lng) - x), Math.abs(shareY(lat) - y)]))
  return { geofence, shape, ring, middle, box, share: { x, y, reach } }
}

function boxOf(ring: readonly LngLat[]): Fence['box'] {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [lng, lat] of ring) {
    west = Math.min(west, lng)
    east = Math.max(east, lng)
    south = Math.min(south, lat)
    north = Math.max(north, lat)
  }
  return [
    [west, south],
    [east, north],
  ]
}

/** All geofences of the app, page by page: the map needs every one. */
export function useFences(appId: number) {
  const fences = useSignal<readonly Fence[] | undefined>(undefined)
  const isWhole = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const tries = useSignal(0)
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => {
    const controller = (running.current = new AbortController())
    const { signal } = controller
    const read = async () => {
      const all: Fence[] = []
      let after: number | undefined
      do {
        const query = { limit: PAGE, ...(after !== undefined && { after }) }
        const page = await api.get('/admin/v1/apps/{appId}/geofences', { path: { appId }, query, signal })
        if (signal.aborted) return
        all.push(...page.geofences.map(fenceOf))
        fences.value = [...all]
        after = page.next ?? undefined
      } while (after !== undefined)
      isWhole.value = true
    }
    error.value = undefined
    isWhole.value = false
    read().catch((thrown: unknown) => {
      if (!isCancelled(thrown) && !signal.aborted) error.value = thrown
    })
    return () => controller.abort()
  }, [appId, tries.value])
  return { fences, isWhole, error, reload: () => (tries.value += 1) }
}

/** The corners of all their boxes, for the view that shows every one. */
export const cornersOf = (fences: readonly Fence[]): LngLat[] => fences.flatMap(({ box }) => box)
