import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { migrations } from '../migrations/index.ts'
import type { Migrations } from '../src/platform/db/migrate.ts'
import { onPostgres, openMigrated } from './support/program.ts'
import { type Catalog, readCatalog } from './support/schema/catalog.ts'
import { indexesOf, SCHEMA_PAGE, schemaPage, servingOf } from './support/schema/page.ts'

const ROOT = join(import.meta.dirname, '..')
const STEPS: Migrations[string][] = Object.values(migrations)
const TABLES = STEPS.flatMap(({ tables = {} }) => Object.keys(tables))

/** The tables that a source links, and its text without comments. */
function readSource(path: string): { path: string; links: string[]; code: string } {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const links = [...text.matchAll(/docs\/reference\/schema\.md((?:,? ?#\w+)+)/g)].flatMap(
    ([, list]) => list!.match(/\w+/g)!,
  )
  return { path, links, code: text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }
}

describe('repositories', () => {
  const sources = globSync('src/**/*repository.ts', { cwd: ROOT }).map(readSource)

  it('link the tables that they read and write, which are on the page', () => {
    const wrong = sources.flatMap(({ path, links, code }) => {
      if (links.length === 0) return [`${path} links no table of docs/reference/schema.md`]
      // The tables of operators have names of their own.
      const unknown = links.filter(
        (name) => !TABLES.includes(name) || !(name === 'data_tables' || new RegExp(`\\b${name}\\b`).test(code)),
      )
      return unknown.map((name) => `${path} links ${name}`)
    })
    expect(sources.length).to.be.greaterThan(70)
    expect(wrong).to.deep.equal([])
  })

  it('of each table link it', () => {
    const linked = new Set(sources.flatMap(({ links }) => links))
    expect(TABLES.filter((name) => !linked.has(name))).to.deep.equal([])
  })
})

onPostgres('docs/reference/schema.md', () => {
  const catalogs: Record<'sqlite' | 'postgres', Catalog> = { sqlite: {}, postgres: {} }
  const page = readFileSync(SCHEMA_PAGE, 'utf8')

  before(async () => {
    for (const kind of ['sqlite', 'postgres'] as const) {
      const dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
      const { db, drop } = await openMigrated({ kind }, dir)
      catalogs[kind] = await readCatalog(db)
      await db.close()
      await drop()
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('shows what both databases have', () => {
    expect(page, 'node test/support/schema/write-page.ts').to.equal(schemaPage(catalogs, servingOf(page)))
  })

  it('says of every table and trigger what it is for, and of none that is not there', () => {
    const all = Object.values(catalogs)
    const tables = new Set(all.flatMap(Object.keys))
    expect(TABLES.toSorted()).to.deep.equal([...tables].toSorted())
    const triggers = new Set(
      all.flatMap(Object.values<Catalog[string]>).flatMap((table) => Object.keys(table.triggers)),
    )
    const described = STEPS.flatMap((step) => Object.keys(step.triggers ?? {}))
    expect(described.toSorted()).to.deep.equal([...triggers].toSorted())
  })

  it('says of every index what it serves: a statement, uniqueness or a foreign key', () => {
    const serving = servingOf(page)
    const idle = TABLES.flatMap((name) =>
      indexesOf(catalogs, name).filter(
        ({ index, isUnique, on, table }) =>
          !isUnique &&
          serving.get(index)?.length === 0 &&
          !table.references.some(({ columns }) => on.startsWith(`(${columns.join(', ')}`)),
      ),
    )
    expect(idle.map(({ index }) => index)).to.deep.equal([])
  })
})
