import { expect } from 'chai'
import type { Database, Sql } from '../../../src/platform/db/connect.ts'
import { among, type List, listOf, rowsOf } from '../../../src/platform/db/dialect.ts'
import { preparedInsert, preparedPlan } from '../../../src/platform/db/prepared.ts'
import { onPostgres, openTestDatabase } from '../../support/program.ts'

const IDS_OF = preparedPlan<{ bodies: List }, { id: number }>(
  (kind) => `SELECT id FROM notes WHERE ${among(kind, 'body', 'bodies')}`,
  { bodies: 'text[]' },
)
const ADD = preparedInsert<{ body: string }, { id: number }>('notes', { body: 'text' }, 'id')

/** PostgreSQL plans a statement for its values so many times before it compares these plans with the one to keep. */
const FOR_VALUES = 5
const RUNS = 12

onPostgres('plans that are kept', () => {
  let db: Database
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ db, close } = await openTestDatabase('postgres'))
    await db.read.raw(`CREATE TABLE notes (id bigserial PRIMARY KEY, body text NOT NULL UNIQUE);
      INSERT INTO notes (body) SELECT 'note ' || n FROM generate_series(1, 2000) AS n;
      ANALYZE notes`)
  })
  afterEach(() => close())

  /** The number of runs of each statement about notes with a plan for its values, and with the plan that is kept. */
  async function plans(trx: Sql): Promise<{ custom: number; kept: number }[]> {
    return rowsOf(
      await trx.raw(`SELECT custom_plans AS custom, generic_plans AS kept FROM pg_prepared_statements
        WHERE statement LIKE '%notes%' AND statement NOT LIKE '%pg_prepared_statements%'`),
    )
  }
  const once = [{ custom: FOR_VALUES, kept: RUNS - FOR_VALUES }]

  it('are for a list of one as for a longer one', async () => {
    const seen = await db.write(async (trx) => {
      for (let run = 1; run <= RUNS; run++) {
        const found = await IDS_OF.all(trx, { bodies: listOf(trx, [`note ${run}`]) })
        expect(found).to.deep.equal([{ id: run }])
      }
      return plans(trx)
    })
    expect(seen).to.deep.equal(once)
  })

  it('are for few tasks that ask at the same time', async () => {
    const seen = await db.write(
      async (trx) => {
        for (let run = 1; run <= RUNS; run++) {
          const asked = [run, run + 1].map(async (id) => IDS_OF.all(trx, { bodies: listOf(trx, [`note ${id}`]) }))
          expect(await Promise.all(asked)).to.deep.equal([[{ id: run }], [{ id: run + 1 }]])
        }
        return plans(trx)
      },
      { gathers: true },
    )
    expect(seen).to.deep.equal(once)
  })

  it('are for one row that is inserted, and for few', async () => {
    const seen = await db.write(
      async (trx) => {
        for (let run = 1; run <= RUNS; run++) {
          await ADD.first(trx, { body: `one ${run}` })
          await Promise.all(['two', 'three'].map(async (word) => ADD.first(trx, { body: `${word} ${run}` })))
        }
        return plans(trx)
      },
      { gathers: true },
    )
    expect(seen).to.deep.equal([...once, ...once])
  })
})
