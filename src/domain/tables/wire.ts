import { type Base, once } from '../../platform/wiring.ts'
import { blocksRepository } from './blocks.repository.ts'
import { ddl } from './ddl.ts'
import type { PageMarks } from './page-marks.ts'
import { recordsRepository } from './records.repository.ts'
import { recordsService } from './records.service.ts'
import { registryRepository } from './registry.repository.ts'
import { tablesService } from './service.ts'

/** Data tables and their records. `pageMarks` is one for the process. */
export function wireTables({ sql, config, clock }: Base, { pageMarks }: { pageMarks: PageMarks }) {
  const registry = once(() => registryRepository(sql))
  const blocks = once(() => blocksRepository(sql))
  const tables = once(() => tablesService({ registry: registry(), blocks: blocks(), ddl: ddl(sql), clock }))
  const records = once(() =>
    recordsService({
      registry: registry(),
      repo: recordsRepository(sql),
      blocks: blocks(),
      // A transaction may be rolled back: what it reads must not be remembered.
      marks: sql.isTransaction === true ? undefined : pageMarks,
      mostLooks: config['limits.tableScan'],
      clock,
    }),
  )
  return { tables, records }
}
