import { tendPartitions } from '../../src/domain/events/partitions/tend.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { TestProgram } from './program.ts'

const DAY_MS = 86_400_000

/** Tends the partitions of events as the program does, however few events there are. */
export async function tend(
  test: TestProgram,
  {
    days = 24,
    signal,
    db = test.program.kernel.db,
  }: { days?: number; signal?: AbortSignal; db?: Parameters<typeof tendPartitions>[0]['db'] } = {},
) {
  await tendPartitions({
    db,
    log: silentLog,
    now: test.clock.now(),
    retentionMs: days * DAY_MS,
    fewest: -1,
    signal,
    tries: 2,
    sleep: async () => {},
  })
}

/** The names of the partitions of events, oldest first, and how many events each has. */
export async function partitions({ program }: TestProgram): Promise<[string, number][]> {
  const { read } = program.kernel.db
  const found = await read.raw(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = to_regclass('events') ORDER BY length(relname), relname`,
  )
  const names = rowsOf<{ name: string }>(found).map(({ name }) => name)
  return Promise.all(names.map(async (name): Promise<[string, number]> => [name, (await read(name)).length]))
}
