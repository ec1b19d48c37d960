import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Database } from '../src/platform/db/connect.ts'
import { wholeDatabase } from './support/every-table.ts'
import { hear, touchesRows } from './support/hear.ts'
import {
  growingNodes,
  growingSteps,
  imagineLarge,
  type Judge,
  openJudge,
  SMALL_TABLES,
  type Statement,
  splitOff,
} from './support/judge-plans.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from './support/program.ts'
import { PROGRAMS_MS } from './support/programs.ts'
import { digestOf, readStatements } from './support/scenario/digest.ts'
import { EXCEPTIONS, type Exception } from './support/scenario/exceptions.ts'
import { nameOf } from './support/scenario/row.ts'
import { everythingToCover, SCENARIO } from './support/scenario/scenario.ts'
import { openStage, STAGE_SETTINGS, type Stage } from './support/scenario/stage.ts'
import { makeWorld } from './support/scenario/world.ts'
import { SCHEMA_PAGE, servingOf } from './support/schema/page.ts'

/** Enough that the planner of PostgreSQL sees how values are distributed. */
const INSTALLS = 2000

/** Rows besides what the program lists: also calls of commands that routes for people make too. */
const BESIDES = /^(public \w+|console \w+|recovery|watch|nodes|load|cli .+|streams|job certificates)$/

describe('the scenario', () => {
  it('has a row for every route, job, chore, type of event and call of a command', async () => {
    const covered = new Set(SCENARIO.map(({ covers }) => covers))
    const all = await everythingToCover()
    expect(all.length).to.be.greaterThan(150)
    expect(all.filter((one) => !covered.has(one))).to.deep.equal([])
    expect([...covered].filter((one) => !all.includes(one) && !BESIDES.test(one))).to.deep.equal([])
  })

  it('has a name for each row', () => {
    const names = SCENARIO.map(nameOf)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([])
  })
})

/** The scenario drops some tables, whose statements were judged before. */
function unlessDropped(error: unknown): string[] {
  if ((error as { code?: string }).code === '42P01') return []
  throw error
}

/** The counts of the data table say that there are a million more records, so it is read as a large one: in slices. */
async function imagineLargeTable({ write }: Database): Promise<void> {
  await write(async (trx) => {
    const { id } = (await trx('data_tables').where({ name: 'things' }).first('id')) as { id: number }
    const far = { block: 1_000_000, stripe: 0, row_count: 1_000_000, changes: 1 }
    await trx('data_blocks').insert({ table_id: id, ...far })
  })
}

/** By the time of an ANALYZE most of what the scenario has sent is over: of the notifications of a year few are open. */
async function endMostSends({ write }: Database): Promise<void> {
  await write(async (trx) => {
    await trx('notifications').whereRaw('status < 3 AND id % 20 > 0').update({ status: 3 })
  })
}

/** A statement of the scenario, and the row that first ran it. */
interface Spoken extends Statement {
  of: string
}

