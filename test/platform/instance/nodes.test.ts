import { expect } from 'chai'
import type { Database } from '../../../src/platform/db/connect.ts'
import { AppError, messageOf } from '../../../src/platform/errors.ts'
import { type Node, type NodeFacts, nodesRepository } from '../../../src/platform/instance/nodes.repository.ts'
import {
  disagreements,
  joinNodes,
  judgeNodes,
  keyPrintOf,
  refuseWhileOlderRun,
} from '../../../src/platform/instance/nodes.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { testClock } from '../../support/clock.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

const facts = (id: string, more: Partial<NodeFacts> = {}): NodeFacts => ({
  id,
  host: `host-${id}`,
  pid: 7,
  version: '1.2.0',
  schemaStep: '0040_nodes',
  keyPrint: keyPrintOf('one'),
  roles: ['http', 'workers'],
  ...more,
})

const node = (id: string, more: Partial<Node> = {}): Node => ({
  ...facts(id, more),
  startedAt: NOW - 60_000,
  seenAt: NOW - 1000,
  clockAhead: 0,
  stoppedAt: null,
  ...more,
})

describe('nodes', () => {
  const stateOf = (more: Partial<Node>, served?: boolean) =>
    judgeNodes([node('a', more)], { now: NOW, served }).map(({ state }) => state)

  it('are alive while they give signs of life, then gone, unless they stopped as asked', () => {
    expect(stateOf({})).to.deep.equal(['alive'])
    expect(stateOf({ seenAt: NOW - 29_999 })).to.deep.equal(['alive'])
    expect(stateOf({ seenAt: NOW - 30_000 })).to.deep.equal(['gone'])
    expect(stateOf({ seenAt: NOW - 1, stoppedAt: NOW - 1 })).to.deep.equal(['stopped'])
  })

  it('give no signs of life on SQLite: the last that started is alive while somebody has the lock', () => {
    const nodes = [node('b', { startedAt: 2, seenAt: 2 }), node('a', { startedAt: 1, seenAt: 1 })]
    const states = (served: boolean) => judgeNodes(nodes, { now: NOW, served }).map(({ state }) => state)
    expect(states(true)).to.deep.equal(['alive', 'gone'])
    expect(states(false)).to.deep.equal(['gone', 'gone'])
  })

  it('that agree say nothing, whatever one that ended was', () => {
    const nodes = [
      node('a'),
      node('b'),
      node('c', { version: '1.1.0', keyPrint: 'x', clockAhead: 99_000, stoppedAt: NOW }),
      node('d', { version: '1.0.0', seenAt: NOW - 60_000 }),
    ]
    const judged = judgeNodes(nodes, { now: NOW })
    expect(judged.flatMap(({ disagrees }) => disagrees)).to.deep.equal([])
    expect(disagreements(judged)).to.deep.equal([])
  })

  const rows: [what: string, other: Partial<Node>, disagrees: string[], sentence: string][] = [
    [
      'version',
      { version: '1.3.0', schemaStep: '0041_x' },
      ['version', 'schema'],
      'nodes run different versions (1.2.0 on host-a (process 7), 1.3.0 on host-b (process 7)): finish the upgrade',
    ],
    [
      'schema',
      { schemaStep: '0041_x' },
      ['schema'],
      'nodes know different schemas (0040_nodes on host-a (process 7), 0041_x on host-b (process 7)): finish the upgrade',
    ],
    [
      'key',
      { keyPrint: 'bbbb' },
      ['key'],
      `nodes have different master keys (${keyPrintOf('one')} on host-a (process 7), bbbb on host-b (process 7)): give all the same key file and restart them`,
    ],
    [
      'clock ahead',
      { clockAhead: 7400 },
      ['clock'],
      'the clock of host-b (process 7) is 7 s ahead of the one of the database: what it schedules is off by as much; set both by NTP',
    ],
    [
      'clock behind',
      { clockAhead: -61_000 },
      ['clock'],
      'the clock of host-b (process 7) is 61 s behind the one of the database: what it schedules is off by as much; set both by NTP',
    ],
  ]
  for (const [what, other, disagrees, sentence] of rows) {
    it(`that disagree in ${what} are named in one sentence with a remedy`, () => {
      const nodes = [node('a'), node('b', other)]
      expect(judgeNodes(nodes, { now: NOW })[1]!.disagrees).to.deep.equal(disagrees)
      for (const seen of [nodes, nodes.toReversed()])
        expect(disagreements(judgeNodes(seen, { now: NOW }))).to.deep.equal([sentence])
    })
  }
})

