import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { STATUS as IN_APP_STATUS } from '../src/domain/in-app/types.ts'
import { EXPIRIES, FAILURES, LEFT_OUT, RECIPIENT_STATES } from '../src/domain/notifications/record/page.ts'
import { STATUS } from '../src/domain/notifications/types.ts'
import { ERRORS } from '../src/platform/errors.ts'
import { ROOT } from './cli/cli.ts'
import { reaches } from './support/depth.ts'
import { choosePages } from './support/handbook/choose.ts'
import { isAsShown } from './support/handbook/compare.ts'
import { type Step, stepsOf } from './support/handbook/page.ts'
import { EXECUTABLE, newReader, type Program, startProgram } from './support/handbook/reader.ts'
import { needs, programsIn } from './support/needs.ts'
import { PROGRAMS_MS } from './support/programs.ts'
import { differing } from './support/runner/changed.ts'

/** Pages for readers of the sources, beside `docs/decisions`. */
const FOR_THE_CODE = new Set([
  'docs/reference/device-protocol.md',
  'docs/reference/gateway-facts.md',
  'docs/reference/promises.md',
])
/** Is made from the commands themselves; `test/cli/examples.test.ts` types its examples. */
const COMMANDS_PAGE = 'docs/reference/commands.md'
const PAGES = globSync('docs/**/*.md', { cwd: ROOT })
  .filter((path) => !path.startsWith('docs/decisions/') && !FOR_THE_CODE.has(path) && path !== COMMANDS_PAGE)
  .sort()
/** Blocks that no page can run here; a new one needs a reason. */
const MOST_LEFT_OUT = 60
const leftOut = (steps: readonly Step[]) => steps.flatMap((step) => (step.kind === 'left out' ? [step.why] : []))

/** Lists what differs; undefined where nobody can tell, and where all pages are wanted anyway. */
function changedFiles(): readonly string[] | undefined {
  if (reaches('whole') || EXECUTABLE !== undefined) return undefined
  try {
    return differing(ROOT)
  } catch {
    return undefined
  }
}

const STEPS = PAGES.map((path) => {
  try {
    return { path, steps: stepsOf(readFileSync(join(ROOT, path), 'utf8')) }
  } catch (error) {
    return { path, steps: [], error: error as Error }
  }
})

describe('the handbook', function () {
  this.timeout(PROGRAMS_MS)
  let program: Program

  before(async () => {
    program = await startProgram()
  })

  /** Ends of what pages started, awaited while the next page begins. */
  const ending: Promise<void>[] = []

  after(async () => {
    await Promise.all(ending)
    program.end()
  })

  const changed = changedFiles()
  for (const { path, steps, error } of changed === undefined ? STEPS : choosePages(STEPS, changed)) {
    const whys = leftOut(steps)
    const commands = steps.flatMap((step) => (step.kind === 'command' || step.kind === 'script' ? [step.commands] : []))
    if (!error && commands.length === 0) continue
    const without = whys.length === 0 ? '' : `, without ${whys.length} (${[...new Set(whys)].join('; ')})`
    it(`${path} works as it is printed: ${commands.length} steps${without}`, async function () {
      if (error) throw error
      // `new_phone` of the stage calls the server with it.
      needs(this, ...programsIn(commands.join('\n').replaceAll('new_phone', 'curl')))
      const reader = newReader(program)
      try {
        for (const step of steps) await reader.do(step)
      } finally {
        ending.push(reader.end())
      }
    })
  }
})

describe('the reference', () => {
  const page = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8')

  it('has every state', () => {
    const text = page('reference/states.md')
    const [notifications, messages] = [text, text.slice(text.indexOf('## In-app messages'))]
    for (const [word, number] of Object.entries(STATUS)) expect(notifications).to.include(`| ${number} | \`${word}\` |`)
    for (const [word, number] of Object.entries(IN_APP_STATUS))
      expect(messages).to.include(`| ${number} | \`${word}\` |`)
    for (const state of RECIPIENT_STATES) expect(text).to.include(`| \`${state}\` | `)
    for (const reason of Object.keys({ ...FAILURES, ...EXPIRIES, ...LEFT_OUT }))
      expect(text).to.include(`| \`${reason}\` |`)
  })

  it('has every error with its status and its exit code', () => {
    const text = page('reference/errors.md')
    for (const [code, { http, exit }] of Object.entries(ERRORS)) {
      const row =
        code === 'usage' || code === 'config' ? `| ${exit} | \`${code}\` |` : `| ${http} | \`${code}\` | ${exit} |`
      expect(text).to.include(row)
    }
  })

  it('has every metric', () => {
    const catalogue = readFileSync(join(ROOT, 'src/server/metrics/catalogue.ts'), 'utf8')
    const names = (catalogue.match(/(?<=name: ')\w+(?=')/g) ?? []).map((name) => `appsvc_${name}`)
    expect(names.length).to.be.above(20)
    const text = page('operating.md')
    expect(names.filter((name) => !text.includes(`\`${name}`))).to.deep.equal([])
  })
})