onEachDatabase('every statement of the scenario', function (kind) {
  this.timeout(PROGRAMS_MS)
  let test: TestProgram
  let stage: Stage
  const spoken = new Map<string, Spoken>()
  /** Findings of each before any statistics. */
  const found: string[] = []
  const excused = new Set<Exception>()
  /** The statements that used an index, by its name. */
  let users: Judge['users']

  before(async () => {
    test = await openTestProgram({ kind, settings: STAGE_SETTINGS })
    const { program, first } = test
    stage = await openStage({ ...test, world: await makeWorld(program, first.id, INSTALLS) })
    await imagineLargeTable(program.kernel.db)
    await imagineLarge(program.kernel.db, { statistics: false })
    const judge = await openJudge(program.kernel.db)
    try {
      found.push(...(await play(judge)))
      users = judge.users
    } finally {
      await judge.close()
    }
  })
  after(async () => {
    await stage.close()
    await test.close()
  })

  /** Plays every row, and judges each new statement right after it: its table may be gone later. */
  async function play(judge: Judge): Promise<string[]> {
    const growing: string[] = []
    let fresh: Spoken[] = []
    let of = ''
    const end = hear(test.program.kernel.db, (heard) => {
      if (!touchesRows(heard) || spoken.has(heard.sql)) return
      const one = { ...heard, of }
      spoken.set(heard.sql, one)
      fresh.push(one)
    })
    try {
      for (const row of SCENARIO) {
        of = nameOf(row)
        const act = await row.act(stage)
        await act.run()
        await act.after?.()
        for (const one of fresh) growing.push(...(await judged(judge, one, { isAnalysed: kind === 'sqlite' })))
        fresh = []
      }
    } finally {
      end()
    }
    return growing
  }

  async function judged(judge: Judge, one: Spoken, { isAnalysed }: { isAnalysed: boolean }): Promise<string[]> {
    const steps = await judge.judge(one)
    if (steps.length === 0) return []
    const text = one.sql.replace(/\s+/g, ' ').trim()
    const excuse = EXCEPTIONS.find(
      ({ sql, untilAnalysed, only = kind }) => sql.test(text) && only === kind && !(untilAnalysed && isAnalysed),
    )
    if (excuse) excused.add(excuse)
    return excuse ? [] : [`${one.of}: ${steps.join('; ')}: ${text}`]
  }

  it('reads no more, the more there is', () => {
    expect(spoken.size, 'statements').to.be.greaterThan(300)
    expect(found).to.deep.equal([])
  })

  it('chooses rows as is written down: a change of tables, conditions and order is one that was meant', () => {
    const written = readStatements()
    const others = [...spoken.values()].flatMap(({ of, sql }) => {
      const digest = digestOf(sql)
      return digest === undefined || written.has(digest) ? [] : [`${of}: ${digest}`]
    })
    const remedy = 'meant? node test/support/scenario/write-statements.ts, and look at what changed'
    expect(others, remedy).to.deep.equal([])
  })

  it('uses each index as docs/reference/schema.md says', () => {
    const digests = (index: string) => new Set([...(users.get(index) ?? [])].map(digestOf))
    const serving = [...servingOf(readFileSync(SCHEMA_PAGE, 'utf8'))]
    const wrong = serving.flatMap(([index, served]) =>
      served
        .filter(({ statement, on }) => (on ?? kind) === kind && !digests(index).has(statement))
        .map(({ statement }) => `${index}: ${statement}`),
    )
    expect(serving.length).to.be.greaterThan(130)
    expect(wrong, 'node test/support/schema/write-page.ts --statements').to.deep.equal([])
  })

  it('heard long reads in slices', () => {
    const sliced = [...spoken.values()].filter(({ sql }) => /\b_last\b/.test(sql)).map(({ of }) => of)
    const lists = ['a far page of a range', 'sorted by another column', 'contains, by id', 'a count of a range']
    expect(sliced).to.include.members(lists.map((what) => `get data /v1/data/:tableAlias: ${what}`))
  })

  if (kind === 'postgres') {
    it('nor with the statistics of an ANALYZE', async () => {
      await endMostSends(test.program.kernel.db)
      await imagineLarge(test.program.kernel.db, { statistics: true })
      const judge = await openJudge(test.program.kernel.db)
      const growing: string[] = []
      try {
        for (const one of spoken.values()) {
          growing.push(...(await judged(judge, one, { isAnalysed: true }).catch(unlessDropped)))
        }
      } finally {
        await judge.close()
      }
      expect(growing).to.deep.equal([])
    })
  }

  it('is an exception only where it would fail', () => {
    const here = EXCEPTIONS.filter(
      ({ only = kind, untilAnalysed }) => only === kind && (kind === 'postgres' || !untilAnalysed),
    )
    expect(here.filter((one) => !excused.has(one)).map(({ sql }) => sql.source)).to.deep.equal([])
  })

  it('ran where every table that grows had rows', async () => {
    const tables = await wholeDatabase(test.program.kernel.db.read)
    const empty = [...tables].filter(([name, rows]) => rows.length === 0 && !Object.hasOwn(SMALL_TABLES, name))
    expect(empty.map(([name]) => name).filter((name) => !name.startsWith('data_'))).to.deep.equal([])
  })

  describe('as do those that are known to be bad:', () => {
    let judge: Judge
    before(async () => {
      judge = await openJudge(test.program.kernel.db)
    })
    after(() => judge.close())
    const app = () => test.first.id
    const text = (sql: string) => (kind === 'postgres' ? sql.replace('?', '$1').replace('?', '$2') : sql)

    for (const [what, sql] of [
      ['all rows of an app', 'SELECT * FROM events WHERE app_id = ?'],
      ['a count of them', 'SELECT COUNT(*) FROM installs WHERE app_id = ?'],
      ['a column without an index', "SELECT id FROM users WHERE app_id = ? AND attributes LIKE '%gold%'"],
      ['a whole table', 'SELECT MAX(happened_at) FROM delivery_failures WHERE app_id <> ?'],
      ['a sort of all', 'SELECT id FROM installs WHERE app_id = ? ORDER BY device_model LIMIT 10'],
      ['groups of all', 'SELECT preferred_hour, COUNT(*) FROM active_hours WHERE app_id = ? GROUP BY 1'],
      [
        'a limit that may never be reached',
        "SELECT id FROM events WHERE app_id <> ? AND type = 'own' ORDER BY id LIMIT 5",
      ],
      ['a limit that is none', 'SELECT id FROM events WHERE app_id = ? ORDER BY id LIMIT 9007199254740991'],
      [
        'all of a table behind its own name',
        'SELECT id FROM (SELECT id, type FROM events WHERE app_id = ? GROUP BY id, type) AS events',
      ],
      [
        'the first of some that are sorted',
        'SELECT id FROM (SELECT id FROM events ORDER BY type LIMIT 9) AS events WHERE id <> ?',
      ],
      ['all from an id on', 'SELECT id FROM events WHERE app_id = ? AND id > 5'],
    ] as const) {
      it(what, async () => {
        expect(await judge.judge({ sql: text(sql), bindings: [app()] })).to.have.length.greaterThan(0)
      })
    }
    for (const [what, sql] of [
      ['a row by its id', 'SELECT * FROM installs WHERE app_id = ? AND id = ?'],
      [
        'the first few in the order of an index',
        'SELECT id FROM events WHERE app_id = ? AND id > ? ORDER BY id LIMIT 10',
      ],
      [
        'a window of ids',
        'SELECT id FROM installs WHERE app_id = ? AND subscribed AND platform = 2 AND id > ? AND id <= 300',
      ],
      [
        'those of the next few that match',
        "SELECT id FROM (SELECT id, type FROM events WHERE id > ? ORDER BY id LIMIT 1000) AS events WHERE type <> 'x' ORDER BY type, id LIMIT ?",
      ],
      ['all of a small table', 'SELECT * FROM segments WHERE app_id = ? AND id <> ?'],
    ] as const) {
      it(`but not ${what}`, async () => {
        expect(await judge.judge({ sql: text(sql), bindings: [app(), 3] })).to.deep.equal([])
      })
    }
  })
})

