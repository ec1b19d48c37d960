import { expect } from 'chai'
import { type EventPlaces, eventPlaces } from '../../../src/domain/db-copy/event-places.ts'
import { readCursor, writeCursor } from '../../../src/domain/followers/position.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/platform/db/copy/postgres-store.ts'
import type { Shape } from '../../../src/platform/db/copy/store.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'

onPostgres('positions in an event log that moves to SQLite', () => {
  let test: TestProgram
  let store: PostgresStore
  before(async () => {
    let url = ''
    test = await openTestProgram({ kind: 'postgres', via: async (given) => (url = given) })
    store = await openPostgresStore(url)
  })
  after(async () => {
    await store.close()
    await test.close()
  })

  /** A log with these events, up to which number it has given ids, and what was forgotten. */
  async function logOf(events: [id: number, tx: number][], last: number, forgotten: [tx: number, id: number][] = []) {
    const { first, program } = test
    await program.kernel.db.write(async (trx) => {
      for (const table of ['events', 'forgotten_events', 'followers']) await trx(table).delete()
      for (const [id, tx] of events) {
        const told = { uuid: `e${id}`, type: 'paid', happened_at: 1, received_at: 1 }
        await trx('events').insert({ id, tx, app_id: first.id, ...told })
      }
      for (const [tx, event_id] of forgotten) await trx('forgotten_events').insert({ app_id: first.id, tx, event_id })
      await trx.raw(`SELECT setval('events_id_seq', ${last})`)
    })
  }
  async function follow(...positions: [tx: number, id: number][]): Promise<string[]> {
    const cursors = positions.map(([tx, id]) => writeCursor({ tx, id }))
    await test.program.kernel.db.write(async (trx) => {
      await trx('followers').delete()
      for (const [i, cursor] of cursors.entries()) await trx('followers').insert({ name: `f${i}`, cursor })
    })
    return cursors
  }
  const columns = (...names: string[]) => names.map((name) => ({ name })) as Shape['columns']
  const placesOf = (places: EventPlaces, cursors: string[]) =>
    cursors.map((cursor) => readCursor(places('followers', columns('name', 'cursor'), ['f', cursor])[1]!))
  const at = (id: number) => ({ tx: 0, id })

  it('are those of the same events, whose ids follow their order', async () => {
    await logOf(
      [
        [101, 30],
        [102, 20],
        [103, 40],
      ],
      103,
      [[20, 102]],
    )
    const cursors = await follow([20, 102], [30, 101], [35, 9], [40, 103], [50, 1])
    const places = await eventPlaces(store)
    const ids = ['101', '102', '103'].map((id) => places('events', columns('id', 'uuid'), [id, id])[0])
    expect(ids).to.deep.equal(['102', '101', '103'])
    expect(placesOf(places, cursors)).to.deep.equal([at(101), at(102), at(102), at(103), at(103)])
    const row = [String(test.first.id), '20', '102']
    expect(places('forgotten_events', columns('app_id', 'tx', 'event_id'), row)).to.deep.equal([row[0], '0', '101'])
  })

  it('before all that is kept are behind what was forgotten, and of an empty log at its end', async () => {
    await logOf([[201, 70]], 201)
    const cursors = await follow([60, 5])
    expect(placesOf(await eventPlaces(store), cursors)).to.deep.equal([at(200)])
    await logOf([], 300)
    await follow([60, 5])
    expect(placesOf(await eventPlaces(store), cursors)).to.deep.equal([at(300)])
  })

  it('stand also inside of JSON, and what only looks like one stays as it is', async () => {
    await logOf([[401, 80]], 401)
    await test.program.kernel.db.write((trx) => trx('webhook_cursors').delete())
    const [cursor] = await follow([80, 401])
    const places = await eventPlaces(store)
    const changed = (text: string) => places('webhook_cursors', columns('batch'), [text])[0]
    const other = writeCursor(at(401))
    expect(changed(`{"until":"${cursor}"}`)).to.equal(`{"until":"${other}"}`)
    for (const text of [`{"until":"0${cursor}"}`, `{"until":"${'z'.repeat(22)}"}`]) expect(changed(text)).to.equal(text)
    expect(places('webhook_cursors', columns('batch', 'cursor'), [null, null])).to.deep.equal([null, null])
    expect(places('users', columns('cursor'), [cursor!])).to.deep.equal([cursor])
  })
})
