/** Draws mutants evenly from all areas, files and kinds, the same for the same seed. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applied, type Change, canBeParsed, findChanges, KINDS, type Kind } from './places.ts'

/** A change of a source. */
export interface Mutant extends Change {
  file: string
  line: number
}

/** No code of the product: types, texts of documents, pages and scripts of pages. */
const NO_CODE =
  /types\.ts$|\.d\.ts$|src\/server\/openapi\/words|docs-page|(?:block-)?words\.ts$|command-line\.ts$|guide\.ts$|\/starters\/|-page\.ts$|-texts\.ts$|src\/server\/renderer\/page|metrics-catalogue|zone-links/

/** The sources that are changed. */
function sourcesOf(tree: string, below: readonly string[]): string[] {
  return globSync(['src/domain/**/*.ts', 'src/server/**/*.ts', 'src/platform/**/*.ts'], { cwd: tree })
    .filter((file) => !NO_CODE.test(file))
    .filter(
      (file) =>
        below.length === 0 || below.some((one) => file === one || file.startsWith(`${one.replace(/\/$/, '')}/`)),
    )
    .toSorted()
}

/** An area of the product, a folder of the server or the platform, or what is beside these folders. */
export const areaOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 3).join('/')

/** A generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(list: readonly T[], chance: () => number): T[] {
  const mixed = [...list]
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = Math.floor(chance() * (i + 1))
    ;[mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!]
  }
  return mixed
}

/** The places of each file, by area and kind. */
type Places = Map<string, Map<Kind, Map<string, Change[]>>>

function placesOf(tree: string, files: readonly string[]): Places {
  const places: Places = new Map()
  for (const file of files) {
    for (const change of findChanges(file, readFileSync(join(tree, file), 'utf8'))) {
      const kinds = computed(places, areaOf(file), newMap<Kind, Map<string, Change[]>>)
      const inFiles = computed(kinds, change.kind, newMap<string, Change[]>)
      computed(inFiles, file, () => []).push(change)
    }
  }
  return places
}

const newMap = <K, V>() => new Map<K, V>()

function computed<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  if (!map.has(key)) map.set(key, make())
  return map.get(key)!
}

/**
 * Draws `count` mutants of the sources below `below` (of all without any). Areas take turns in an order of chance; each gives the kind of which there are fewest so
 * far, from a file and at a place of chance. Fewer are drawn when there are no more places.
 */
export function draw(
  tree: string,
  { count, seed, below = [] }: { count: number; seed: number; below?: readonly string[] },
): Mutant[] {
  const chance = seeded(seed)
  const places = placesOf(tree, sourcesOf(tree, below))
  const drawn: Mutant[] = []
  const used = new Map<Kind, number>(KINDS.map((kind) => [kind, 0]))
  const taken = new Set<string>()
  let areas = shuffled([...places.keys()].toSorted(), chance)
  while (drawn.length < count && areas.length > 0) {
    const left: string[] = []
    for (const area of areas) {
      if (drawn.length === count) break
      const mutant = drawOne(tree, places.get(area)!, used, taken, chance)
      if (!mutant) continue
      left.push(area)
      drawn.push(mutant)
      used.set(mutant.kind, used.get(mutant.kind)! + 1)
    }
    areas = left
  }
  return drawn
}

function drawOne(
  tree: string,
  kinds: Map<Kind, Map<string, Change[]>>,
  used: Map<Kind, number>,
  taken: Set<string>,
  chance: () => number,
): Mutant | undefined {
  const inTurn = shuffled([...kinds.keys()].toSorted(), chance).toSorted((a, b) => used.get(a)! - used.get(b)!)
  for (const kind of inTurn) {
    for (const file of shuffled([...kinds.get(kind)!.keys()], chance)) {
      const text = readFileSync(join(tree, file), 'utf8')
      for (const change of shuffled(kinds.get(kind)!.get(file)!, chance)) {
        const line = text.slice(0, change.start).split('\n').length
        // One change for each place.
        const place = `${file}:${change.start}`
        if (taken.has(place) || !canBeParsed(file, applied(text, change))) continue
        taken.add(place)
        return { file, line, ...change }
      }
    }
  }
  return undefined
}
