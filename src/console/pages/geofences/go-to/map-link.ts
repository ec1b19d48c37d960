import type { LngLat } from '../map/projection.ts'

/** A link of a map, as far as it says a place by itself; nothing is fetched. */
export type ReadLink = { at: LngLat; zoom?: number; from: string } | { problem: string }

const TWO = /^\s*(?:loc:)?\s*(-?\d{1,3}(?:\.\d+)?)\s*[,~_ ]\s*(-?\d{1,3}(?:\.\d+)?)/

/** "52.52,13.40" of a parameter: the latitude stands first in every one of them. */
function twoOf(text: string | null | undefined): LngLat | undefined {
  const found = TWO.exec(text ?? '')
  if (!found) return undefined
  return onEarth([Number(found[2]), Number(found[1])])
}

const onEarth = (at: LngLat): LngLat | undefined =>
  at.every(Number.isFinite) && Math.abs(at[1]) <= 90 && Math.abs(at[0]) <= 180 ? at : undefined

const first = (query: URLSearchParams, names: readonly string[]): LngLat | undefined =>
  names.map((name) => twoOf(query.get(name))).find((at) => at !== undefined)

const zoomOf = (text: string | null | undefined): number | undefined => {
  const zoom = Number.parseFloat(text ?? '')
  return zoom > 0 && zoom <= 22 ? zoom : undefined
}

interface Place {
  at: LngLat | undefined
  zoom?: number | undefined
}

/** https://developers.google.com/maps/documentation/urls/get-started, and the addresses that its website has. */
function google({ pathname, searchParams }: URL): Place {
  const path = decodeURIComponent(pathname)
  // The pin of a place, which may lie beside the middle of the map.
  const pin = /!3d(-?\d+(?:\.\d+)?)!4d(-?\d+(?:\.\d+)?)/.exec(path)
  const middle = /\/@(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)(?:,(\d+(?:\.\d+)?)z)?/.exec(path)
  const named = /\/(?:place|search|dir\/[^/]*)\/(-?\d[^/@]*)/.exec(path)
  return {
    at:
      (pin ? twoOf(`${pin[1]},${pin[2]}`) : undefined) ??
      first(searchParams, ['query', 'q', 'destination', 'daddr', 'center', 'viewpoint', 'll', 'sll']) ??
      twoOf(named?.[1]?.replaceAll('+', '')) ??
      (middle ? twoOf(`${middle[1]},${middle[2]}`) : undefined),
    zoom: zoomOf(middle?.[3] ?? searchParams.get('zoom') ?? searchParams.get('z')),
  }
}

