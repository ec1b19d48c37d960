import { folded } from '../map/folded.ts'
import type { Gazetteer, Place } from '../map/places.ts'
import type { LngLat } from '../map/projection.ts'
import { readCoordinates, shownPosition } from './coordinates.ts'
import { readMapLink } from './map-link.ts'

/** A place to go to. */
export interface Found {
  title: string
  about: string
  at: LngLat
  zoom: number
}

const STREET_ZOOM = 15
const MOST = 8

/** `0`: the name; `1`: its beginning; `2`: the beginning of one of its words; undefined: none. */
function rankOf(name: string, wanted: string): number | undefined {
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  return ` ${name}`.includes(` ${wanted}`) ? 2 : undefined
}

/** Places whose name has `text`, the best first: the whole name, then its beginning, and of equals the larger place. */
function findPlaces({ places }: Gazetteer, text: string): Place[] {
  const [wanted = '', ...rest] = text.split(',').map(folded)
  const within = rest.filter((part) => part !== '')
  if (wanted === '') return []
  return places
    .flatMap((place) => {
      const rank = rankOf(place.key, wanted)
      if (rank === undefined) return []
      const around = folded(`${place.province ?? ''} ${place.country ?? ''}`)
      return within.every((part) => ` ${around}`.includes(` ${part}`)) ? [{ place, rank }] : []
    })
    .toSorted((a, b) => a.rank - b.rank || a.place.zoom - b.place.zoom || (a.place.name < b.place.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ place }) => place)
}

/** Finds the places that a text leads to: coordinates, a link of a map, or places. Throws an Error that says what is wrong with it. */
export async function find(text: string, gazetteer: () => Promise<Gazetteer>): Promise<Found[]> {
  if (text.trim() === '') return []
  const link = readMapLink(text)
  if (link && 'problem' in link) throw new Error(link.problem)
  if (link) {
    return [
      {
        title: shownPosition(link.at),
        about: `From the link of ${link.from}`,
        at: link.at,
        zoom: link.zoom ?? STREET_ZOOM,
      },
    ]
  }
  const read = readCoordinates(text)
  if (read && 'problem' in read) throw new Error(read.problem)
  if (read) return positionsOf(read)
  const found = findPlaces(await gazetteer(), text)
  return found.map(({ name, province, country, at, zoom }) => ({
    title: name,
    about: [province, country].filter(Boolean).join(', ') || 'Country',
    at,
    zoom: country === undefined ? Math.max(3, zoom + 1) : Math.max(10, zoom + 3),
  }))
}

function positionsOf({ at, swapped, order }: { at: LngLat; swapped?: LngLat; order?: string }): Found[] {
  const one = { title: shownPosition(at), about: order ? `Read as ${order}` : 'Coordinates', at, zoom: STREET_ZOOM }
  if (!swapped) return [one]
  const other = order === 'latitude, longitude' ? 'longitude, latitude' : 'latitude, longitude'
  return [one, { title: shownPosition(swapped), about: `Read as ${other}`, at: swapped, zoom: STREET_ZOOM }]
}