onEachDatabase('the table of nodes', (kind) => {
  let db: Database
  let test: TestProgram
  const list = (lately = false) => nodesRepository(db.read).list({ lately })
  const write = <T>(work: (repo: ReturnType<typeof nodesRepository>) => Promise<T>) =>
    db.write((trx) => work(nodesRepository(trx)))
  const age = (id: string, ms: number) => db.write((trx) => trx('nodes').where({ id }).decrement('seen_at', ms))

  beforeEach(async () => {
    test = await openTestProgram({ kind })
    ;({ db } = test.program.kernel)
  })
  afterEach(() => test.close())

  it('knows a node from its start to its stop', async () => {
    const membership = await joinNodes({
      db,
      clock: testClock(Date.now()),
      log: silentLog,
      facts: facts('a', { roles: ['workers'] }),
      check: async () => {},
      expelled: () => {},
    })
    const [entered] = await list()
    expect(entered).to.deep.include({ ...facts('a', { roles: ['workers'] }), stoppedAt: null })
    expect(await write((tx) => tx.beat('a', 12))).to.be.at.least(entered!.seenAt)
    expect((await list())[0]!.clockAhead).to.equal(12)
    expect(await write((tx) => tx.beat('nobody', 0))).to.equal(undefined)
    await membership.close()
    expect((await list())[0]!.stoppedAt).to.be.at.least(entered!.startedAt)
  })

  it('says how far a clock is off, and not that the answer took long', async () => {
    for (const [id, ahead] of [
      ['early', 90_000],
      ['late', -90_000],
      ['right', 0],
    ] as const) {
      const slow = { ...testClock(), now: () => Date.now() + ahead }
      const parts = { db, clock: slow, log: silentLog, facts: facts(id), check: async () => {}, expelled: () => {} }
      const membership = await joinNodes(parts)
      const known = (await list()).find((one) => one.id === id)!
      // On the machine of a test both clocks are one; SQLite rounds it to a millisecond.
      expect(Math.abs(known.clockAhead - ahead), id).to.be.at.most(Math.abs(ahead) / 2 + 2)
      await membership.close()
    }
  })

  it('stays small: a week, and of those that ended two hundred', async () => {
    await write(async (tx) => {
      await tx.enter(facts('old'), 0)
      await tx.enter(facts('ours'), 0)
      for (let i = 0; i < 205; i++) await tx.enter(facts(`crash-${String(i).padStart(3, '0')}`), 0)
    })
    await age('old', 8 * 86_400_000)
    await db.write((trx) => trx('nodes').where('id', 'like', 'crash-%').decrement('seen_at', 60_000))
    for (let i = 0; i < 5; i++) await age(`crash-00${i}`, 1000)
    await write((tx) => tx.forget())
    const left = (await list()).map(({ id }) => id)
    expect(left).to.have.lengthOf(201).and.include('ours').and.include('crash-005')
    for (const id of ['old', 'crash-000', 'crash-004']) expect(left).to.not.include(id)
    expect((await list(true)).map(({ id }) => id)).to.deep.equal(['ours'])
  })

  it('keeps a step that older nodes do not know from being applied while they run', async () => {
    const refusal = () => db.write((trx) => refuseWhileOlderRun(trx, '0040_x')).then(() => 'none', messageOf)
    await write((tx) => tx.enter(facts('new', { schemaStep: '0040_x' }), 0))
    expect(await refusal()).to.equal('none')
    await write((tx) => tx.enter(facts('older'), 0))
    if (kind === 'sqlite') return expect(await refusal(), 'the lock keeps it away').to.equal('none')
    expect(await refusal()).to.equal(
      'the schema cannot be changed by 0040_x while older nodes run (appsvc 1.2.0 on host-older (process 7)): stop them first; one that was killed counts as running for 30 s',
    )
    await write((tx) => tx.leave('older'))
    expect(await refusal()).to.equal('none')
    await write((tx) => tx.enter(facts('killed'), 0))
    await age('killed', 30_001)
    expect(await refusal()).to.equal('none')
  })

  if (kind === 'postgres') {
    it('expels a node that must not go on, once, and enters one again whose row was lost', async () => {
      const clock = { ...testClock(Date.now()) }
      const beats: (() => void)[] = []
      let refused = false
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const membership = await joinNodes({
        db,
        clock: {
          ...clock,
          sleep: (_, signal) =>
            new Promise<void>((done) => {
              beats.push(done)
              signal?.addEventListener('abort', () => done())
            }),
        },
        log: silentLog,
        facts: facts('a'),
        check: async () => {
          if (refused) throw new AppError('config', 'another key')
        },
        expelled: resolve,
      })
      await db.write((trx) => trx('nodes').delete())
      beats.shift()!()
      while ((await list()).length === 0) await new Promise((done) => setImmediate(done))
      while (beats.length === 0) await new Promise((done) => setImmediate(done))
      refused = true
      beats.shift()!()
      expect(messageOf(await promise)).to.equal('another key')
      await membership.close()
      expect(beats).to.deep.equal([])
    })
  }
})
