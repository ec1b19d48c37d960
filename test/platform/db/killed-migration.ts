/** A process of migrate.test.ts: applies a step and dies in the middle of the next. Arguments: kind, file or address. */
import { connect } from '../../../src/platform/db/connect.ts'
import { migrateUp } from '../../../src/platform/db/migrate.ts'
import { silentLog } from '../../../src/platform/log/log.ts'

const [kind, where] = process.argv.slice(2) as [string, string]
const db = connect({ url: kind === 'postgres' ? where : undefined, file: where, log: silentLog })
const down = async () => {}
await migrateUp(db, {
  // Applied before by the test.
  '0000_z': { down, up: down },
  '0001_a': { down, up: async (trx) => trx.schema.createTable('a', (t) => void t.increments('id')) },
  '0002_b': {
    down,
    up: async (trx) => {
      await trx.schema.createTable('b', (t) => void t.increments('id'))
      process.kill(process.pid, 'SIGKILL')
    },
  },
})
