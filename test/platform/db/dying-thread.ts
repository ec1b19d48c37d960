/** One thread of write-turn.test.ts that takes its turn, begins a transaction and dies. */
import { workerData } from 'node:worker_threads'
import { openSqlite } from '../../../src/platform/db/sqlite-client.ts'
import { createWriteTurn } from '../../../src/platform/db/write-turn.ts'

const { file, turnCell } = workerData as { file: string; turnCell: SharedArrayBuffer }
const db = openSqlite(file, 'writer')
void createWriteTurn(turnCell)
  .take()
  .then(() => {
    db.exec('BEGIN IMMEDIATE; UPDATE counter SET value = -1')
    throw new Error('this thread dies in its turn')
  })
