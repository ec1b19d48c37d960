import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createChooser } from './support/mutants/choose.ts'
import { areaOf, draw, type Mutant } from './support/mutants/draw.ts'
import { judge, withMutant } from './support/mutants/judge.ts'
import { applied, canBeParsed, findChanges, KINDS } from './support/mutants/places.ts'
import { mapReach } from './support/mutants/reach.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const CAKES = 'src/domain/cakes/service.ts'
const MOST = `/** The most. */
const MOST = 3
/** Tells whether there is room. */
export const hasRoom = (count: number) => count < MOST
/** Names in their order. */
export const sorted = (names: string[]) => names.toSorted((a, b) => (a < b ? -1 : 1))
/** Nobody tests it. */
export function isGood(cake: string): boolean {
  return cake === 'sponge'
}
`

/** A product of two areas, the first of which has tests. */
const TREE: Record<string, string> = {
  [CAKES]: MOST,
  'src/domain/bread/repository.ts': `
    export const find = (sql: any, appId: number, id: number) => sql('breads').where({ app_id: appId, id }).orderBy('id').first()
    export const old = (sql: any) => sql.raw('SELECT id FROM breads WHERE app_id = ? AND at < ? ORDER BY at, id')
    export const refuse = () => { throw new AppError('not_found', 'no bread') }
  `,
  'test/domain/cakes/service.test.ts': `
    import { equal } from 'node:assert'
    import { hasRoom, sorted } from '../../../src/domain/cakes/service.ts'
    it('has room for three', () => { equal(hasRoom(2), true); equal(hasRoom(3), false) })
    it('sorts', () => equal(sorted(['b', 'a'])[0], 'a'))
  `,
  'test/domain/cakes/other.test.ts': "it('does nothing', () => {})",
  'test/support/running.ts': 'export const nowRunning = () => {}',
  'test/support/at-end.ts': 'export const stopShared = () => {}',
  'package.json': '{ "type": "module" }',
}

const find = (source: string) =>
  findChanges('a.ts', source).map(({ kind, before, after }) => `${kind}: ${before} → ${after}`)

