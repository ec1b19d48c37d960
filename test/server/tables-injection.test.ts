import { expect } from 'chai'
import type { Table } from '../../src/domain/tables/types.ts'
import { AppError } from '../../src/platform/errors.ts'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { describeShapes, onEachDatabase } from '../support/program.ts'
import { listenToWrites } from '../support/statements.ts'
import { column, makeTable, restKey } from '../support/tables.ts'

/** In every attack, and nowhere in a statement of ours. */
const MARK = 'zq9x'

const ATTACKS = [
  `' OR '${MARK}'='${MARK}`,
  `'; DROP TABLE data_1_things; -- ${MARK}`,
  `"; DROP TABLE "data_1_things"; -- ${MARK}`,
  `\`; DROP TABLE data_1_things; -- ${MARK}`,
  `1; DELETE FROM data_1_things; -- ${MARK}`,
  `id; SELECT pg_sleep(5) -- ${MARK}`,
  `id) UNION SELECT digest FROM issued_keys -- ${MARK}`,
  `(SELECT ${MARK} FROM issued_keys LIMIT 1)`,
  `CASE WHEN (SELECT 1) THEN id ELSE ${MARK} END`,
  `n" DESC, "${MARK}`,
  `n\`, \`${MARK}`,
  `data_1_things.n.${MARK}`,
  `n->>'${MARK}'`,
  `$1 ? ?? :${MARK} :${MARK}: \\? %s %I`,
  `\\'; DROP TABLE data_1_things; -- ${MARK}`,
  `1_things; ${MARK}`,
  `1_things"${MARK}`,
  `${MARK}%_`,
]

