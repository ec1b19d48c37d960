/**
 * Makes the outlines of the console's map (src/console/pages/geofences/map/outlines.ts) of the countries of Natural Earth at
 * 1:50 million, as the npm package `world-atlas` has them (a TopoJSON file; the data are in the public domain):
 *
 *     npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
 *     node packaging/outlines.ts package/countries-50m.json
 *
 * Coast and borders are simplified until the file has at most 60 kB. It is checked in, so that no build needs the package.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Point = readonly [x: number, y: number]
interface Geometry {
  type: string
  arcs: number[][] | number[][][]
  geometries?: Geometry[]
}
interface Topology {
  transform: { scale: Point; translate: Point }
  arcs: Point[][]
  objects: { countries: Geometry; land: Geometry }
}

const MAX_BYTES = 60_000
/** Units of a degree. */
const SCALE = 100
const TARGET = join(import.meta.dirname, '../src/console/pages/geofences/map/outlines.ts')

const topology = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Topology
const { scale, translate } = topology.transform

/** Arcs in degrees; those of the file are differences of integers. */
const arcs: Point[][] = topology.arcs.map((arc) => {
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]] as const)
})

const polygonsOf = ({ type, arcs: found, geometries }: Geometry): number[][][] =>
  geometries
    ? geometries.flatMap(polygonsOf)
    : type === 'Polygon'
      ? [found as number[][]]
      : type === 'MultiPolygon'
        ? (found as unknown as number[][][])
        : []

const land = polygonsOf(topology.objects.land).flat()
const coast = new Set(land.flat().map((arc) => (arc < 0 ? ~arc : arc)))
const borders = new Set(
  polygonsOf(topology.objects.countries)
    .flat(2)
    .map((arc) => (arc < 0 ? ~arc : arc))
    .filter((arc) => !coast.has(arc)),
)

/** Twice the area of a ring in square degrees, made narrower towards the poles as the earth is. */
function sizeOf(ring: readonly number[]): number {
  const points = ring.flatMap((arc) => (arc < 0 ? arcs[~arc]!.toReversed() : arcs[arc]!))
  const sum = points.reduce((total, [x, y], i) => {
    const [x2, y2] = points[(i + 1) % points.length]!
    return total + x * y2 - x2 * y
  }, 0)
  return Math.abs(sum) * Math.cos((points[0]![1] * Math.PI) / 180)
}

/** Douglas and Peucker: the points of an arc that are further than `tolerance` degrees from the line of the others. */
function simplify(points: readonly Point[], tolerance: number): Point[] {
  const [first, last] = [points[0]!, points.at(-1)!]
  const [dx, dy] = [last[0] - first[0], last[1] - first[1]]
  const length = Math.hypot(dx, dy)
  let [far, at] = [0, 0]
  for (const [i, [x, y]] of points.entries()) {
    const away =
      length === 0
        ? Math.hypot(x - first[0], y - first[1])
        : Math.abs(dy * (x - first[0]) - dx * (y - first[1])) / length
    if (away > far) [far, at] = [away, i]
  }
  if (far <= tolerance || points.length < 3) return length === 0 && far > 0 ? [first, points[at]!, last] : [first, last]
  return [...simplify(points.slice(0, at + 1), tolerance).slice(0, -1), ...simplify(points.slice(at), tolerance)]
}

/** A signed integer in the letters `?` to `~`, five bits each, as the encoded polylines of maps have it. */
function letters(value: number): string {
  let rest = value < 0 ? ~(value << 1) : value << 1
  let text = ''
  for (; rest >= 0x20; rest >>= 5) text += String.fromCharCode((0x20 | (rest & 0x1f)) + 63)
  return text + String.fromCharCode(rest + 63)
}

function lineOf(points: readonly Point[]): string {
  let [px, py] = [0, 0]
  return points
    .map(([x, y]) => {
      const [nx, ny] = [Math.round(x * SCALE), Math.round(y * SCALE)]
      const text = letters(nx - px) + letters(ny - py)
      ;[px, py] = [nx, ny]
      return text
    })
    .join('')
}

function fileOf(tolerance: number): string {
  const rings = land.filter((ring) => sizeOf(ring) > tolerance * 0.6)
  const used = [...new Set(rings.flat().map((arc) => (arc < 0 ? ~arc : arc)))]
  const number = new Map(used.map((arc, i) => [arc, i]))
  const drawn = (arc: number) => lineOf(simplify(arcs[arc]!, tolerance))
  const data = {
    coast: used.map(drawn),
    land: rings.map((ring) => ring.map((arc) => (arc < 0 ? ~number.get(~arc)! : number.get(arc)!))),
    borders: [...borders].map(drawn),
  }
  return `// Made by packaging/outlines.ts of Natural Earth 1:50m (public domain), by way of world-atlas 2.0.2. Do not edit.

/** Coast lines, rings of them (\`~i\`: backwards), and borders of countries; lines are encoded polylines of 1/${SCALE} degree. */
export default JSON.parse(${JSON.stringify(JSON.stringify(data)).replaceAll("'", "\\'").replace(/^"|"$/g, "'").replaceAll('\\"', '"')}) as { coast: string[]; land: number[][]; borders: string[] }
`
}

let text = ''
for (let tolerance = 0.02; ; tolerance *= 1.05) {
  text = fileOf(tolerance)
  if (text.length > MAX_BYTES) continue
  process.stdout.write(`${text.length} bytes at ${tolerance.toFixed(3)} degrees\n`)
  break
}
writeFileSync(TARGET, text)
