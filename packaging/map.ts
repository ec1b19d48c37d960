/**
 * Makes the data of the console's map (src/console/pages/geofences/map/natural-earth) of two npm packages:
 *
 *     npm pack world-atlas@2.0.2 && mkdir atlas && tar xzf world-atlas-2.0.2.tgz -C atlas
 *     npm pack city-timezones@1.3.4 && mkdir cities && tar xzf city-timezones-1.3.4.tgz -C cities
 *     node packaging/map.ts atlas/package cities/package
 *
 * `world-atlas` has the countries of Natural Earth at 1:50 and 1:10 million as TopoJSON, `city-timezones` the populated places of
 * Natural Earth; Natural Earth is in the public domain (docs/decisions/0111-a-map-that-needs-nobody.md). The result is checked in, so that no build
 * needs the packages. Coasts and borders are simplified until they fit into their sizes.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type City, placesOf } from './map/places.ts'
import { countriesOf, outlinesOf, type Topology } from './map/world.ts'

/** SHA-256 of what the files are made of, so that they are made of nothing else. */
const SOURCES = {
  'countries-50m.json': '04342cdc1e3016bcd7db1630de95684d67b79fe3c8c460321e87aef469502394',
  'countries-10m.json': '3bc6f1d367a9bcec479841bae0e76092f512838411d0cef124e92eec4db45f79',
  'data/cityMap.json': 'b6f9fdb832109d62124249b1bd3ac3dce7f2baae52cbcf3b82c17f1f6f2e6bf5',
} as const

const TARGET = join(import.meta.dirname, '../src/console/pages/geofences/map/natural-earth')
const [atlas, cities] = process.argv.slice(2) as [string, string]

function read(folder: string, name: keyof typeof SOURCES): unknown {
  const bytes = readFileSync(join(folder, name))
  const digest = createHash('sha256').update(bytes).digest('hex')
  if (digest !== SOURCES[name]) throw new Error(`${name} is another file: its SHA-256 is ${digest}`)
  return JSON.parse(bytes.toString())
}

/** A module with a JSON text, which browsers read faster than an object. */
function write(name: string, { of, says, type, data }: { of: string; says: string; type: string; data: unknown }) {
  const json = JSON.stringify(data).replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  const text = `// Made by packaging/map.ts of ${of} (public domain). Do not edit.

/** ${says} */
export default JSON.parse(
  '${json}',
) as ${type}
`
  writeFileSync(join(TARGET, name), text)
  process.stdout.write(`${name}: ${text.length} characters\n`)
}

/** The outlines with the least tolerance that have at most `most` characters. */
function fitted(topology: Topology, { from, scale, most }: { from: number; scale: number; most: number }) {
  for (let tolerance = from; ; tolerance *= 1.05) {
    const data = outlinesOf(topology, { tolerance, scale })
    if (JSON.stringify(data).length <= most) return data
  }
}

mkdirSync(TARGET, { recursive: true })
const OUTLINES = {
  says: 'Coast lines, rings of them (`~i`: backwards), and borders of countries; lines are encoded polylines in units of 1/`scale` degree.',
  type: '{ scale: number; coast: string[]; land: number[][]; borders: string[] }',
}
const near = read(atlas, 'countries-10m.json') as Topology
write('outlines.ts', {
  ...OUTLINES,
  of: 'Natural Earth 1:50m, by way of world-atlas 2.0.2',
  data: fitted(read(atlas, 'countries-50m.json') as Topology, { from: 0.02, scale: 100, most: 59_000 }),
})
write('coasts.ts', {
  ...OUTLINES,
  of: 'Natural Earth 1:10m, by way of world-atlas 2.0.2',
  data: fitted(near, { from: 0.01, scale: 400, most: 185_000 }),
})
write('places.ts', {
  of: 'the populated places of Natural Earth 1:10m, by way of city-timezones 1.3.4, and the countries of world-atlas 2.0.2',
  says: 'Countries and places in columns, as `packaging/map/places.ts` says.',
  type: '{ scale: number; countries: string; countriesAt: string; widths: number[]; states: string; places: string; placesAt: string; zooms: string }',
  data: placesOf(read(cities, 'data/cityMap.json') as City[], countriesOf(near)),
})
