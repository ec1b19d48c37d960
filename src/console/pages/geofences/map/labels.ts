import type { Place } from './places.ts'
import { type LngLat, type Size, spotOf, type View } from './projection.ts'

/** A name on the map, at the pixel where it is drawn. */
export interface Label {
  name: string
  x: number
  y: number
  isCountry: boolean
}

const LETTER_PX = 6.4
const LINE_PX = 15
const ROOM_PX = 6
/** The upper edge has the degrees of the grid. */
const TOP_PX = 24
/** A name of a country is in the way once the map shows a part of it only. */
const COUNTRY_ZOOMS = 3.5

/** A name of a geofence: its middle in pixels, and half of its width. */
export interface Named {
  x: number
  y: number
  half: number
}

interface Box {
  left: number
  right: number
  y: number
}

/** The names in sight at this zoom; a name that would cover an earlier one is left out. `places` has the larger ones first. */
export function labelsOf(places: readonly Place[], view: View, size: Size, names: readonly Named[] = []): Label[] {
  const taken: Box[] = names.map(({ x, y, half }) => ({ left: x - half, right: x + half, y }))
  const labels: Label[] = []
  for (const place of places) {
    if (place.zoom > view.zoom) break
    const isCountry = place.country === undefined
    if (isCountry && view.zoom > place.zoom + COUNTRY_ZOOMS) continue
    const spot = spotOf(nearest(place.at, view), view, size)
    if (spot.x < -60 || spot.x > size.width + 60 || spot.y < TOP_PX || spot.y > size.height - 8) continue
    const width = place.name.length * LETTER_PX
    const left = isCountry ? spot.x - width / 2 : spot.x + 6
    const box = { left: (isCountry ? left : spot.x - 4) - ROOM_PX, right: left + width + ROOM_PX, y: spot.y }
    const isFree = taken.every(
      (one) => Math.abs(one.y - box.y) > LINE_PX || one.left > box.right || one.right < box.left,
    )
    if (!isFree) continue
    taken.push(box)
    labels.push({ name: place.name, x: spot.x, y: spot.y, isCountry })
  }
  return labels
}

/** The copy of a position that is nearest to the middle of the map: the world goes round. */
function nearest([lng, lat]: LngLat, { lng: mid }: View): LngLat {
  return [lng + 360 * Math.round((mid - lng) / 360), lat]
}