describe('the rule for plans', () => {
  it('knows tables that a statement makes itself, and aliases', () => {
    expect(growingSteps('WITH given (id) AS (SELECT 1) SELECT * FROM given', ['SCAN given'])).to.deep.equal([])
    expect(growingSteps('SELECT * FROM apps AS a', ['SCAN a'])).to.deep.equal([])
    expect(growingSteps('SELECT * FROM events AS e', ['SCAN e'])).to.deep.equal(['SCAN e'])
  })

  it('takes what runs by itself for a statement', () => {
    const sql = 'SELECT a, ? FROM (SELECT a FROM t WHERE b = ? ORDER BY (a) LIMIT ?) AS `t` WHERE a > ?'
    expect(splitOff({ sql, bindings: [1, 2, 3, 4] }, 't')).to.deep.equal({
      inner: [{ sql: 'SELECT a FROM t WHERE b = ? ORDER BY (a) LIMIT ?', bindings: [2, 3] }],
      outer: { sql: 'SELECT a, ? FROM (SELECT 1) AS `t` WHERE a > ?', bindings: [1, 4] },
    })
  })

  it('leaves what a foreign key looks up to another test', () => {
    expect(growingSteps('delete from `apps` where `id` = ?', ['SEARCH events USING INDEX x (app_id=?)'])).to.deep.equal(
      [],
    )
  })

  it('does not take a limit behind a sort, or behind a filter that many rows fail, for a limit', () => {
    const scan = {
      'Node Type': 'Index Scan',
      'Relation Name': 'events',
      'Index Name': 'i',
      'Index Cond': '(app_id = 1)',
    }
    const knows = { tables: new Map(), hasStatistics: true, hasLimit: true }
    const limit = (child: object) => ({ 'Node Type': 'Limit', Plans: [child as typeof scan] })
    expect(growingNodes(limit(scan), knows)).to.deep.equal([])
    expect(growingNodes(limit({ 'Node Type': 'Sort', Plans: [scan] }), knows)).to.have.length(1)
    expect(growingNodes(limit({ ...scan, Filter: "((type)::text = 'x'::text)" }), knows)).to.have.length(1)
  })
})
