/** One thread of write-turn.test.ts: raises the counter `times` times, each in a write of its own that reads first. */
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log/log.ts'

const { file, turnCell, times } = workerData as { file: string; turnCell: SharedArrayBuffer; times: number }
const db = connect({ file, turnCell, log: silentLog })
const raise = () =>
  db.write(async (trx) => {
    const [row] = await trx('counter').select('value')
    await trx('counter').update({ value: row.value + 1 })
  })

async function count(): Promise<void> {
  // Some that arrive together and some that come one after the other.
  for (let i = 0; i < times; i += 4) await Promise.all([raise(), raise(), raise(), raise()])
  await db.close()
  parentPort!.postMessage('done')
}

parentPort!.once('message', () => void count())
parentPort!.postMessage('ready')
