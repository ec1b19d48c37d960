import { isPostgres } from '../../platform/db/dialect.ts'
import { type Base, once } from '../../platform/wiring.ts'
import { blocksRepository } from './definition/blocks.repository.ts'
import { consequencesOf } from './definition/consequences.ts'
import { ddl } from './definition/ddl.ts'
import { registryRepository } from './definition/registry.repository.ts'
import { listsOf } from './read/lists.ts'
import { lookUpsRepository } from './read/look-ups.repository.ts'
import type { PageMarks } from './read/page-marks.ts'
import { slicesRepository } from './read/slices.repository.ts'
import { recordsService } from './records/records.service.ts'
import { tablesService } from './service.ts'
import { recordsRepository } from './store/records.repository.ts'

export type TablesWire = ReturnType<typeof wireTables>

/** Data tables and their records. All transactions of the process share one `pageMarks`. */
export function wireTables({ sql, config, clock }: Base, { pageMarks }: { pageMarks: PageMarks }) {
  const registry = once(() => registryRepository(sql))
  const blocks = once(() => blocksRepository(sql))
  const repo = once(() => recordsRepository(sql))
  const tables = once(() =>
    tablesService({ registry: registry(), records: repo(), blocks: blocks(), ddl: ddl(sql), clock }),
  )
  const lists = once(() =>
    listsOf({
      repo: repo(),
      blocks: blocks(),
      slices: slicesRepository(sql),
      // A transaction may be rolled back, so what it reads must not be cached.
      marks: sql.isTransaction === true ? undefined : pageMarks,
      scanLimit: config['limits.tableScan'],
    }),
  )
  const records = once(() =>
    recordsService({
      registry: registry(),
      repo: repo(),
      blocks: blocks(),
      lists: lists(),
      lookUps: lookUpsRepository(sql),
      clock,
    }),
  )
  const consequences = once(() =>
    consequencesOf({
      registry: registry(),
      ddl: ddl(sql),
      blocks: blocks(),
      scanLimit: config['limits.tableScan'],
      isOneThread: !isPostgres(sql),
    }),
  )
  return { tables, records, consequences }
}
