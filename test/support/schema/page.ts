import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../../migrations/index.ts'
import type { Migrations } from '../../../src/platform/db/migrate.ts'
import type { DatabaseKind } from '../program.ts'
import type { Catalog, CatalogTable } from './catalog.ts'

const ROOT = join(import.meta.dirname, '../../..')
const LABELS = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export const SCHEMA_PAGE = join(ROOT, 'docs/reference/schema.md')

/** A statement that an index serves, as in statements.txt; without `on`, on both databases. */
export interface Served {
  statement: string
  on?: DatabaseKind
}

/** The statements that indexes serve, by the name of the index. */
export type Serving = ReadonlyMap<string, readonly Served[]>

const KINDS = ['sqlite', 'postgres'] as const
type Catalogs = Record<DatabaseKind, Catalog>

const HEAD = `# The schema

The tables of both databases, in the order of the [migrations](../../migrations/index.ts) that make them. Types are those of PostgreSQL. On
SQLite an automatic \`id\` is an \`integer\`, \`bytea\` a \`blob\` and \`double precision\` a \`float\`. A column is never null unless that is said. What
goes with the row that it refers to is deleted with it. Times that end in \`_at\` are milliseconds since 1970. Besides there is \`schema_migrations\`, the record of the steps, and a table
\`data_…\` for each [data table](../tables.md).

**Serves** is one statement, of those that the program makes, whose plan uses the index. It is written without the columns that it selects and
stores. SQLite or PostgreSQL behind it says that only there it was seen; the other one may read a small table whole.
\`node test/support/schema/write-page.ts\` writes this page; tests compare it with both databases and with the plans.
`

/** docs/reference/schema.md. */
export function schemaPage(catalogs: Catalogs, serving: Serving): string {
  const notes = readNotes()
  const families = Object.entries(migrations as Migrations).flatMap(([step, { tables }]) => {
    if (!tables) return []
    const sections = Object.entries(tables).map(([name, what]) =>
      tableSection(name, what, { catalogs, serving, notes }),
    )
    return [`## [${step}](../../migrations/${step}.ts)\n\n${sections.join('\n')}`]
  })
  return [HEAD, triggerList(catalogs), ...families].join('\n')
}

interface Sources {
  catalogs: Catalogs
  serving: Serving
  /** Meanings of columns, by `table.column`. */
  notes: ReadonlyMap<string, string>
}

function tableSection(name: string, what: string, { catalogs, serving, notes }: Sources): string {
  const found = KINDS.filter((kind) => catalogs[kind][name])
  const table = catalogs[found.at(-1)!][name]!
  const sentence = what.replaceAll(/\bdocs\/(\S+)\.md/g, '[$1](../$1.md)')
  const lines = [`### ${name}`, '', `${sentence}${found.length === 1 ? ` On ${LABELS[found[0]!]} only.` : ''}`, '']
  if (table.primaryKey.length > 0) lines.push(`Primary key: ${code(table.primaryKey.join(', '))}.`, '')
  lines.push('| column | type | refers to | meaning |', '|---|---|---|---|')
  for (const column of table.columns) {
    const type = [column.type.replace('character varying', 'varchar'), ...(column.isNullable ? ['null'] : [])]
    const value = shownDefault(column.default)
    if (value) type.push(`default ${code(value)}`)
    const where = found.filter((kind) => catalogs[kind][name]!.columns.some((one) => one.name === column.name))
    const reference = table.references.find(({ columns }) => columns.at(-1) === column.name)
    const goesAlong = reference?.onDelete === 'CASCADE' ? ', goes with it' : ''
    const to = reference ? `[${reference.table}](#${reference.table})${goesAlong}` : ''
    const only = where.length < found.length ? onlyOn(where) : ''
    lines.push(
      `| ${code(column.name)} | ${type.join(', ')}${only} | ${to} | ${notes.get(`${name}.${column.name}`) ?? ''} |`,
    )
  }
  return [...lines, '', ...indexLines(name, catalogs, serving), ...triggerLines(name, catalogs)].join('\n')
}

function indexLines(name: string, catalogs: Catalogs, serving: Serving): string[] {
  const rows = indexesOf(catalogs, name).map(({ index, isUnique, on, found, table }) => {
    const served = serving.get(index) ?? []
    const texts = served.map(
      ({ statement, on: kind }) => `${code(statement)}${kind && found.length > 1 ? ` (${LABELS[kind]})` : ''}`,
    )
    const parent = table.references.find(({ columns }) => on.startsWith(`(${columns.join(', ')}`))
    if (texts.length === 0 && parent && !isUnique) texts.push(`deletions from [${parent.table}](#${parent.table})`)
    const all = [...(isUnique ? ['keeps rows apart'] : []), ...texts]
    const place = found.length === 1 && KINDS.every((kind) => catalogs[kind][name]) ? onlyOn(found) : ''
    return `| ${code(index)}${place} | ${isUnique ? 'unique ' : ''}${code(on)} | ${all.join('; ')} |`
  })
  return rows.length === 0 ? [] : ['| index | on | serves |', '|---|---|---|', ...rows, '']
}

