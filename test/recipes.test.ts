import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { reaches } from './support/depth.ts'
import { PROGRAMS_MS } from './support/programs.ts'
import { type Copy, copyCheckout, outcomeOf, patchNames, patchOf } from './support/recipes/copy.ts'
import { patched, readPatch } from './support/recipes/patch.ts'
import { readRecipes } from './support/recipes/text.ts'
import { ROOT } from './support/runner/arguments.ts'
import { differing } from './support/runner/changed.ts'

const RECIPES = readRecipes(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))
/** The number of files that a recipe may cost. */
const MOST_FILES: Readonly<Record<string, number>> = {
  'channel-field': 10,
  gateway: 14,
  'filter-operator': 9,
  'console-screen': 9,
}
/** Variables by which a run of tests tells its processes about itself: the run in the copy is one of its own. */
const OF_THE_RUN = /^MOCHA_/

/** Tells whether recipes are followed in a copy: before a change lands, and when they themselves differ. Their tests run before a release. */
function areFollowed(): boolean {
  if (reaches('whole')) return true
  try {
    return differing(ROOT).some((file) => file === 'CONTRIBUTING.md' || file.startsWith('test/support/recipes/'))
  } catch {
    return false
  }
}

describe('the recipes of CONTRIBUTING.md', () => {
  it('have a patch each, and there is no other', () => {
    expect(RECIPES.map(({ name }) => name).toSorted()).to.deep.equal(patchNames())
  })

  for (const { name, written, made } of RECIPES) {
    it(`${name} fits the sources and lists the files of its patch`, () => {
      const patch = patchOf(name)
      expect([...patch.files.keys()].toSorted()).to.deep.equal(written.toSorted())
      expect([...outcomeOf(ROOT, patch).keys()]).to.have.length(written.length)
      expect(written.length + made.length).to.be.at.most(MOST_FILES[name] ?? Number.POSITIVE_INFINITY)
    })
  }
})

if (areFollowed()) {
  describe('the recipes of CONTRIBUTING.md, followed in a copy', function () {
    this.timeout(PROGRAMS_MS)
    const environment = Object.entries(process.env).filter(([name]) => !OF_THE_RUN.test(name))
    const bin = join(ROOT, 'node_modules/.bin')
    const env = { ...Object.fromEntries(environment), PATH: `${bin}:${process.env.PATH}` }
    let copy: Copy

    /** Runs a command in the copy. Throws what it printed when it fails. */
    async function run(command: string): Promise<void> {
      const options = { cwd: copy.folder, env, maxBuffer: 64 * 1024 * 1024 }
      await promisify(execFile)('sh', ['-c', command], options).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${command}\n${error.stdout}${error.stderr}`)
      })
    }

    before(async () => {
      copy = copyCheckout()
      for (const { name } of RECIPES) copy.apply(patchOf(name))
      for (const command of new Set(RECIPES.flatMap(({ commands }) => commands))) await run(command)
    })
    after(() => copy?.remove())

    it('change the files that they list and no other', () => {
      const listed = new Set(RECIPES.flatMap(({ written, made }) => [...written, ...made]))
      const numbered = copy
        .changed()
        .map((file) => (existsSync(join(ROOT, file)) ? file : file.replace(/^(migrations\/)\d{4}/, '$1NNNN')))
      expect(numbered.toSorted()).to.deep.equal([...listed].toSorted())
    })

    it('compile', async () => {
      await run('tsc -p tsconfig.json')
      await run('tsc -p src/console/tsconfig.json')
    })

    // A minute or two of a processor.
    if (!reaches('long')) return
    it('pass their tests', async () => {
      const tests = new Set(RECIPES.flatMap((one) => one.tests))
      await run(`node test/support/run.ts --reporter dot ${[...tests].join(' ')}`)
    })
  })
}

describe('a recipe', () => {
  const page = (block: string) => `# A\n\n### B\n<!-- recipe: b -->\n\n${block}\n`

  it('is read with its files, what makes them, and its tests', () => {
    const [recipe] = readRecipes(
      page('    a/b.ts  one line\n    c.json  npm run c\n    d.md    npm run c\n\n    npm test -- x y'),
    )
    expect(recipe).to.deep.equal({
      name: 'b',
      written: ['a/b.ts'],
      made: ['c.json', 'd.md'],
      commands: ['npm run c'],
      tests: ['x', 'y'],
    })
  })

  for (const [block, why] of [
    ['    a/b.ts  one line', 'has to name its files and its tests'],
    ['    whatever\n\n    npm test -- x', '"whatever" is neither a file'],
  ] as const)
    it(`is refused: ${why}`, () => {
      expect(() => readRecipes(page(block))).to.throw(why)
    })
})

describe('a patch of a recipe', () => {
  const places = (text: string) => [...readPatch(`--- a.ts\n${text}`).files.values()][0]!
  const BEFORE = 'one\ntwo\n\ntwo\nthree\n'

  it('finds its places by the lines around them', () => {
    expect(patched('a.ts', BEFORE, places(' one\n+more\n two\n@@\n\n-two\n three\n'))).to.equal(
      'one\nmore\ntwo\n\nthree\n',
    )
    expect(patched('a.ts', undefined, places('+new\n+\n'))).to.equal('new\n\n')
  })

  for (const [text, before, why] of [
    [' zero\n+x\n', BEFORE, 'a.ts has these lines nowhere:\nzero'],
    [' two\n+x\n', BEFORE, 'a.ts has these lines 2 times:\ntwo'],
    ['+x\n', BEFORE, 'a.ts is there already'],
    [' x\n+y\n', undefined, 'a.ts is not there'],
  ] as const)
    it(`says why it does not fit: ${why.split('\n')[0]}`, () => {
      expect(() => patched('a.ts', before, places(text))).to.throw(why)
    })
})
