import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { AREAS } from './support/areas.ts'
import { type Import, readImports, readTree, type Tree, withoutComments } from './support/imports.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * The ladder. An import goes to the same rung's own member or to a later rung, may skip some and never turns back; members of
 * one rung never import each other.
 */
const LADDER: readonly (readonly string[])[] = [
  ['bin'],
  ['src/cli'],
  ['src/server', 'src/workers', 'src/sandbox', 'src/console'],
  ['src/present'],
  ['src/doctor'],
  ['src/open.ts'],
  ['src/program.ts'],
  ['src/config.ts'],
  ['src/domain'],
  ['src/platform'],
]

/** The most files that may lie loose in a root: a directory of src, or an area. More of them want folders. */
const MOST_LOOSE = 12

/** Imports that only few may make: the member (a directory, a file or a package) and its importers. */
const RESERVED: readonly { target: string; only: readonly string[] }[] = [
  { target: 'src/sandbox', only: ['src/cli', 'src/sandbox'] },
  { target: 'src/console', only: ['src/console'] },
  { target: 'migrations', only: ['src/program.ts', 'src/cli', 'src/doctor', 'migrations'] },
  {
    target: 'yup',
    only: [
      'src/platform/values/parse.ts',
      'src/platform/values/absent-fields.ts',
      'src/platform/values/quick-check.ts',
    ],
  },
  { target: 'liquidjs', only: ['test'] },
]

/** Members that import less than the ladder allows. */
/** The mark and the colours: constants for every page of the product. */
const BRAND = 'src/present/brand'
const CLOSED: readonly { member: string; may: readonly string[] }[] = [
  { member: 'src/sandbox', may: ['src/sandbox', 'src/platform', BRAND] },
  { member: 'migrations', may: ['migrations'] },
  { member: 'src/console', may: ['src/console', BRAND] },
  { member: BRAND, may: [BRAND] },
  { member: 'clients', may: ['clients'] },
]

/** Builders of an area. Only program.ts builds areas; other wires know them by type. */
const WIRE = /^src\/domain\/[^/]+\/wire\.ts$/

const READS_ENVIRONMENT = ['src/platform/config/config.ts', 'bin']
/** An example of a client: a program of somebody else, which may do as it likes. */
const EXAMPLE = /^clients\/[^/]+\/example\.tsx?$/
const VAGUE_NAME = /^(utils?|helpers?|commons?|misc|miscellaneous)\./

const isIn = (path: string, member: string) => path === member || path.startsWith(`${member}/`)
const isInAny = (path: string, members: readonly string[]) => members.some((member) => isIn(path, member))
const isOurs = (path: string) => isInAny(path, ['bin', 'src', 'clients', 'migrations', 'test', 'bench', 'packaging'])

/** Every broken rule of a tree as `file -> target: why`, sorted. */
function violations(tree: Tree): string[] {
  const imports = readImports(tree)
  return [
    ...imports.flatMap((one) => judge(one).map((why) => `${one.from} -> ${one.to ?? 'import()'}: ${why}`)),
    ...cycles(tree, imports).map((cycle) => `${cycle.join(' -> ')}: a cycle`),
    ...circlesOfFolders(tree, imports).map((circle) => `${circle.join(' -> ')}: a circle of folders`),
    ...crowdedRoots(tree),
    ...[...tree].flatMap(([path, source]) => judgeFile(path, source).map((why) => `${path}: ${why}`)),
  ].sort()
}

function judge({ from, to, typeOnly }: Import): string[] {
  if (to === undefined) return ['an import whose target cannot be read from the source']
  const why: string[] = []
  for (const { target, only } of RESERVED) {
    if (isIn(to, target) && !isInAny(from, only)) why.push(`only ${only.join(', ')} may import ${target}`)
  }
  for (const { member, may } of CLOSED) {
    if (isIn(from, member) && isOurs(to) && !isInAny(to, may)) why.push(`${member} imports only ${may.join(', ')}`)
  }
  if (WIRE.test(to) && from !== 'src/program.ts' && !(WIRE.test(from) && typeOnly)) {
    why.push('only src/program.ts may import a wire, and other wires its types')
  }
  if (isIn(from, 'migrations') && !isOurs(to) && !(to === 'knex' && typeOnly)) {
    why.push('migrations import nothing but types of knex')
  }
  return [...why, ...judgeLadder(from, to), ...judgeAreas(from, to)]
}

