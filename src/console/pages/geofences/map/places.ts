import { folded } from './folded.ts'
import { decodeLine } from './polyline.ts'
import type { LngLat } from './projection.ts'

/** A country or a populated place. */
export interface Place {
  name: string
  /** The name for comparing (`folded`). */
  key: string
  at: LngLat
  /** The first zoom at which the map shows it: the smaller, the larger the place. */
  zoom: number
  /** Absent for a country. */
  country?: string
  /** Present where another place of the country has the same name. */
  province?: string
}

/** Countries and places, those that the map shows first at the beginning. */
export interface Gazetteer {
  places: readonly Place[]
}

type Data = typeof import('./natural-earth/places.ts')['default']

const PIXELS_A_LETTER = 8

/** The zoom at which the name of a country fits into its width. */
function zoomOfCountry(name: string, width: number): number {
  const pixels = name.length * PIXELS_A_LETTER
  return Math.max(1, Math.min(7, Math.round(2 * Math.log2((pixels * 360) / (256 * Math.max(width, 0.01)))) / 2))
}

/** The columns of the data (packaging/map/places.ts) -> places. */
function gazetteerOf(data: Data): Gazetteer {
  const countriesAt = decodeLine(data.countriesAt, data.scale)
  const countries = data.countries.split('\n').map((name, i): Place => {
    const at = countriesAt[i]!
    return { name, key: folded(name), at, zoom: zoomOfCountry(name, data.widths[i]!) }
  })
  const placesAt = decodeLine(data.placesAt, data.scale)
  const states = data.states.split('\n').flatMap((line) => {
    const [name, count] = line.split('\t')
    return Array.from({ length: Number(count) }, () => name!)
  })
  const places = data.places.split('\n').map((line, i): Place => {
    const [name, province] = line.split('\t') as [string, string?]
    const zoom = data.zooms.charCodeAt(i) - 97
    return { name, key: folded(name), at: placesAt[i]!, zoom, country: states[i]!, ...(province && { province }) }
  })
  return { places: [...countries, ...places].toSorted((a, b) => a.zoom - b.zoom) }
}

let loading: Promise<Gazetteer> | undefined

/** The countries and places of the map, which are loaded with the first map. */
export function loadPlaces(): Promise<Gazetteer> {
  loading ??= import('./natural-earth/places.ts').then(({ default: data }) => gazetteerOf(data))
  return loading
}
