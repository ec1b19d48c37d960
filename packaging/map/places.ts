import { lineOf, type Point } from './polyline.ts'
import type { Country } from './world.ts'

/** A row of `city-timezones/data/cityMap.json`: a populated place of Natural Earth. */
export interface City {
  city: string
  lat: number
  lng: number
  pop: number
  country: string
  province: string
}

/** Units of a degree: a hundred metres. */
const SCALE = 1000
const FIRST_ZOOM = 2
/** From here on every place is shown. */
const LAST_ZOOM = 10
/** Least populations of a place on the map, by zoom: a sparse region still starts with its large towns. */
const POPULATIONS: readonly (readonly [zoom: number, population: number])[] = [
  [2, 5_000_000],
  [3, 2_000_000],
  [4, 750_000],
  [5, 250_000],
  [6, 80_000],
  [7, 25_000],
]
const LETTER_PX = 7
const LINE_PX = 20
const ROOM_PX = 36

interface Box {
  x: number
  y: number
  half: number
}

/** Mercator, as shares of the world's sides. */
function shareOf({ lng, lat }: City): { x: number; y: number } {
  const sine = Math.sin((lat * Math.PI) / 180)
  return { x: (lng + 180) / 360, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/** For each place, largest first, the first zoom at which its name covers none of a larger place. */
function zoomsOf(cities: readonly City[]): number[] {
  const taken: Box[][] = []
  return cities.map((city) => {
    const { x, y } = shareOf(city)
    const half = (city.city.length * LETTER_PX + ROOM_PX) / 2
    const least = POPULATIONS.find(([, population]) => city.pop >= population)?.[0] ?? 8
    for (let zoom = Math.max(FIRST_ZOOM, least); ; zoom++) {
      const world = 256 * 2 ** zoom
      const isFree = (taken[zoom] ?? []).every(
        (one) => Math.abs(one.y - y) * world > LINE_PX || Math.abs(one.x - x) * world > one.half + half,
      )
      if (!isFree && zoom < LAST_ZOOM) continue
      for (let later = zoom; later <= LAST_ZOOM; later++) (taken[later] ??= []).push({ x, y, half })
      return zoom
    }
  })
}

/** Names of countries that `city-timezones` writes as they were once, or unlike anybody else. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Aland: 'Åland',
  'Cape Verde': 'Cabo Verde',
  Curacao: 'Curaçao',
  'Czech Republic': 'Czechia',
  'East Timor': 'Timor-Leste',
  'Federated States of Micronesia': 'Micronesia',
  'Guinea Bissau': 'Guinea-Bissau',
  'Hong Kong S.A.R.': 'Hong Kong',
  'Macau S.A.R': 'Macao',
  'Svalbard and Jan Mayen Islands': 'Svalbard',
  Swaziland: 'Eswatini',
  'The Bahamas': 'Bahamas',
  'The Gambia': 'Gambia',
  'United States of America': 'United States',
  'Vatican (Holy Sea)': 'Vatican',
}

/**
 * Places in columns, sorted by country and zoom: names, the number of places of each country, a letter for each zoom
 * (`c`: 2), and positions. A place that has a namesake in its country has its province behind a tab.
 */
export function placesOf(given: readonly City[], countries: readonly Country[]) {
  const sorted = given.toSorted((a, b) => b.pop - a.pop || (a.city < b.city ? -1 : 1))
  const zooms = zoomsOf(sorted)
  const namesakes = Map.groupBy(sorted, ({ city, country }) => `${city}\t${country}`)
  const shown = sorted.map((city, i) => ({
    ...city,
    country: OTHER_NAMES[city.country] ?? city.country,
    zoom: zooms[i]!,
    name: namesakes.get(`${city.city}\t${city.country}`)!.length > 1 ? `${city.city}\t${city.province}` : city.city,
  }))
  const states = [...new Set(shown.map(({ country }) => country))].toSorted()
  const rows = states.flatMap((state) =>
    shown.filter(({ country }) => country === state).toSorted((a, b) => a.zoom - b.zoom),
  )
  const position = ({ lng, lat }: City): Point => [lng, lat]
  return {
    scale: SCALE,
    countries: countries.map(({ name }) => name).join('\n'),
    countriesAt: lineOf(
      countries.map(({ at }) => at),
      SCALE,
    ),
    widths: countries.map(({ width }) => Math.round(width * 10) / 10),
    states: states.map((name) => `${name}\t${rows.filter(({ country }) => country === name).length}`).join('\n'),
    places: rows.map(({ name }) => name).join('\n'),
    placesAt: lineOf(rows.map(position), SCALE),
    zooms: rows.map(({ zoom }) => String.fromCharCode(97 + zoom)).join(''),
  }
}