/** The indexes of a table on either database, in the order of their names. */
export function indexesOf(catalogs: Catalogs, name: string) {
  const tables = KINDS.map((kind) => catalogs[kind][name])
  const names = [...new Set(tables.flatMap((table) => Object.keys(table?.indexes ?? {})))].toSorted()
  return names.map((index) => {
    const found = KINDS.filter((kind) => catalogs[kind][name]?.indexes[index])
    // As it was written, which SQLite keeps.
    const table = catalogs[found[0]!][name]!
    return { index, ...table.indexes[index]!, found, table }
  })
}

function triggerLines(name: string, catalogs: Catalogs): string[] {
  const lines = triggersOf(catalogs, name).map(({ trigger, when, found, does }) => {
    const where = found.length === 1 ? `, ${LABELS[found[0]!]}` : ''
    return `- ${code(trigger)} (${when}${where}): ${does}`
  })
  return lines.length === 0 ? [] : ['Triggers:', '', ...lines, '']
}

function triggersOf(catalogs: Catalogs, name: string) {
  const does = Object.assign({}, ...Object.values(migrations as Migrations).map(({ triggers }) => triggers)) as Record<
    string,
    string
  >
  const definitions = KINDS.map((kind) => catalogs[kind][name]?.triggers ?? {})
  const names = [...new Set(definitions.flatMap(Object.keys))].toSorted()
  return names.map((trigger) => {
    const found = KINDS.filter((_, i) => definitions[i]![trigger])
    const definition = catalogs[found[0]!][name]!.triggers[trigger]!
    const [, when = ''] = /\b((?:after|before) .*?) on /i.exec(definition) ?? []
    return { trigger, when: when.toLowerCase(), found, does: does[trigger] ?? '' }
  })
}

function triggerList(catalogs: Catalogs): string {
  const tables = [...new Set(KINDS.flatMap((kind) => Object.keys(catalogs[kind])))]
  const counts = KINDS.map((kind) => tables.flatMap((name) => Object.keys(catalogs[kind][name]?.triggers ?? {})).length)
  const links = tables.filter((name) => triggersOf(catalogs, name).length > 0).toSorted()
  return `**Triggers** do what no repository shows: ${counts[0]} on SQLite, ${counts[1]} on PostgreSQL. The tables that have some are
${links.map((name) => `[${name}](#${name})`).join(', ')}.
`
}

/** Reads from the page the statements that each index serves. */
export function servingOf(page: string): Map<string, Served[]> {
  const rows = [...page.matchAll(/^\| `(\w+)`(?: \((\w+)\))? \| (?:unique )?`[^`]*` \| (.*) \|$/gm)]
  return new Map(
    rows.map(([, index, only, serves]) => [
      index!,
      [...serves!.matchAll(/`([^`]+)`(?: \((SQLite|PostgreSQL)\))?/g)].map(([, statement, label = only]) => ({
        statement: statement!.replaceAll('\\|', '|'),
        ...(label !== undefined && { on: KINDS.find((kind) => LABELS[kind] === label)! }),
      })),
    ]),
  )
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``
const onlyOn = (kinds: readonly DatabaseKind[]) => (kinds.length === 1 ? ` (${LABELS[kinds[0]!]})` : '')

/** Returns a default without the type that PostgreSQL adds; undefined for that of an automatic id. */
function shownDefault(value: CatalogTable['columns'][number]['default']): string | undefined {
  if (value === null || value.startsWith('nextval')) return undefined
  return value.replace(/^'(-?\d+)'(?:::\w+)?$/, '$1').replace(/::[\w ]+$/, '')
}

/** Reads the comments in the migrations that stand above one column each: `// …` above a call of the builder, `-- …` above a line of SQL. */
function readNotes(): Map<string, string> {
  const notes = new Map<string, string>()
  const folder = join(ROOT, 'migrations')
  for (const file of readdirSync(folder).filter((name) => /^\d/.test(name))) {
    let table = ''
    let comment: string[] = []
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const text = line.trim()
      table = /(?:createTable\('|alterTable\('|CREATE TABLE |ALTER TABLE )(\w+)/.exec(text)?.[1] ?? table
      const words = /^(?:\/\/|--) (.*)/.exec(text)?.[1]
      if (words !== undefined) {
        comment.push(words)
        continue
      }
      const column =
        /^(?:if \(.*?\)+ )?t\.\w+\('(\w+)'/.exec(text)?.[1] ??
        /^(\w+) (?:bigint|integer|varchar|text|boolean|double)\b/.exec(text)?.[1]
      if (column !== undefined && comment.length > 0)
        notes.set(`${table}.${column}`, comment.join(' ').replaceAll('|', '\\|'))
      comment = []
    }
  }
  return notes
}