onEachDatabase('the data area under attack', (kind) => {
  let test: TestServer
  let key: string
  let table: Table
  let texts: string[] = []

  before(async () => {
    test = await openTestServer({ kind })
    key = await restKey(test)
    table = await makeTable(test, 'things', [
      column('s', 'string', { unique: true }),
      column('t', 'text'),
      column('n', 'integer', { indexed: true }),
      column('j', 'json'),
      column('d', 'datetime'),
      column('r', 'reference', { references: 'things' }),
    ])
    await test.call('POST', '/data/v1/data/1_things', {
      auth: key,
      body: [
        { s: 'a', n: 1 },
        { s: 'b', n: 2 },
      ],
    })
    test.program.kernel.db.read.on('query', ({ sql }: { sql: string }) => void texts.push(sql))
    listenToWrites(test.program, (sql) => void texts.push(sql))
  })
  after(() => test.close())

  beforeEach(() => {
    texts = []
    // So that the key is looked up: some attacks get no further.
    test.program.kernel.keys.forget()
  })
  afterEach('nothing of an attack was in a statement, and what was there is there', async () => {
    expect(texts).to.not.deep.equal([])
    for (const text of texts) expect(text).to.not.include(MARK)
    for (const name of ['data_1_things', 'data_tables', 'issued_keys', 'apps']) {
      expect(await test.program.kernel.db.read.schema.hasTable(name), name).to.equal(true)
    }
    expect(await test.program.tables.list(test.first.id)).to.deep.equal([table])
  })

  /** Every one is answered as it must be. */
  async function expectAnswers(
    calls: (readonly [path: string, status: number, method?: string, body?: unknown])[],
  ): Promise<void> {
    const answers = await Promise.all(
      calls.map(([path, , method = 'GET', body]) => test.call(method, path, { auth: key, body })),
    )
    answers.forEach(({ status }, i) => expect(status, JSON.stringify(calls[i])).to.equal(calls[i]![1]))
  }

  const THINGS = '/data/v1/data/1_things'
  const query = (name: string, value: string) => `/data/v1/data/1_things?${name}=${encodeURIComponent(value)}`
  const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

  describeShapes(kind, 'in an address', () => {
    it('holds in every parameter of the query', async () => {
      for (const attack of ATTACKS) {
        const names = ['page', 'numberPerPage', 'sortBy', 'filter', 'count', 'after']
        await expectAnswers([
          ...names.map((name) => [query(name, attack), 422] as const),
          [query('sortBy', `-${attack}`), 422],
          [query(encodeURIComponent(attack), 'x'), 200],
          [query('sortBy%5B%5D', attack), 200],
        ])
      }
    })

    it('holds in every part of a filter', async () => {
      for (const attack of ATTACKS) {
        const filters: [object, number][] = [
          [{ field: attack, operator: 'eq', value: 1 }, 422],
          [{ field: 'n', operator: attack, value: 1 }, 422],
          [{ field: 'n', operator: 'in', value: [1, attack] }, 422],
          [{ field: 'd', operator: 'lt', value: attack }, 422],
          [{ field: 's', operator: 'eq', value: { [attack]: 1 } }, 422],
          [{ field: 'n', operator: 'eq', value: 1, [attack]: 1 }, 422],
          [{ [attack]: [] }, 422],
          [{ field: 's', operator: 'in', value: [attack, 'a'] }, 200],
          [{ field: 's', operator: 'contains', value: attack }, 200],
          [{ field: 't', operator: 'startsWith', value: attack }, 200],
          [{ not: { field: 's', operator: 'gte', value: attack } }, 200],
        ]
        await expectAnswers(filters.map(([filter, status]) => [query('filter', JSON.stringify(filter)), status]))
      }
    })

    it('holds in every part of a cursor', async () => {
      for (const attack of ATTACKS) {
        const cursors: [string, string, number][] = [
          ['s', cursor(attack, 'a', 1), 422],
          ['s', cursor('s', 'a', attack), 422],
          ['n', cursor('n', attack, 1), 422],
          ['d', cursor('d', attack, 1), 422],
          ['id', cursor('id', attack, 1), 422],
          ['s', cursor('s', { a: attack }, 1), 422],
          ['s', cursor('s', attack, 1, attack), 422],
          ['s', cursor('s', attack, 1), 200],
          ['-s', cursor('-s', attack, 1), 200],
        ]
        await expectAnswers(
          cursors.map(([sortBy, after, status]) => [`${query('after', after)}&sortBy=${sortBy}`, status]),
        )
      }
    })

    it('holds in the path', async () => {
      for (const attack of ATTACKS) {
        const segment = encodeURIComponent(attack)
        const paths = [`/data/v1/data/1_${segment}/1`, `${THINGS}/${segment}`, `${THINGS}/1${segment}`]
        await expectAnswers([
          [`/data/v1/data/${segment}`, 404],
          ...paths.flatMap((path) => ['GET', 'DELETE'].map((method) => [path, 404, method] as const)),
          ...paths.map((path) => [path, 404, 'PUT', { s: 'x' }] as const),
        ])
      }
    })
  })

  it('holds in the names of fields and in values, which are stored to the letter', async () => {
    for (const attack of ATTACKS) {
      const whole = { s: attack, t: attack, j: { [attack]: [attack] } }
      await expectAnswers([
        [THINGS, 422, 'POST', { [attack]: 1 }],
        [THINGS, 422, 'POST', [{ s: 'x' }, { [attack]: 1 }]],
        ...['n', 'd', 'r'].map((name) => [THINGS, 422, 'POST', { [name]: attack }] as const),
      ])
      const made = await test.call('POST', THINGS, { auth: key, body: whole })
      expect(made.status).to.equal(201)
      const path = new URL(made.headers.get('location')!).pathname
      expect((await test.call('GET', path, { auth: key })).body).to.deep.include(whole)
      await expectAnswers([
        [path, 422, 'PUT', { [attack]: 1 }],
        [THINGS, 422, 'POST', { s: attack }],
      ])
      const changed = await test.call('PUT', path, { auth: key, body: { t: `${attack}!` } })
      expect(changed.body).to.deep.include({ ...whole, t: `${attack}!` })
      await expectAnswers([[path, 201, 'DELETE']])
    }
  })

  it('holds in keys and headers', async () => {
    for (const attack of ATTACKS) {
      const auth = basic(attack, attack)
      expect((await test.call('GET', THINGS, { auth })).status, attack).to.equal(401)
      const headers = { 'idempotency-key': encodeURIComponent(attack) }
      expect((await test.call('POST', THINGS, { auth: key, body: {}, headers })).status, attack).to.equal(201)
    }
  })

  it('holds in what an operator types', async () => {
    const { program, first } = test
    const attempts: ((attack: string) => Promise<unknown>)[] = [
      (attack) => program.inTransaction((tx) => tx.tables.create(first.id, attack, [column('a', 'string')])),
      (attack) => program.inTransaction((tx) => tx.tables.create(first.id, 'other', [column(attack, 'string')])),
      (attack) =>
        program.inTransaction((tx) =>
          tx.tables.create(first.id, 'other', [column('a', 'reference', { references: attack })]),
        ),
      (attack) => program.inTransaction((tx) => tx.tables.create(first.id, 'other', [column('a', attack as 'string')])),
      (attack) => program.inTransaction((tx) => tx.tables.alter(first.id, attack, [])),
      (attack) => program.inTransaction((tx) => tx.tables.alter(first.id, 'things', [], attack)),
      (attack) =>
        program.inTransaction((tx) => tx.tables.alter(first.id, 'things', [{ do: 'rename', name: 'n', to: attack }])),
      (attack) => program.inTransaction((tx) => tx.tables.alter(first.id, 'things', [{ do: 'drop', name: attack }])),
      (attack) => program.inTransaction((tx) => tx.tables.drop(first.id, attack)),
    ]
    for (const attack of ATTACKS) {
      for (const attempt of attempts) {
        const error = await attempt(attack).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(error, attack).to.be.instanceOf(AppError)
        expect((error as AppError).code).to.be.oneOf(['invalid', 'not_found'])
      }
    }
  })

  it('holds in the default of a column, which the database quotes itself', async () => {
    const { program, first } = test
    for (const attack of ATTACKS) {
      await program.inTransaction(async (tx) => {
        await tx.tables.create(first.id, 'defaults', [
          column('a', 'string', { default: attack }),
          column('j', 'json', { default: [attack] }),
        ])
        await tx.tables.alter(first.id, 'defaults', [{ do: 'set', name: 'a', default: `${attack}.` }])
        const { ids } = await tx.records.create(first.id, '1_defaults', {})
        await tx.tables.alter(first.id, 'defaults', [
          { do: 'add', column: column('b', 'text', { default: attack, required: true }) },
        ])
        const { table: made, record } = await tx.records.get(first.id, '1_defaults', ids[0]!)
        expect(made.columns.map((one) => record.values.get(one))).to.deep.equal([`${attack}.`, [attack], attack])
        await tx.tables.drop(first.id, 'defaults')
      })
    }
    texts = texts.filter((text) => !text.includes(' DEFAULT '))
  })
})
