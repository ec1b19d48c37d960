import type { DeliveryAreas, DeliveryParts } from '../../src/domain/notifications/deliver/delivery-parts.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import { aside } from './aside.ts'
import { deliveryParts } from './delivery.ts'
import { eventually } from './eventually.ts'
import type { TestProgram } from './program.ts'

/** Resolves once somebody waits for a lock of this PostgreSQL database. */
export function untilSomebodyWaits({ program }: TestProgram): Promise<void> {
  const query = `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  // Who lost a race against it may have closed the database meanwhile: then nobody waits any more.
  const looked = eventually(
    async () => rowsOf<{ waiting: number }>(await aside(() => program.kernel.db.read.raw(query)))[0]!.waiting > 0,
    'somebody waits for a lock',
  )
  looked.catch(() => {})
  return looked
}

/** A transaction that has done `work` and is open until `end` is called; then it commits. */
export async function openTransaction<T>({ program }: TestProgram, work: (areas: DeliveryAreas) => Promise<T>) {
  const worked = Promise.withResolvers<T>()
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const committed = program.inTransaction(async (tx) => {
    worked.resolve(await work(tx))
    await ending
  })
  committed.catch(worked.reject)
  const value = await worked.promise
  return {
    value,
    async end() {
      end()
      await committed
    },
  }
}

/** The usual parts, whose transactions call `before` each time they ask restraint. */
export function watchedParts(test: TestProgram, chunk: number, before: () => Promise<void>): DeliveryParts {
  const parts = deliveryParts(test, chunk)
  const watched = ({
    ledger,
    queue,
    crm,
    owners,
    personal,
    fanOut,
    gateways,
    restraint,
    instance,
  }: DeliveryAreas): DeliveryAreas => ({
    ledger,
    queue,
    crm,
    owners,
    personal,
    fanOut,
    gateways,
    instance,
    restraint: {
      ...restraint,
      async admit(...given) {
        await before()
        return restraint.admit(...given)
      },
    },
  })
  return { ...parts, inTransaction: (work) => parts.inTransaction((areas) => work(watched(areas))) }
}
