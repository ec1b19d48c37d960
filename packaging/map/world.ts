import { lineOf, type Point, simplify } from './polyline.ts'

/** A geometry of TopoJSON: its arcs are indexes, `~i` for one that is followed backwards. */
interface Geometry {
  type: string
  arcs: number[][] | number[][][]
  geometries?: Geometry[]
  properties?: { name: string }
}

/** A file of the npm package `world-atlas`. */
export interface Topology {
  transform: { scale: Point; translate: Point }
  arcs: Point[][]
  objects: { countries: Geometry; land: Geometry }
}

const polygonsOf = ({ type, arcs: found, geometries }: Geometry): number[][][] =>
  geometries
    ? geometries.flatMap(polygonsOf)
    : type === 'Polygon'
      ? [found as number[][]]
      : type === 'MultiPolygon'
        ? (found as unknown as number[][][])
        : []

/** Arcs in degrees; those of the file are differences of integers. */
function arcsOf({ transform: { scale, translate }, arcs }: Topology): Point[][] {
  return arcs.map((arc) => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]] as const)
  })
}

/** The positions of a ring; one across the antimeridian goes on beyond 180. */
function pointsOf(ring: readonly number[], arcs: readonly Point[][]): Point[] {
  let before: number | undefined
  return ring
    .flatMap((arc) => (arc < 0 ? arcs[~arc]!.toReversed() : arcs[arc]!))
    .map(([x, y]): Point => {
      const next: number = before === undefined ? x : x + 360 * Math.round((before - x) / 360)
      before = next
      return [next, y]
    })
}

/** Twice the area of a ring in square degrees, made narrower towards the poles as the earth is. */
function sizeOf(points: readonly Point[]): number {
  const sum = points.reduce((total, [x, y], i) => {
    const [x2, y2] = points[(i + 1) % points.length]!
    return total + x * y2 - x2 * y
  }, 0)
  return Math.abs(sum) * Math.cos((points[0]![1] * Math.PI) / 180)
}

const plain = (arc: number) => (arc < 0 ? ~arc : arc)

/** The coasts and borders of a file, simplified: what `src/console/pages/geofences/map/land.ts` draws. */
export function outlinesOf(topology: Topology, { tolerance, scale }: { tolerance: number; scale: number }) {
  const arcs = arcsOf(topology)
  const land = polygonsOf(topology.objects.land).flat()
  const coast = new Set(land.flat().map(plain))
  const borders = new Set(
    polygonsOf(topology.objects.countries)
      .flat(2)
      .map(plain)
      .filter((arc) => !coast.has(arc)),
  )
  const rings = land.filter((ring) => sizeOf(pointsOf(ring, arcs)) > tolerance * 0.6)
  const used = [...new Set(rings.flat().map(plain))]
  const number = new Map(used.map((arc, i) => [arc, i]))
  const drawn = (arc: number) => lineOf(simplify(arcs[arc]!, tolerance), scale)
  return {
    scale,
    coast: used.map(drawn),
    land: rings.map((ring) => ring.map((arc) => (arc < 0 ? ~number.get(~arc)! : number.get(arc)!))),
    borders: [...borders].map(drawn),
  }
}

/** A country, the middle of its largest part, and the width of that part in degrees. */
export interface Country {
  name: string
  at: Point
  width: number
}

/** Words that Natural Earth shortens so that names fit on its maps. */
const WHOLE_WORDS: readonly (readonly [short: RegExp, whole: string])[] = [
  [/\bDem\. Rep\. Congo$/, 'Democratic Republic of the Congo'],
  [/\bSt\. Vin\. and Gren\.$/, 'Saint Vincent and the Grenadines'],
  [/\bS\. Geo\. and the Is\.$/, 'South Georgia'],
  [/\bIs\.$/, 'Islands'],
  [/\bRep\.$/, 'Republic'],
  [/\bTer\.$/, 'Territory'],
  [/\bHerz\.$/, 'Herzegovina'],
  [/\bBarb\.$/, 'Barbuda'],
  [/^Br\./, 'British'],
  [/^Eq\./, 'Equatorial'],
  [/^Fr\. S\./, 'French Southern'],
  [/^Fr\./, 'French'],
  [/^N\./, 'Northern'],
  [/^S\./, 'South'],
  [/^St[.-]\s?/, 'Saint '],
  [/^W\./, 'Western'],
  [/^eSwatini$/, 'Eswatini'],
  [/^United States of America$/, 'United States'],
]

/** Parts of the file that nobody looks for as a country: reefs, bases and zones. */
const NO_COUNTRY =
  /Akrotiri|Ashmore|Baikonur|Bajo Nuevo|Buffer Zone|Clipperton|Coral Sea|Dhekelia|Guantanamo|Heard I|Scarborough|Serranilla|Siachen|Spratly|Minor Outlying|Indian Ocean Ter/

const wholeName = (name: string) => WHOLE_WORDS.reduce((text, [short, whole]) => text.replace(short, whole), name)

/** The countries of a file, by name. */
export function countriesOf(topology: Topology): Country[] {
  const arcs = arcsOf(topology)
  return topology.objects.countries
    .geometries!.filter(({ properties }) => !NO_COUNTRY.test(properties!.name))
    .map((country) => {
      const parts = polygonsOf(country).map((rings) => pointsOf(rings[0]!, arcs))
      const largest = parts.reduce((best, part) => (sizeOf(part) > sizeOf(best) ? part : best))
      return { name: wholeName(country.properties!.name), ...middleOf(largest) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const turned = (x: number) => ((((x + 180) % 360) + 360) % 360) - 180

/** Rows of a part in which its middle is looked for. */
const ROWS = 24

/** The middle of the widest row of a ring near its middle, so that a name there lies inside. */
function middleOf(ring: readonly Point[]): { at: Point; width: number } {
  const ys = ring.map(([, y]) => y)
  const [south, north] = [Math.min(...ys), Math.max(...ys)]
  let best = { at: ring[0]!, width: 0, worth: 0 }
  for (let row = 1; row < ROWS; row++) {
    const y = south + ((north - south) * row) / ROWS
    const crossings = ring
      .flatMap(([x1, y1], i) => {
        const [x2, y2] = ring[(i + 1) % ring.length]!
        return y1 > y === y2 > y ? [] : [x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)]
      })
      .toSorted((a, b) => a - b)
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const [west, east] = [crossings[i]!, crossings[i + 1]!]
      const width = east - west
      // A row at the end of a country may be its widest, and is not where people look for its name.
      const worth = width * (1 - Math.abs(row / ROWS - 0.5))
      if (worth > best.worth) best = { at: [turned((west + east) / 2), y], width, worth }
    }
  }
  return best
}