describe('what a page shows', () => {
  const SAME: readonly (readonly [shown: string, printed: string])[] = [
    ['server key  sk_FEV6A4xHgS0iB6-tiA7PsLjZvs8plD_Xgmtq23ndHm4', `server key   sk_${'x'.repeat(43)}`],
    ['created  2026-11-21 16:01:21Z', 'created  2027-01-02 03:04:05Z\n'],
    ['first\n…\nlast', 'first\na\nb\nlast'],
    ['first\n...', 'first\n\nmore\n'],
    ['page …, attempt 1', 'page 12, attempt 1'],
    ['link host  a785523dded.localhost:8080', 'link host  b0123456789.localhost:41234'],
  ]
  for (const [shown, printed] of SAME)
    it(`${JSON.stringify(printed)} is ${JSON.stringify(shown)}`, () => {
      expect(isAsShown(shown, printed)).to.equal(true)
    })

  const OTHER: readonly (readonly [shown: string, printed: string])[] = [
    ['accepted 2', 'accepted 3'],
    ['one\n…', 'two'],
    ['one', 'one\ntwo'],
    ['a.c', 'abc'],
  ]
  for (const [shown, printed] of OTHER)
    it(`${JSON.stringify(printed)} is not ${JSON.stringify(shown)}`, () => {
      expect(isAsShown(shown, printed)).to.equal(false)
    })
})

describe('the pages that npm test plays', () => {
  const page = (name: string, ...commands: string[]) => ({
    path: `docs/${name}.md`,
    steps: commands.map((one) => ({ kind: 'script' as const, line: 1, commands: one, exit: 0 })),
  })
  const PAGES_OF_TEST = [
    page('links', 'appsvc serve', 'appsvc links list'),
    page('users', 'appsvc serve --no-workers', 'curl localhost:8080/crm/v1/users'),
    page('templates', 'appsvc templates list'),
    page('sending', 'appsvc serve --sandbox'),
  ]
  const ROWS: readonly (readonly [what: string, changed: string[], more: string[]])[] = [
    ['nothing', [], []],
    ['a page', ['docs/links.md'], ['links']],
    ['a command', ['src/cli/commands/links/update.ts'], ['links']],
    ['a source that has the name of a route', ['src/server/api/users.ts'], ['users']],
    ['an area that pages call otherwise', ['src/domain/crm/users.repository.ts'], ['users']],
    ['a test', ['test/domain/links/service.test.ts'], []],
    ['how they are played', ['test/support/handbook/page.ts'], ['links', 'users']],
  ]
  for (const [what, changed, more] of ROWS)
    it(`are those without a server, what everybody reads, and when ${what} differs ${more.join(' and ') || 'no more'}`, () => {
      const names = choosePages(PAGES_OF_TEST, changed).map(({ path }) => path.slice('docs/'.length, -'.md'.length))
      expect(names).to.have.members(['templates', 'sending', ...more])
    })
})

describe('a page of the handbook', () => {
  it('leaves out little, and says why', () => {
    const whys = STEPS.flatMap(({ path, steps }) => leftOut(steps).map((why) => `${path}: ${why}`))
    expect(whys.length, whys.join('\n')).to.be.at.most(MOST_LEFT_OUT)
    expect(whys.filter((why) => why.length > 150)).to.deep.equal([])
  })

  const BAD: readonly (readonly [page: string, why: string])[] = [
    ['Type:\n\n    appsvc apps list', 'line 3: commands stand in blocks'],
    ['Type:\n\n    scp a b\n    appsvc apps list', 'line 4: commands stand in blocks'],
    ['```\n$ appsvc apps list\n```', 'line 2: commands stand in blocks'],
    ['```console\nappsvc apps list\n```', 'begins with a command after "$ "'],
    ['<!-- not run: docker -->\n\nNo block.', 'stands before no block'],
    ['```sh\nls', 'does not end'],
  ]
  for (const [text, why] of BAD)
    it(`${JSON.stringify(text)} is refused`, () => {
      expect(() => stepsOf(text)).to.throw(why)
    })

  it('gives its steps in order, with what is hidden and what is left out', () => {
    const text =
      '<!-- run\nA=1\n-->\n\n```console\n$ echo $A \\\n>   b\n1 b\n$ ls\n```\n\n<!-- not run: apt -->\n```sh\napt install x\n```'
    expect(stepsOf(text)).to.deep.equal([
      { kind: 'script', line: 2, commands: 'A=1', exit: 0 },
      { kind: 'command', line: 6, commands: 'echo $A \\\n  b', exit: 0, output: '1 b' },
      { kind: 'command', line: 9, commands: 'ls', exit: 0, output: '' },
      { kind: 'left out', line: 14, why: 'apt' },
    ])
  })
})
