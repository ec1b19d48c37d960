import { globSync } from 'node:fs'
import { expect } from 'chai'
import { readImports } from './support/imports.ts'
import { APART, leaveApart } from './support/runner/apart.ts'
import { ROOT } from './support/runner/arguments.ts'
import { chooseTests } from './support/runner/changed.ts'
import type { Durations } from './support/runner/durations.ts'
import { createQueue } from './support/runner/queue.ts'

/** The parts of the runner that decide something; run.test.ts runs it as a whole. */
describe('the order of test files', () => {
  const took = (ms: number, cpuMs = ms) => ({ ms, cpuMs })

  /** Hands out everything to one process that is always through with the last one. */
  function orderOf(files: string[], durations: Durations): string[] {
    const queue = createQueue(files, durations, 4)
    const order: string[] = []
    for (let file = queue.next(); file !== undefined; file = queue.next()) {
      order.push(file)
      queue.done(file)
    }
    return order
  }

  it('begins with the longest of the last run, and hands out each once', () => {
    const durations = { 'test/a.test.ts': took(10), 'test/b.test.ts': took(30), 'test/c.test.ts': took(20) }
    expect(
      orderOf(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/new.test.ts'], durations),
    ).to.deep.equal(['test/b.test.ts', 'test/c.test.ts', 'test/a.test.ts', 'test/new.test.ts'])
  })

  it('lets at most half of the processes wait for programs, while there is something else to do', () => {
    const durations = {
      'test/w1.test.ts': took(90, 10),
      'test/w2.test.ts': took(80, 10),
      'test/w3.test.ts': took(70, 10),
      'test/b1.test.ts': took(60),
      'test/b2.test.ts': took(50),
    }
    const queue = createQueue(Object.keys(durations), durations, 4)
    const first = [queue.next(), queue.next(), queue.next(), queue.next()]
    expect(first).to.deep.equal(['test/w1.test.ts', 'test/w2.test.ts', 'test/b1.test.ts', 'test/b2.test.ts'])
    expect(queue.next(), 'the processors are better used by it than by nothing').to.equal('test/w3.test.ts')
    expect(queue.next()).to.equal(undefined)
  })

  it('knows in a checkout that never ran tests which ones wait', () => {
    const [first] = orderOf(['test/arrows.test.ts', 'test/workers/crash.test.ts'], {})
    expect(first).to.equal('test/workers/crash.test.ts')
  })
})

describe('the tests of a change', () => {
  const sources = {
    'src/program.ts': `import './domain/channels/wire.ts'; import './domain/links/wire.ts'`,
    'src/domain/channels/wire.ts': `import './service.ts'`,
    'src/domain/channels/service.ts': `import './repository.ts'; import type { A } from './types.ts'`,
    'src/domain/channels/repository.ts': `import '../../platform/db/text.ts'`,
    'src/domain/channels/types.ts': '',
    'src/domain/links/wire.ts': `import './service.ts'`,
    'src/domain/links/service.ts': '',
    'src/platform/db/text.ts': '',
    'src/server/routes.ts': `import './api/channels.ts'; import './api/links.ts'`,
    'src/server/api/channels.ts': `import '../../domain/channels/service.ts'`,
    'src/server/api/links.ts': `import '../../domain/links/service.ts'`,
    'test/support/program.ts': `import '../../src/app.ts'`,
    'test/support/people.ts': `import './app.ts'`,
    'test/domain/channels/repository.test.ts': `import '../../support/app.ts'`,
    'test/domain/channels/taps.test.ts': `import '../../support/people.ts'`,
    'test/domain/links/service.test.ts': `import '../../support/app.ts'`,
    'test/server/channels.test.ts': `import '../support/app.ts'`,
    'test/server/links.test.ts': `import '../support/app.ts'`,
    'test/platform/db/text.test.ts': `import '../../../src/platform/db/text.ts'`,
  }
  const known = {
    all: Object.keys(sources).filter((file) => file.endsWith('.test.ts')),
    imports: readImports(new Map(Object.entries(sources))),
    durations: {} as Durations,
  }
  const chosenFor = (...changed: string[]) => chooseTests(changed, known).chosen

  it('are those of the area, its own first, and those of the doors that use it', () => {
    expect(chosenFor('src/domain/channels/repository.ts')).to.deep.equal([
      'test/domain/channels/repository.test.ts',
      'test/domain/channels/taps.test.ts',
      'test/server/channels.test.ts',
    ])
  })

  it('are not those of other areas, which who composes the program also loads', () => {
    expect(chosenFor('src/domain/channels/service.ts')).to.not.include('test/domain/links/service.test.ts')
    expect(chosenFor('src/server/api/links.ts')).to.deep.equal(['test/server/links.test.ts'])
  })

  it('are those of what imports it, for what no area owns', () => {
    const chosen = chosenFor('src/platform/db/text.ts')
    expect(chosen[0]).to.equal('test/platform/db/text.test.ts')
  })

  it('are a test itself, and every test that what supports it reaches', () => {
    expect(chosenFor('test/server/links.test.ts')).to.deep.equal(['test/server/links.test.ts'])
    expect(chosenFor('test/support/people.ts')).to.deep.equal(['test/domain/channels/taps.test.ts'])
  })

  it('end where they would take longer than a minute, and it says which are left', () => {
    const slow = { 'test/domain/channels/taps.test.ts': { ms: 1_000_000, cpuMs: 1_000_000 } }
    const { chosen, left } = chooseTests(['src/domain/channels/repository.ts'], { ...known, durations: slow })
    expect(left).to.deep.equal(['test/domain/channels/taps.test.ts'])
    expect(chosen).to.deep.equal(['test/domain/channels/repository.test.ts', 'test/server/channels.test.ts'])
  })
})

describe('parts that stand apart', () => {
  const all = globSync('test/**/*.test.ts', { cwd: ROOT })
  const leftBy = (...changed: string[]) => leaveApart(all, changed).left.map(({ what }) => what)
  const everyPart = APART.map(({ what }) => what)

  it('are left to a deeper run where nothing differs, and all else is not', () => {
    const { files, left } = leaveApart(all, [])
    expect(left.map(({ what }) => what)).to.deep.equal(everyPart)
    expect(files.length + left.reduce((sum, one) => sum + one.files, 0)).to.equal(all.length)
    expect(files).to.include.members(['test/server/statuses.test.ts', 'test/cli/serve.test.ts', 'test/arrows.test.ts'])
  })

  it('run when a change touches what they stand on', () => {
    expect(leftBy('src/console/pages/push/compose.tsx')).to.not.include('the console in a browser')
    expect(leftBy('src/server/admin/push.ts')).to.not.include('the console in a browser')
    expect(leftBy('clients/web/src/client.ts')).to.not.include('the clients')
    expect(leftBy('src/server/device/uploads.ts')).to.not.include('the clients')
    expect(leftBy('src/domain/notifications/service.ts')).to.not.include(
      'programs that are killed, and several servers',
    )
    expect(leftBy('migrations/0001.ts')).to.not.include('programs that are killed, and several servers')
    expect(leftBy('package-lock.json')).to.deep.equal([])
    expect(leftBy('test/support/program.ts')).to.deep.equal([])
  })

  it('run when a test of theirs differs', () => {
    for (const { what, tests } of APART) {
      expect(leftBy(all.find((file) => tests.test(file))!), what).to.not.include(what)
    }
  })

  it('are left when a change is elsewhere', () => {
    expect(leftBy('docs/decisions/README.md', 'CHANGELOG.md')).to.deep.equal(everyPart)
    const tours = 'the tours of the handbook and of README.md'
    expect(leftBy('docs/sending.md')).to.deep.equal(everyPart.filter((what) => what !== tours))
    expect(leftBy('src/console/pages/push/compose.tsx')).to.include.members([
      'the clients',
      'programs that are killed, and several servers',
    ])
  })

  it('have a file for each name, and each file is of one part', () => {
    for (const { what, tests } of APART) {
      const names = tests.source.match(/[a-z0-9-]{3,}(?=[|)])/g) ?? []
      for (const name of names)
        expect(
          all.some((file) => tests.test(file) && file.includes(name)),
          `${what}: ${name}`,
        ).to.equal(true)
    }
    for (const file of all) expect(APART.filter(({ tests }) => tests.test(file)).length, file).to.be.at.most(1)
  })
})