const rungOf = (path: string) => LADDER.findIndex((members) => isInAny(path, members))

function judgeLadder(from: string, to: string): string[] {
  const [source, target] = [rungOf(from), rungOf(to)]
  if (source < 0) return []
  if (target < 0) return isOurs(to) && !isIn(to, 'migrations') ? ['a target outside of the ladder'] : []
  if (target < source) return ['against the ladder']
  const memberOf = (path: string) => LADDER[source]!.find((member) => isIn(path, member))
  return target === source && memberOf(from) !== memberOf(to) ? ['between members of one rung'] : []
}

const areaOf = (path: string) => /^src\/domain\/([^/]+)/.exec(path)?.[1]

function judgeAreas(from: string, to: string): string[] {
  const [source, target] = [areaOf(from), areaOf(to)]
  if (source === undefined || target === undefined) return []
  const [left, right] = [AREAS.indexOf(target), AREAS.indexOf(source)]
  return left > right && right >= 0 ? [`${source} is to the left of ${target}`] : []
}

function judgeFile(path: string, source: string): string[] {
  const why: string[] = []
  const area = areaOf(path)
  if (area !== undefined && !AREAS.includes(area)) why.push(`${area} is not an area of the ladder`)
  if (VAGUE_NAME.test(path.slice(path.lastIndexOf('/') + 1))) why.push('a name that says nothing')
  const reads =
    /\bprocess\s*\??\.\s*env\b|\bprocess\s*\[|\benv\b[^;\n]*(?:=\s*process\b|from\s*['"](?:node:)?process['"])/
  if (!isInAny(path, READS_ENVIRONMENT) && !EXAMPLE.test(path) && reads.test(withoutComments(source))) {
    why.push(`only ${READS_ENVIRONMENT.join(', ')} may read the environment`)
  }
  return why
}

/** Cycles between files, `import type` included: each once, from its first file in order back to it. */
function cycles(tree: Tree, imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const found: string[][] = []
  const finished = new Set<string>()
  const path: string[] = []
  const visit = (file: string) => {
    if (path.includes(file)) return void found.push([...path.slice(path.indexOf(file)), file])
    if (finished.has(file) || !tree.has(file)) return
    path.push(file)
    for (const { to } of targets.get(file) ?? []) if (to !== undefined) visit(to)
    path.pop()
    finished.add(file)
  }
  for (const file of tree.keys()) visit(file)
  return found
}

/** A directory of src, or an area: what is a root to the folders in it. */
const ROOT_DIRECTORY = /^src\/(?:domain\/)?[^/]+(?=\/)/
const rootOf = (path: string) => ROOT_DIRECTORY.exec(path)?.[0]

/** Returns the room of a file inside its root: a folder with everything below it, or the file itself where it lies loose. */
function roomOf(path: string): string {
  const root = rootOf(path)
  return root === undefined ? path : `${root}/${path.slice(root.length + 1).split('/')[0]}`
}

/** Circles in which a folder of a root takes part: from its first folder in order back to it. A file that lies loose counts as a folder. */
function circlesOfFolders(tree: Tree, imports: readonly Import[]): string[][] {
  const rooms = new Map([...tree.keys()].filter(rootOf).map((path) => [roomOf(path), '']))
  const between = new Map<string, Import>()
  for (const { from, to, typeOnly } of imports) {
    if (to === undefined || rootOf(from) === undefined || rootOf(from) !== rootOf(to)) continue
    const [room, other] = [roomOf(from), roomOf(to)]
    if (room !== other) between.set(`${room} ${other}`, { from: room, to: other, typeOnly })
  }
  return cycles(rooms, [...between.values()]).filter((circle) => circle.some((room) => !tree.has(room)))
}

/** Roots in which more files lie loose than `MOST_LOOSE`. */
function crowdedRoots(tree: Tree): string[] {
  const loose = [...tree.keys()].filter((path) => rootOf(path) !== undefined && roomOf(path) === path)
  return [...Map.groupBy(loose, (path) => rootOf(path)!)]
    .filter(([, files]) => files.length > MOST_LOOSE)
    .map(([root, files]) => `${root}: ${files.length} files lie loose, and ${MOST_LOOSE} may`)
}

/** The types of the console and of a client, which `npm run check` makes (packaging/schemas.ts). */
const MADE = ['src/console/api/schema.ts', 'clients/server/src/schema.ts']

describe('arrows', () => {
  const tree = readTree(ROOT, ['bin', 'src', 'clients', 'migrations'])

  it('all run one way', () => {
    expect(violations(tree)).to.deep.equal([])
  })

  it('lead to files that exist', () => {
    const isThere = (to: string) => MADE.includes(to) || existsSync(join(ROOT, to))
    const lost = readImports(tree).filter(({ to }) => to !== undefined && isOurs(to) && !isThere(to))
    expect(lost).to.deep.equal([])
  })

  it('are found at all: every rung that exists imports something below it', () => {
    const imports = readImports(tree)
    expect(imports.length).to.be.greaterThan(100)
    for (const member of ['src/program.ts', 'src/domain', 'migrations']) {
      expect(
        imports.some(({ from }) => isIn(from, member)),
        member,
      ).to.equal(true)
    }
  })
})

describe('the judge of arrows', () => {
  const said = (files: Record<string, string>) => violations(new Map(Object.entries(files)))
  const refuses = (files: Record<string, string>, ...expected: string[]) => expect(said(files)).to.deep.equal(expected)
  const accepts = (files: Record<string, string>) => refuses(files)

  it('accepts arrows down the ladder that skip steps', () => {
    accepts({
      'bin/run.js': `import '../src/cli/run.ts'`,
      'src/cli/run.ts': `import { x } from '../server/index.ts'; import y from '../sandbox/a.ts'; import '../platform/p.ts'`,
      'src/server/index.ts': `import { program } from '../program.ts'`,
      'src/workers/index.ts': `import { open } from '../open.ts'; import { a } from '../domain/crm/service.ts'`,
      'src/open.ts': `import { createProgram } from './program.ts'`,
      'src/program.ts': `import { migrations } from '../migrations/index.ts'; import './domain/crm/service.ts'`,
      'src/domain/crm/service.ts': `import '../apps/types.ts'; import '../../platform/p.ts'; import knex from 'knex'`,
      'migrations/index.ts': `import * as a from './0001_a.ts'`,
      'migrations/0001_a.ts': `import type { Knex } from 'knex'`,
      'src/platform/values/parse.ts': `import * as yup from 'yup'`,
      'src/platform/config/config.ts': `process.env`,
    })
  })

  const forms: Record<string, string> = {
    'a static import': `import { x } from '../program.ts'`,
    'a default import': `import x from "../program.ts"`,
    'a namespace import': `import * as x from '../program.ts'`,
    'an import over several lines': `import {\n  x,\n  type Y,\n} from '../program.ts'`,
    'an import of types': `import type { X } from '../program.ts'`,
    'an import for its effect': `import '../program.ts'`,
    'a dynamic import': `const load = async () => (await import('../program.ts')).x`,
    'a type of an import': `let x: import('../program.ts').Program`,
    'an export from': `export { x } from '../program.ts'`,
    'an export of types from': `export type { X } from '../program.ts'`,
    'an export of everything': `export * from '../program.ts'`,
    'a require': `const x = require('../program.ts')`,
    'an import behind a comment': `/* first */ import /* x */ { x } from '../program.ts' // why`,
  }
  for (const [name, source] of Object.entries(forms)) {
    it(`sees ${name}`, () => {
      refuses({ 'src/platform/p.ts': source }, 'src/platform/p.ts -> src/program.ts: against the ladder')
    })
  }

  it('takes no comment and no text for an import', () => {
    accepts({
      'src/platform/p.ts': `// import '../program.ts'\n/** import x from '../program.ts' */\nconst a = \`import '../program.ts'\`\nconst b = 'https://x'`,
    })
  })

  it('refuses every arrow against the ladder', () => {
    const path = (member: string) => (member.endsWith('.ts') || member.endsWith('.js') ? member : `${member}/file.ts`)
    for (const [low, lower] of LADDER.entries()) {
      for (const higher of LADDER.slice(0, low)) {
        for (const from of lower) {
          for (const to of higher) {
            const up = '../'.repeat(path(from).split('/').length - 1)
            const all = said({ [path(from)]: `import '${up || './'}${path(to)}'` })
            expect(all.join(), `${from} -> ${to}`).to.include(`${path(from)} -> ${path(to)}: against the ladder`)
          }
        }
      }
    }
  })

  it('refuses circles of folders, also of three, of types and through a loose file', () => {
    refuses(
      {
        'src/domain/crm/store/a.ts': `import '../adoption/b.ts'`,
        'src/domain/crm/adoption/b.ts': '',
        'src/domain/crm/adoption/c.ts': `import type { D } from '../store/d.ts'`,
        'src/domain/crm/store/d.ts': '',
      },
      'src/domain/crm/store -> src/domain/crm/adoption -> src/domain/crm/store: a circle of folders',
    )
    refuses(
      {
        'src/server/http/a.ts': `import '../routes.ts'`,
        'src/server/routes.ts': `import './api/b.ts'`,
        'src/server/api/b.ts': `import '../http/c.ts'`,
        'src/server/http/c.ts': '',
      },
      'src/server/http -> src/server/routes.ts -> src/server/api -> src/server/http: a circle of folders',
    )
  })

  it('accepts loose files that build what folders hold, and others that folders use', () => {
    accepts({
      'src/domain/crm/wire.ts': `import './store/a.ts'; import './adoption/b.ts'`,
      'src/domain/crm/store/a.ts': `import '../types.ts'`,
      'src/domain/crm/adoption/b.ts': `import '../store/a.ts'; import '../types.ts'`,
      'src/domain/crm/types.ts': '',
    })
  })

  it('refuses a root in which thirteen files lie loose', () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/domain/crm/f${i}.ts`, '']))
    accepts(files(12))
    refuses(files(13), 'src/domain/crm: 13 files lie loose, and 12 may')
  })

  it('refuses arrows between server, workers and sandbox', () => {
    refuses(
      { 'src/server/a.ts': `import '../workers/b.ts'` },
      'src/server/a.ts -> src/workers/b.ts: between members of one rung',
    )
    refuses(
      { 'src/workers/a.ts': `import '../server/b.ts'` },
      'src/workers/a.ts -> src/server/b.ts: between members of one rung',
    )
    refuses(
      { 'src/sandbox/a.ts': `import '../server/b.ts'` },
      'src/sandbox/a.ts -> src/server/b.ts: between members of one rung',
      'src/sandbox/a.ts -> src/server/b.ts: src/sandbox imports only src/sandbox, src/platform, src/present/brand',
    )
  })

  it('refuses the sandbox to everybody but the command line, and everything but the platform to the sandbox', () => {
    for (const from of [
      'src/server/a.ts',
      'src/workers/a.ts',
      'src/domain/crm/a.ts',
      'src/platform/a.ts',
      'src/program.ts',
    ]) {
      const up = '../'.repeat(from.split('/').length - 1)
      const all = said({ [from]: `import '${up}src/sandbox/b.ts'` })
      expect(all).to.include(`${from} -> src/sandbox/b.ts: only src/cli, src/sandbox may import src/sandbox`)
    }
    refuses(
      { 'src/sandbox/a.ts': `import '../domain/crm/b.ts'` },
      'src/sandbox/a.ts -> src/domain/crm/b.ts: src/sandbox imports only src/sandbox, src/platform, src/present/brand',
    )
  })

  it('refuses migrations to everybody but program.ts, the doctor and the command line, and everything but types of knex to them', () => {
    refuses(
      { 'src/server/a.ts': `import '../../migrations/index.ts'` },
      'src/server/a.ts -> migrations/index.ts: only src/program.ts, src/cli, src/doctor, migrations may import migrations',
    )
    accepts({ 'src/cli/a.ts': `import '../../migrations/index.ts'` })
    refuses(
      { 'migrations/0001_a.ts': `import knex from 'knex'` },
      'migrations/0001_a.ts -> knex: migrations import nothing but types of knex',
    )
    refuses(
      { 'migrations/0001_a.ts': `import { x } from '../src/platform/p.ts'` },
      'migrations/0001_a.ts -> src/platform/p.ts: migrations imports only migrations',
    )
  })

  it('refuses the wires of areas to everybody but program.ts, and their types to everybody but other wires', () => {
    const wire = 'src/domain/crm/wire.ts'
    const why = 'only src/program.ts may import a wire, and other wires its types'
    accepts({
      'src/program.ts': `import { wireCrm } from './domain/crm/wire.ts'`,
      'src/domain/links/wire.ts': `import type { CrmWire } from '../crm/wire.ts'`,
    })
    for (const from of ['src/open.ts', 'src/server/a.ts', 'src/domain/crm/service.ts', 'src/domain/links/wire.ts']) {
      const up = '../'.repeat(from.split('/').length - 1)
      refuses({ [from]: `import { wireCrm } from '${up || './'}${wire}'` }, `${from} -> ${wire}: ${why}`)
    }
    refuses(
      { 'src/domain/links/service.ts': `import type { CrmWire } from '../crm/wire.ts'` },
      `src/domain/links/service.ts -> ${wire}: ${why}`,
    )
  })

  it('refuses everything of the server to its clients, and clients to the server', () => {
    refuses(
      { 'clients/web/src/a.ts': `import type { B } from '../../../src/platform/b.ts'` },
      'clients/web/src/a.ts -> src/platform/b.ts: clients imports only clients',
    )
    refuses(
      { 'src/server/a.ts': `import '../../clients/web/src/b.ts'` },
      'src/server/a.ts -> clients/web/src/b.ts: a target outside of the ladder',
    )
    accepts({ 'clients/web/src/a.ts': `import '../../core/src/b.ts'; import x from 'idb-keyval'` })
  })

  it('refuses tests, benchmarks and packaging to the program', () => {
    refuses(
      { 'src/cli/a.ts': `import '../../test/support/program.ts'` },
      'src/cli/a.ts -> test/support/program.ts: a target outside of the ladder',
    )
  })

  it('refuses every area the areas to its right', () => {
    for (const [i, left] of AREAS.entries()) {
      for (const right of AREAS.slice(i + 1)) {
        const down = { [`src/domain/${right}/a.ts`]: `import '../${left}/b.ts'` }
        accepts(down)
        const up = { [`src/domain/${left}/a.ts`]: `import type { X } from '../${right}/b.ts'` }
        refuses(up, `src/domain/${left}/a.ts -> src/domain/${right}/b.ts: ${left} is to the left of ${right}`)
      }
    }
  })

  it('refuses an area that the ladder does not know', () => {
    refuses({ 'src/domain/extras/a.ts': '' }, 'src/domain/extras/a.ts: extras is not an area of the ladder')
  })

  it('refuses yup outside of parse.ts, absent-fields.ts and quick-check.ts, also its types', () => {
    for (const source of [
      `import * as yup from 'yup'`,
      `import type { Schema } from 'yup'`,
      `import x from 'yup/lib/x.js'`,
    ]) {
      const all = said({ 'src/domain/crm/schema.ts': source })
      expect(all).to.have.length(1)
      expect(all[0]).to.include(
        'only src/platform/values/parse.ts, src/platform/values/absent-fields.ts, src/platform/values/quick-check.ts may import yup',
      )
    }
    accepts({ 'src/domain/crm/schema.ts': `import x from 'yupp'` })
  })

  it('refuses to read the environment outside of config.ts and bin', () => {
    const ways = [
      'process.env.HOME',
      'process.env["HOME"]',
      'process?.env',
      'process["env"]',
      'const { env } = process',
      `import { env } from 'node:process'`,
      `import process, { env as e } from 'process'`,
    ]
    for (const source of ways) {
      refuses(
        { 'src/cli/a.ts': source },
        'src/cli/a.ts: only src/platform/config/config.ts, bin may read the environment',
      )
    }
    accepts({ 'src/cli/a.ts': '// process.env\nprocess.argv; const env = {}; env.x', 'bin/run.js': 'process.env.X' })
  })

  it('refuses cycles, also of types and of three files', () => {
    refuses(
      { 'src/platform/a.ts': `import './b.ts'`, 'src/platform/b.ts': `import type { A } from './a.ts'` },
      'src/platform/a.ts -> src/platform/b.ts -> src/platform/a.ts: a cycle',
    )
    refuses(
      {
        'src/platform/start.ts': `import './a.ts'`,
        'src/platform/a.ts': `import './b.ts'`,
        'src/platform/b.ts': `import './c.ts'; import './d.ts'`,
        'src/platform/c.ts': `export * from './a.ts'`,
        'src/platform/d.ts': '',
      },
      'src/platform/a.ts -> src/platform/b.ts -> src/platform/c.ts -> src/platform/a.ts: a cycle',
    )
  })

  it('refuses file names that say nothing', () => {
    for (const name of ['utils', 'util', 'helpers', 'helper', 'common', 'misc']) {
      refuses({ [`src/platform/${name}.ts`]: '' }, `src/platform/${name}.ts: a name that says nothing`)
    }
    accepts({ 'src/platform/utility-bill.ts': '' })
  })

  it('refuses an import whose target only the running program knows', () => {
    refuses(
      { 'src/platform/a.ts': 'await import(name)' },
      'src/platform/a.ts -> import(): an import whose target cannot be read from the source',
    )
  })
})