describe('mutants', function () {
  this.timeout(PROGRAMS_MS)
  const tree = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  before(() => {
    for (const [file, text] of Object.entries(TREE)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true })
      writeFileSync(join(tree, file), text)
    }
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(tree, 'node_modules'))
  })
  after(() => rmSync(tree, { recursive: true, force: true }))

  for (const [source, ...changes] of [
    ['const ok = a <= b', 'condition: <= → <'],
    ['const ok = a !== b', 'condition: !== → ==='],
    ['const ok = a || b', 'condition: || → &&'],
    ['const ok = a ?? b', 'condition: a ?? b → a'],
    ['if (a) b()', 'condition: a → !a'],
    ['if (!a) b()', 'condition: !a → a'],
    ['const MOST_NAMES = 20', 'bound: 20 → 21', 'bound: 20 → 19'],
    ['const name = text({ max: 255 })', 'bound: 255 → 256', 'bound: 255 → 254'],
    ["throw new AppError('gone', 'it is gone')", "status: 'gone' → 'not_found'"],
    ['const answer = { status: 404 }', 'status: 404 → 410'],
    ["q.whereNull('a')", "where: q.whereNull('a') → q"],
    ["q.orderBy('a', 'desc')", "order: 'desc' → 'asc'", "order: q.orderBy('a', 'desc') → q"],
    [
      'q.where({ app_id, id })',
      'where: q.where({ app_id, id }) → q',
      'where: { app_id, id } → { id }',
      'where: { app_id, id } → { app_id }',
    ],
    ['x.toSorted((a, b) => a - b)', 'order: a, b → b, a', 'order: x.toSorted((a, b) => a - b) → x'],
    [
      "sql.raw('SELECT a FROM t WHERE b > ? ORDER BY c, d DESC')",
      'condition: > → >=',
      'order: DESC → ASC',
      'order: c → c DESC',
      'order: c, d DESC → c',
      'where: b > ? → (b > ? OR TRUE)',
    ],
  ] as const) {
    it(`changes one thing of ${source}`, () => {
      expect(find(source)).to.have.members(changes)
    })
  }

  for (const source of [
    "import { a } from './AND.ts'",
    "log.info({ a: b ?? c }, 'a')",
    'const WAIT_MS = 500',
    'const CHUNK = 500',
    'const first = list[0]',
    'type A = 1 | 2',
    "const text = 'this AND that'",
  ]) {
    it(`leaves ${source} alone`, () => {
      expect(find(source)).to.deep.equal([])
    })
  }

  it('of real sources differ from them in one place, and can be parsed', () => {
    for (const file of [
      'src/domain/channels/repository.ts',
      'src/domain/crashes/repository.ts',
      'src/server/calls/auth.ts',
    ]) {
      const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
      for (const change of findChanges(file, text)) {
        const changed = applied(text, change)
        expect(text.slice(change.start, change.start + change.before.length)).to.equal(change.before)
        expect(changed.length - text.length).to.equal(change.after.length - change.before.length)
        expect(canBeParsed(file, changed), change.after).to.equal(true)
      }
    }
  })

  it('are the same for the same seed, others for another, and of all areas and kinds', () => {
    const all = draw(tree, { count: 10, seed: 1 })
    expect(draw(tree, { count: 10, seed: 1 })).to.deep.equal(all)
    expect(draw(tree, { count: 10, seed: 2 })).to.not.deep.equal(all)
    expect(new Set(all.map(({ file }) => areaOf(file))).size).to.equal(2)
    expect(new Set(all.map(({ kind }) => kind))).to.have.all.keys(...KINDS)
    expect(
      draw(tree, { count: 10, seed: 1, below: ['src/domain/cakes'] }).every(({ file }) => file === CAKES),
    ).to.equal(true)
  })

  describe('are judged', () => {
    let chooser: ReturnType<typeof createChooser>
    const mutantOf = (before: string, after: string): Mutant => ({
      kind: 'condition',
      file: CAKES,
      line: 1,
      start: MOST.indexOf(before),
      before,
      after,
    })
    const verdict = (mutant: Mutant, files = chooser.choose(mutant, 10_000)) =>
      judge({ copy: tree, directory: tmpdir(), databases: 'sqlite' }, mutant, files)
    before(async () => {
      const cache = join(tree, 'reach.jsonl')
      const map = await mapReach({ tree, directory: tmpdir(), cache, processes: 1 }, () => {})
      chooser = createChooser(tree, map)
    })

    it('by the tests that run them', () => {
      const chosen = (mutant: Mutant) => chooser.choose(mutant, 10_000).files.map(({ file }) => file)
      expect(chosen(mutantOf('count < MOST', 'count <= MOST'))).to.deep.equal(['test/domain/cakes/service.test.ts'])
      expect(chosen(mutantOf("=== 'sponge'", "!== 'sponge'"))).to.deep.equal([])
      expect(chosen(mutantOf('3', '4'))).to.deep.equal(['test/domain/cakes/service.test.ts'])
      const isRun = (mutant: Mutant) => chooser.choose(mutant, 10_000).isRun
      expect(isRun(mutantOf('count < MOST', 'count <= MOST'))).to.equal(true)
      expect(isRun(mutantOf("=== 'sponge'", "!== 'sponge'"))).to.equal(false)
    })

    it('as noticed when a test fails', async () => {
      const { is, by, how } = await verdict(mutantOf('count < MOST', 'count <= MOST'))
      expect({ is, by }).to.deep.equal({ is: 'noticed', by: 'test/domain/cakes/service.test.ts' })
      expect(how).to.match(/^has room for three/)
    })

    it('as survived when none does, and as uncovered when none runs', async () => {
      const same = mutantOf('count < MOST', '  count < MOST')
      expect((await verdict(same)).is).to.equal('survived')
      expect((await verdict(mutantOf("=== 'sponge'", "!== 'sponge'"))).is).to.equal('uncovered')
    })

    it('and the source is restored, also when the work fails', async () => {
      const mutant = mutantOf('count < MOST', 'count > MOST')
      await withMutant(tree, mutant, async () => {
        expect(readFileSync(join(tree, CAKES), 'utf8')).to.equal(MOST.replace('count < MOST', 'count > MOST'))
        throw new Error('no')
      }).catch(() => {})
      expect(readFileSync(join(tree, CAKES), 'utf8')).to.equal(MOST)
    })
  })
})
