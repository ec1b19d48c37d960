import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { newTableCell, sharedTable } from '../../../src/platform/threads/shared-table.ts'
import { chance } from '../../support/chance.ts'

describe('a table that threads share', () => {
  const shape = { most: 200, columns: 2 }

  it('keeps what a map would keep, whatever is made, changed and removed', () => {
    const random = chance(11)
    const table = sharedTable(newTableCell(shape), shape)
    const known = new Map<string, [number, number]>()
    for (let step = 0; step < 20_000; step++) {
      const name = `caller ${random(300)}`
      const column = random(2)
      table.locked((rows) => {
        if (random(10) < 4 || known.size >= 200) {
          const row = rows.find(name)
          expect(row >= 0).to.equal(known.has(name))
          if (row < 0) return
          rows.remove(row)
          known.delete(name)
        } else {
          const row = rows.make(name)
          rows.set(row, column, step)
          const values = known.get(name) ?? [0, 0]
          values[column] = step
          known.set(name, values)
        }
      })
      expect(table.size).to.equal(known.size)
    }
    table.locked((rows) => {
      for (const [name, [first, second]] of known) {
        const row = rows.find(name)
        expect([rows.get(row, 0), rows.get(row, 1)], name).to.deep.equal([first, second])
      }
    })
  })

  it('keeps the rows that a sift keeps, and finds them after it', () => {
    const table = sharedTable(newTableCell(shape), shape)
    table.locked((rows) => {
      for (let i = 0; i < 200; i++) rows.set(rows.make(`caller ${i}`), 0, i)
      rows.sift((row) => rows.get(row, 0) % 3 === 0)
      for (let i = 0; i < 200; i++) {
        const row = rows.find(`caller ${i}`)
        expect(row < 0 ? undefined : rows.get(row, 0)).to.equal(i % 3 === 0 ? i : undefined)
      }
    })
    expect(table.size).to.equal(67)
  })

  it('loses no change when several threads make them at once', async () => {
    const cell = newTableCell(shape)
    const workerData = { cell, shape, names: 20, rounds: 500 }
    const workers = Array.from(
      { length: 3 },
      () => new Worker(new URL('shared-table-thread.ts', import.meta.url), { workerData }),
    )
    await Promise.all(workers.map((worker) => once(worker, 'message')))
    sharedTable(cell, shape).locked((rows) => {
      for (let name = 0; name < 20; name++) expect(rows.get(rows.find(`name ${name}`), 0)).to.equal(1500)
    })
  })

  it('is taken over from a thread that ended while it held it', () => {
    const cell = newTableCell(shape)
    // As such a thread leaves it.
    Atomics.store(new Int32Array(cell), 0, 1)
    const table = sharedTable(cell, shape, 1)
    table.locked((rows) => rows.make('caller'))
    expect(table.size).to.equal(1)
    // And it is free again.
    expect(Atomics.load(new Int32Array(cell), 0)).to.equal(0)
  })
})
