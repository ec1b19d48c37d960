import type { Config } from '../../../platform/config/settings.ts'
import type { Database } from '../../../platform/db/connect.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { onDisk } from './disk.ts'
import type { FileKeeper } from './keeper.ts'
import type { SlicesRepository } from './slices.repository.ts'
import { inDatabase } from './slices.ts'

/** The parts of a program that files of subscribers are kept with. */
export interface Keeping {
  kernel: { db: Pick<Database, 'kind'>; config: Pick<Config, 'dataDir'>; clock: Clock }
  inTransaction<T>(work: (tx: { ingestion: { slices: SlicesRepository } }) => Promise<T>): Promise<T>
}

/** Keeps files where every worker of the database finds them: on PostgreSQL in the database, on SQLite on the disk of its one server. */
export function keeperOf({ kernel: { db, config, clock }, inTransaction }: Keeping, appId: number): FileKeeper {
  if (db.kind === 'sqlite') return onDisk(config.dataDir)
  return inDatabase({
    appId,
    inTransaction: (work) => inTransaction((tx) => work(tx.ingestion.slices)),
    now: () => clock.now(),
  })
}
