/** Test files for a mutant, in their order: those that run the changed place, nearest first. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ts } from '@ts-morph/common'
import { areaOf, type Mutant } from './draw.ts'
import { parse } from './places.ts'
import type { Reach, ReachMap } from './reach.ts'

/** Test files for a mutant. */
export interface Chosen {
  /** The files in their order. */
  files: Reach[]
  /** The number of further files, for which there is no room. */
  left: number
  /** Says whether any test runs the place: those that read sources as text look at it without that. */
  isRun: boolean
}

/** The files that each file imports, of sources and tests of a tree. */
export type Imports = Map<string, string[]>

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'|new URL\('(\.[^']+\.ts)'/g

/** Reads the imports of each file of a tree. */
function readImports(tree: string): Imports {
  return new Map(
    globSync(['src/**/*.ts', 'test/**/*.ts', 'migrations/*.ts'], { cwd: tree }).map((file) => {
      const found = readFileSync(join(tree, file), 'utf8').matchAll(IMPORT)
      return [
        file,
        [...found].map(([, a, b]) => join(dirname(file), (a ?? b)!)).filter((one) => existsSync(join(tree, one))),
      ]
    }),
  )
}

/** The number of imports between a test file and each source. */
function distances(imports: Imports, from: string): Map<string, number> {
  const found = new Map([[from, 0]])
  for (const [file, distance] of found) {
    for (const next of imports.get(file) ?? []) if (!found.has(next)) found.set(next, distance + 1)
  }
  return found
}

/** Offsets that must run for the mutant to matter. Undefined: it is in a part that runs when the file is loaded. */
function offsetsOf(text: string, mutant: Mutant): number[] | undefined {
  const source = parse(mutant.file, text)
  const functionAt = (node: ts.Node): ts.Node | undefined => {
    for (let at: ts.Node | undefined = node; at; at = at.parent) if (ts.isFunctionLike(at)) return at
    return undefined
  }
  const find = (node: ts.Node): ts.Node =>
    ts.forEachChild(node, (child) =>
      child.getStart() <= mutant.start && child.getEnd() >= mutant.start + mutant.before.length
        ? find(child)
        : undefined,
    ) ?? node
  const place = find(source)
  if (functionAt(place)) return [mutant.start]
  // A constant matters where it is used; one that others import, or that makes another constant, wherever the file is loaded.
  for (let at: ts.Node | undefined = place; at; at = at.parent) {
    if (!ts.isVariableStatement(at)) continue
    const names = at.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    if (at.modifiers?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword)) return undefined
    const uses: ts.Node[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && names.includes(node.text) && !ts.isVariableDeclaration(node.parent)) uses.push(node)
      ts.forEachChild(node, visit)
    }
    visit(source)
    if (uses.length === 0 || uses.some((use) => functionAt(use) === undefined)) return undefined
    return uses.map((use) => use.getStart())
  }
  return undefined
}

const contains = (parts: readonly number[], offset: number) => {
  for (let i = 0; i < parts.length; i += 2) if (parts[i]! <= offset && offset < parts[i + 1]!) return true
  return false
}

/** Tests that watch all areas in one respect: they come after those of the folder. */
const WATCHERS: readonly { file: string; watches(mutant: Mutant, isLoaded: boolean): boolean }[] = [
  { file: 'test/every-statement.test.ts', watches: ({ kind }) => kind === 'where' || kind === 'order' },
  {
    file: 'test/openapi.test.ts',
    watches: ({ file }, isLoaded) =>
      isLoaded && /schema\.ts$|^src\/server\/(?:api|device|admin|present|openapi)\//.test(file),
  },
]

/** A test that reads sources as text runs none of them, and notices its subject in any. */
const READS_SOURCES = /import\.meta\.dirname, '\.\.\/src\b/

/** 0: the mirror of the source; 1: its folder; 2: of the same area; 3: others. */
function farness(test: string, source: string): number {
  const mirror = source.replace(/^src/, 'test').replace(/\.ts$/, '')
  if (test.startsWith(mirror.replace(/\.(?:repository|service)$/, ''))) return 0
  if (test.startsWith(`${dirname(mirror)}/`)) return 1
  const area = areaOf(source).split('/')[2]
  return area !== undefined && test.includes(area) ? 2 : 3
}

/** Chooses files for mutants from a map: `budgetMs` is the processor time that they may need together, as measured. */
export function createChooser(tree: string, map: ReachMap) {
  const imports = readImports(tree)
  const usable = map.files.filter(({ broken }) => broken === undefined)
  const reached = new Map<string, Map<string, number>>()
  const distance = (test: string, source: string) => {
    if (!reached.has(test)) reached.set(test, distances(imports, test))
    return reached.get(test)!.get(source)
  }
  const readers = new Set(
    usable.map(({ file }) => file).filter((file) => READS_SOURCES.test(readFileSync(join(tree, file), 'utf8'))),
  )
  return {
    choose(mutant: Mutant, budgetMs: number): Chosen {
      const offsets = offsetsOf(readFileSync(join(tree, mutant.file), 'utf8'), mutant)
      const isLoaded = offsets === undefined
      const lists = map.lists[mutant.file] ?? []
      const runs = lists.map((parts) => isLoaded || offsets.some((offset) => contains(parts, offset)))
      const isFound = ({ file, ran }: Reach) =>
        readers.has(file) || (runs[ran[mutant.file] ?? -1] ?? (isLoaded && distance(file, mutant.file) !== undefined))
      const isWatcher = (test: string) =>
        readers.has(test) || WATCHERS.some(({ file, watches }) => file === test && watches(mutant, isLoaded))
      // What is only loaded says little of who notices it: the shorter the way, the more.
      const rank = ({ file, ran }: Reach) => {
        const far = farness(file, mutant.file)
        if (far > 1 && isWatcher(file)) return 150
        return far * 100 + (isLoaded ? (distance(file, mutant.file) ?? 50) + (mutant.file in ran ? 0 : 20) : 0)
      }
      const all = usable.filter(isFound).toSorted((a, b) => rank(a) - rank(b) || a.cpuMs - b.cpuMs)
      const files: Reach[] = []
      let sum = 0
      for (const one of all) {
        if (files.length > 0 && sum + one.cpuMs > budgetMs) continue
        sum += one.cpuMs
        files.push(one)
      }
      return { files, left: all.length - files.length, isRun: all.some(({ file }) => !readers.has(file)) }
    },
  }
}