/** https://wiki.openstreetmap.org/wiki/Permalink, https://wiki.openstreetmap.org/wiki/Shortlink */
function openStreetMap({ pathname, searchParams, hash }: URL): Place {
  const short = /^\/go\/([\w~@=-]+)/.exec(pathname)
  if (short) return shortLink(short[1]!)
  const map = /[#&]map=(\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)\/(-?\d+(?:\.\d+)?)/.exec(hash)
  const marker = twoOf(`${searchParams.get('mlat')},${searchParams.get('mlon')}`)
  const old = twoOf(`${searchParams.get('lat')},${searchParams.get('lon')}`)
  const box = searchParams.get('bbox')?.split(',').map(Number)
  const middle = box?.length === 4 ? onEarth([(box[0]! + box[2]!) / 2, (box[1]! + box[3]!) / 2]) : undefined
  return {
    at: marker ?? (map ? twoOf(`${map[2]},${map[3]}`) : undefined) ?? old ?? middle,
    zoom: zoomOf(map?.[1] ?? searchParams.get('zoom')),
  }
}

const SHORT_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~'

/** A short link of OpenStreetMap has its place inside: bits of longitude and latitude in turns, three of each a letter. */
function shortLink(code: string): Place {
  let [x, y, bits, less] = [0, 0, 0, 0]
  for (const letter of code.replaceAll('@', '~')) {
    const value = SHORT_LETTERS.indexOf(letter)
    if (value < 0) {
      less += 1
      continue
    }
    for (let at = 5; at > 0; at -= 2) {
      x = x * 2 + ((value >> at) & 1)
      y = y * 2 + ((value >> (at - 1)) & 1)
    }
    bits += 3
  }
  const share = 2 ** bits
  return { at: onEarth([(x / share) * 360 - 180, (y / share) * 180 - 90]), zoom: bits - 8 - ((3 - (less % 3)) % 3) }
}

/** https://developer.apple.com/documentation/mapkit/unified-map-urls, and the map links before them. */
function apple({ searchParams }: URL): Place {
  return {
    at: first(searchParams, ['coordinate', 'll', 'center', 'q', 'address', 'destination', 'daddr', 'sll']),
    zoom: zoomOf(searchParams.get('z')),
  }
}

/** https://learn.microsoft.com/en-us/bingmaps/articles/create-a-custom-map-url */
function bing({ searchParams }: URL): Place {
  const pin = /point\.(-?\d+(?:\.\d+)?_-?\d+(?:\.\d+)?)/.exec(searchParams.get('sp') ?? '')
  const stop = /pos\.(-?\d+(?:\.\d+)?_-?\d+(?:\.\d+)?)/.exec(searchParams.get('rtp') ?? '')
  return {
    at: twoOf(pin?.[1]) ?? first(searchParams, ['where1', 'q', 'cp']) ?? twoOf(stop?.[1]),
    zoom: zoomOf(searchParams.get('lvl')),
  }
}

const MAPS: readonly (readonly [host: RegExp, from: string, read: (url: URL) => Place])[] = [
  [/^(?:(?:www|maps)\.)?google\.(?:com|[a-z]{2,3})(?:\.[a-z]{2})?$/, 'Google Maps', google],
  [/^(?:(?:www|m)\.)?(?:openstreetmap\.org|osm\.org)$/, 'OpenStreetMap', openStreetMap],
  [/^maps\.apple\.com$/, 'Apple Maps', apple],
  [/^(?:www\.)?bing\.com$/, 'Bing Maps', bing],
]

/** Links that only their own server can resolve. */
const SHORT = /^(?:maps\.app\.goo\.gl|goo\.gl|g\.co|maps\.apple|binged\.it|bing\.com\/maps\/s)$/

/** Reads a link of Google Maps, OpenStreetMap, Apple Maps or Bing Maps, or a `geo:` address. Undefined for what is no link. */
export function readMapLink(text: string): ReadLink | undefined {
  const given = text.trim()
  const geo = /^geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)/i.exec(given)
  if (geo) {
    const at = onEarth([Number(geo[2]), Number(geo[1])])
    return at ? { at, from: 'geo:' } : { problem: 'This geo: address lies beyond the earth.' }
  }
  const isBare = /^(?:www\.|maps\.)?(?:google|openstreetmap|osm|bing|apple)\.[a-z.]+\//i.test(given)
  if (!/^https?:\/\//i.test(given) && !isBare) return undefined
  const url = URL.parse(isBare ? `https://${given}` : given)
  if (!url) return { problem: 'This link cannot be read. Paste the whole address of the map.' }
  const map = MAPS.find(([host]) => host.test(url.hostname))
  if (SHORT.test(url.hostname)) {
    return {
      problem:
        'A short link says nothing of its place. Open it, and paste the long address that the browser then shows.',
    }
  }
  if (!map)
    return {
      problem:
        'Links of Google Maps, OpenStreetMap, Apple Maps and Bing Maps can be read. Coordinates work from everywhere.',
    }
  const [, from, read] = map
  const { at, zoom } = readSafely(read, url)
  if (!at)
    return {
      problem: `This link of ${from} has no coordinates. Open it, and paste the address that the browser then shows.`,
    }
  return { at, from, ...(zoom !== undefined && { zoom }) }
}

function readSafely(read: (url: URL) => Place, url: URL): Place {
  try {
    return read(url)
  } catch {
    // A percent sign that begins no letter.
    return { at: undefined }
  }
}
