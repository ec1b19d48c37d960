/**
 * Writes docs/reference/schema.md from both databases. The statements that indexes serve stay as they are; with `--statements` it plays the
 * scenario and chooses one for each index whose plan uses it, which takes a minute or two.
 *
 *     node test/support/schema/write-page.ts [--statements]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { stopShared } from '../at-end.ts'
import { type Heard, hear, touchesRows } from '../hear.ts'
import { imagineLarge, openJudge } from '../judge-plans.ts'
import { startPostgres } from '../postgres.ts'
import { type DatabaseKind, openTestProgram, type TestProgram } from '../program.ts'
import { digestOf } from '../scenario/digest.ts'
import { SCENARIO } from '../scenario/scenario.ts'
import { openStage, STAGE_SETTINGS } from '../scenario/stage.ts'
import { makeWorld } from '../scenario/world.ts'
import { type Catalog, readCatalog } from './catalog.ts'
import { SCHEMA_PAGE, type Served, schemaPage, servingOf } from './page.ts'

const INSTALLS = 2000
const withStatements = process.argv.includes('--statements')

type Digests = ReadonlyMap<string, ReadonlySet<string>>

/** The digests of the statements that use each index. */
async function play(test: TestProgram): Promise<Digests> {
  const { db } = test.program.kernel
  const stage = await openStage({ ...test, world: await makeWorld(test.program, test.first.id, INSTALLS) })
  await imagineLarge(db, { statistics: false })
  const judge = await openJudge(db)
  const known = new Set<string>()
  let fresh: Heard[] = []
  const end = hear(db, (heard) => {
    if (!touchesRows(heard) || known.has(heard.sql)) return
    known.add(heard.sql)
    fresh.push(heard)
  })
  for (const row of SCENARIO) {
    const act = await row.act(stage)
    await act.run()
    await act.after?.()
    // At once: a table may be gone later.
    for (const heard of fresh) await judge.judge(heard)
    fresh = []
  }
  end()
  await judge.close()
  await stage.close()
  return new Map(
    [...judge.users].map(([index, users]) => [
      index,
      new Set([...users].map(digestOf).filter((digest) => digest !== undefined)),
    ]),
  )
}

async function lookAt(kind: DatabaseKind): Promise<{ catalog: Catalog; digests: Digests }> {
  const test = await openTestProgram({ kind, settings: STAGE_SETTINGS })
  const catalog = await readCatalog(test.program.kernel.db)
  const digests = withStatements ? await play(test) : new Map<string, Set<string>>()
  await test.close()
  return { catalog, digests }
}

const byLength = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1)

/** The shortest statement that uses the index on both databases; without one, the shortest of each. */
function choose(sqlite: readonly string[], postgres: readonly string[]): Served[] {
  const [both] = sqlite.filter((digest) => postgres.includes(digest)).toSorted(byLength)
  if (both !== undefined) return [{ statement: both }]
  const first = (digests: readonly string[], on: DatabaseKind) =>
    digests
      .toSorted(byLength)
      .slice(0, 1)
      .map((statement) => ({ statement, on }))
  return [...first(sqlite, 'sqlite'), ...first(postgres, 'postgres')]
}

/** Statements that use an index without naming its table only make the database look for what refers to a row. */
function newServing(databases: readonly { catalog: Catalog; digests: Digests }[]): Map<string, Served[]> {
  const tables = databases.flatMap(({ catalog }) => Object.entries(catalog))
  return new Map(
    tables.flatMap(([table, { indexes }]) =>
      Object.keys(indexes).map((index) => {
        const [sqlite, postgres] = databases.map(({ digests }) =>
          [...(digests.get(index) ?? [])].filter((digest) => new RegExp(`\\b${table}\\b`).test(digest)),
        )
        return [index, choose(sqlite!, postgres!)] as const
      }),
    ),
  )
}

await startPostgres()
const [sqlite, postgres] = [await lookAt('sqlite'), await lookAt('postgres')]
await stopShared()
const serving = withStatements ? newServing([sqlite, postgres]) : servingOf(readFileSync(SCHEMA_PAGE, 'utf8'))
writeFileSync(SCHEMA_PAGE, schemaPage({ sqlite: sqlite.catalog, postgres: postgres.catalog }, serving))
