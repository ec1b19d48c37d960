import { parentPort, workerData } from 'node:worker_threads'
import { sharedTable } from '../../../src/platform/threads/shared-table.ts'

/** Adds one to each name, many times, and removes and makes other names meanwhile. */
const { cell, shape, names, rounds } = workerData as {
  cell: SharedArrayBuffer
  shape: { most: number; columns: number }
  names: number
  rounds: number
}
const table = sharedTable(cell, shape)
for (let round = 0; round < rounds; round++) {
  for (let name = 0; name < names; name++) {
    table.locked((rows) => {
      const row = rows.make(`name ${name}`)
      rows.set(row, 0, rows.get(row, 0) + 1)
    })
    table.locked((rows) => {
      const row = rows.make(`passing ${name} ${round % 3}`)
      if (round % 2 === 0) rows.remove(row)
    })
  }
}
parentPort!.postMessage('done')
