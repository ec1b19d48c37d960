import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import type { ColumnType, NewColumn } from '../../src/domain/tables/types.ts'
import { openProgram } from '../../src/open.ts'
import { isPostgres } from '../../src/platform/db/dialect.ts'

/** A data directory with one large table, and a key that reads and creates its records. */
export interface TableData {
  dir: string
  environment: Record<string, string>
  alias: string
  key: string
  remove(): void
}

const column = (name: string, type: ColumnType, indexed = false): NewColumn => ({
  name,
  type,
  indexed,
  required: false,
  unique: false,
  default: null,
  references: null,
})

/**
 * Creates a data directory with a table of this many records: 90 bytes of text in each, and scattered values in `n`, which has an
 * index, and in `k`, which has none.
 */
export async function makeTable(records: number, url: string | undefined): Promise<TableData> {
  const dir = mkdtempSync(join(tmpdir(), 'appsvc-bench-'))
  const environment: Record<string, string> = url === undefined ? {} : { APPSVC_DATABASE_URL: url }
  const { config } = await loadConfig({ environment, flags: { dataDir: dir } })
  const program = openProgram({ config })
  await program.migrate()
  const made = await program.inTransaction(async (tx) => {
    const { id } = await tx.apps.create({ name: 'bench' })
    const { key } = await tx.restKeys.create(id, { permissions: ['create', 'read'] })
    const columns = [
      column('title', 'string'),
      column('n', 'integer', true),
      column('k', 'integer'),
      column('body', 'text'),
    ]
    return { id, key, table: await tx.tables.create(id, 'things', columns) }
  })
  await program.kernel.db.write(async (trx) => {
    const [cast, last] = isPostgres(trx) ? ['timestamptz', 'SET LOCAL statement_timeout = 0'] : ['text', 'SELECT 1']
    await trx.raw(last)
    await trx.raw(
      `INSERT INTO ?? (??, ??, title, n, k, body)
       WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${records})
       SELECT CAST(? AS ${cast}), CAST(? AS ${cast}), 'title ' || i, (CAST(i AS bigint) * 7919) % ${records}, (CAST(i AS bigint) * 104729) % 1000, ? FROM numbers`,
      [
        `data_${made.table.alias}`,
        'createdAt',
        'updatedAt',
        ...Array(2).fill(new Date().toISOString()),
        'text '.repeat(16),
      ],
    )
  })
  await program.inTransaction((tx) => tx.tables.recount(made.id, made.table.alias))
  if (url !== undefined) await program.kernel.db.read.raw('VACUUM ANALYZE')
  await program.kernel.db.checkpoint()
  await program.close()
  return {
    dir,
    environment,
    alias: made.table.alias,
    key: made.key,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
