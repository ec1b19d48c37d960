import type { LngLat } from '../map/projection.ts'

/** A text read as a position; the texts of an error say what to write instead. */
export type ReadPosition =
  | {
      at: LngLat
      /** The same numbers the other way round, where both readings are places: nobody can know which one was meant. */
      swapped?: LngLat
      /** "latitude, longitude", where the text does not say it itself. */
      order?: 'latitude, longitude' | 'longitude, latitude'
    }
  | { problem: string }

const NUMBER = String.raw`\d{1,3}(?:\.\d+)?`
/** Degrees, minutes and seconds; without their signs a space or a letter ends each. */
const PART = String.raw`([+-])?\s*(${NUMBER})\s*(?:°|deg\b|(?=\s|$|[NSEW,;/]))(?:\s*(\d{1,2}(?:\.\d+)?)\s*(?:'|(?=\s|$|[NSEW]))(?:\s*(\d{1,2}(?:\.\d+)?)\s*(?:"|(?=\s|$|[NSEW])))?)?`
const SEPARATOR = String.raw`\s*[,;/]?\s*`
/** "N 52° 31' E 13° 24'" */
const LETTERS_FIRST = new RegExp(String.raw`^([NSEW])\s*${PART}${SEPARATOR}([NSEW])\s*${PART}$`, 'i')
/** "52° 31' N, 13° 24' E", and the same without letters. */
const LETTERS_LAST = new RegExp(String.raw`^${PART}\s*([NSEW])?${SEPARATOR}${PART}\s*([NSEW])?$`, 'i')
/** Two numbers and nothing else: without a sign for degrees the second is no minute of the first. */
const PLAIN = new RegExp(String.raw`^([+-]?${NUMBER})°?\s*(?:[,;/]\s*|\s+)([+-]?${NUMBER})°?$`)
/** "52,52 13,40" and "52,52; 13,40": the decimal comma of most of Europe. */
const DECIMAL_COMMAS = /^([+-]?\d{1,3}),(\d+)\s*(?:[;/]\s*|,?\s+)([+-]?\d{1,3}),(\d+)$/
/** `[13.4, 52.52]` of GeoJSON and `POINT(13.4 52.52)` of databases: the longitude stands first. */
const LNG_FIRST = new RegExp(String.raw`^(?:\[|point\s*\()\s*([+-]?${NUMBER})\s*[,\s]\s*([+-]?${NUMBER})\s*[\])]$`, 'i')

/** Signs for degrees, minutes and seconds as keyboards, word processors and maps write them. */
function plain(text: string): string {
  return text
    .trim()
    .replace(/[−–—]/g, '-')
    .replace(/[º˚]/g, '°')
    .replace(/″|”|“|''|′′/g, '"')
    .replace(/[′’‘´`]/g, "'")
    .replace(/^\((.*)\)$/, '$1')
    .trim()
}

/**
 * Reads a position: "52.52, 13.40", "52,52 13,40", "52°31'12\"N 13°24'18\"E", "N 52 31.2 E 13 24.3", `[13.4, 52.52]`. Undefined
 * for a text that is none, such as a name.
 */
export function readCoordinates(text: string): ReadPosition | undefined {
  const given = plain(text)
  const lngFirst = LNG_FIRST.exec(given)
  if (lngFirst) return ordered(Number(lngFirst[2]), Number(lngFirst[1]), 'longitude, latitude')
  const commas = DECIMAL_COMMAS.exec(given)
  if (commas) return ordered(Number(`${commas[1]}.${commas[2]}`), Number(`${commas[3]}.${commas[4]}`))
  const two = PLAIN.exec(given)
  if (two) return ordered(Number(two[1]), Number(two[2]))
  const before = LETTERS_FIRST.exec(given)
  const pair = before ?? LETTERS_LAST.exec(given)
  if (!pair) return undefined
  const [, a, b, c, d, e, f, g, h, i, k] = pair
  const [first, second] = before
    ? [partOf(a, [b, c, d, e]), partOf(f, [g, h, i, k])]
    : [partOf(e, [a, b, c, d]), partOf(k, [f, g, h, i])]
  const wrong = [first, second].find(({ minutes, seconds }) => minutes >= 60 || seconds >= 60)
  if (wrong) return { problem: 'Minutes and seconds go from 0 to 59.' }
  if (first.axis === undefined && second.axis === undefined) return ordered(first.value, second.value)
  if (first.axis === second.axis) return { problem: 'Both say the same direction: one is N or S, the other E or W.' }
  const isLatFirst = first.axis === 'lat' || second.axis === 'lng'
  return placed(isLatFirst ? [second.value, first.value] : [first.value, second.value])
}

type Groups = readonly (string | undefined)[]

function partOf(given: string | undefined, [sign, degrees, minutes, seconds]: Groups) {
  const letter = given?.toUpperCase()
  const [m, s] = [Number(minutes ?? 0), Number(seconds ?? 0)]
  const size = Number(degrees) + m / 60 + s / 3600
  const isBelow = (sign === '-') !== (letter === 'S' || letter === 'W')
  const axis = letter === undefined ? undefined : 'NS'.includes(letter) ? 'lat' : 'lng'
  return { value: isBelow ? -size : size, minutes: m, seconds: s, axis }
}

const isPlace = ([lng, lat]: LngLat) => Math.abs(lat) <= 90 && Math.abs(lng) <= 180
const RANGE = 'Latitudes go from -90 to 90, longitudes from -180 to 180.'

const placed = (at: LngLat): ReadPosition => (isPlace(at) ? { at } : { problem: RANGE })

/** Two numbers without letters: the latitude first, as maps write them, unless only the other way is a place. */
function ordered(
  lat: number,
  lng: number,
  order: 'latitude, longitude' | 'longitude, latitude' = 'latitude, longitude',
): ReadPosition {
  const [at, swapped]: [LngLat, LngLat] = [
    [lng, lat],
    [lat, lng],
  ]
  if (isPlace(at)) return isPlace(swapped) && lat !== lng ? { at, swapped, order } : { at, order }
  if (!isPlace(swapped)) return { problem: RANGE }
  return { at: swapped, order: order === 'latitude, longitude' ? 'longitude, latitude' : 'latitude, longitude' }
}

/** `52.52° N, 13.405° E` */
export function shownPosition([lng, lat]: LngLat, digits = 5): string {
  const shown = (value: number) => String(Number(Math.abs(value).toFixed(digits)))
  return `${shown(lat)}° ${lat < 0 ? 'S' : 'N'}, ${shown(lng)}° ${lng < 0 ? 'W' : 'E'}`
}
