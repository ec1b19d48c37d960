import { expect } from 'chai'
import { BELONGING, PERSONAL } from '../../../src/domain/erasures/personal.ts'
import { runErasures } from '../../../src/domain/erasures/run.ts'
import { collect } from '../../../src/platform/concurrency/chunks.ts'
import { rowsOf } from '../../../src/platform/db/dialect.ts'
import { erase, erasing, requestErasure } from '../../support/erasures.ts'
import { fillEveryTable } from '../../support/every-table.ts'
import { addInstall } from '../../support/installs.ts'
import { KEPT } from '../../support/kept-columns.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const LISTED = [...new Set([...PERSONAL, ...BELONGING].map(({ table }) => table))]

onEachDatabase('what is stored about a person', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  /** Every column that can hold text, as `table.column`, and every table. */
  async function schema(): Promise<{ tables: string[]; texts: string[] }> {
    const query =
      kind === 'sqlite'
        ? `SELECT m.name AS "table", c.name AS "column", c.type AS type FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
           WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'geofence_boxes%'`
        : `SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
           WHERE table_schema = 'public'`
    const columns = rowsOf<{ table: string; column: string; type: string }>(
      await test.program.kernel.db.read.raw(query),
    )
    const isText = (type: string) => !/^(big)?int|^bool|^double|^float|^timestamp|^datetime/i.test(type)
    return {
      tables: [...new Set(columns.map(({ table }) => table))],
      texts: columns.filter(({ type }) => isText(type)).map(({ table, column }) => `${table}.${column}`),
    }
  }

  it('is in the list, or every text of its table has a reason to stay', async () => {
    const { tables, texts } = await schema()
    expect(tables.length).to.be.greaterThan(45)
    expect(tables.filter((table) => !LISTED.includes(table) && !Object.hasOwn(KEPT, table))).to.deep.equal([])
    expect(tables.filter((table) => LISTED.includes(table) && Object.hasOwn(KEPT, table))).to.deep.equal([])
    const reasoned = Object.entries(KEPT).flatMap(([table, columns]) =>
      Object.keys(columns).flatMap((column) => (column === '' || column === '*' ? [] : [`${table}.${column}`])),
    )
    const tableOf = (text: string) => text.split('.')[0]!
    const isWhole = (table: string) => KEPT[table]?.['*'] !== undefined
    const unlisted = texts.filter((text) => !LISTED.includes(tableOf(text)) && !isWhole(tableOf(text)))
    expect(unlisted.toSorted()).to.deep.equal(reasoned.toSorted())
  })

  it('is exported and erased from the same list', async () => {
    const { program, first } = test
    await fillEveryTable(program, first.id)
    const name = `of-${first.id}`
    await program.kernel.db.write(async (trx) => {
      const at = { happened_at: 1, received_at: 1 }
      await trx('events').insert({ app_id: first.id, uuid: 'server', type: 't', user_identifier: name, ...at })
      await trx('channel_import_unknowns').update({ identifier: name })
    })
    // A second app with the same names loses nothing.
    const second = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await addInstall(program, second.id, name, { user: 'somebody' })
    const exported = await collect(await program.exporting.of(first.id, name))
    expect([...new Set(exported.map(({ table }) => table))].toSorted()).to.deep.equal(LISTED.toSorted())
    expect(JSON.stringify(exported)).to.not.match(/app_id|install_row|device_key/)
    expect(exported[0]!).to.have.nested.property('row.identifier', name)

    // Its page was never claimed; the file that it fills is done.
    expect(await erase(test, name)).to.equal('done')
    for (const table of LISTED) {
      const left = await program.kernel.db.read(table)
      expect(
        left.filter(
          (row: { app_id?: number; type?: string }) => row.app_id !== second.id && row.type !== 'user.erased',
        ),
        table,
      ).to.deep.equal([])
    }
    expect((await program.crm.listInstalls(second.id, 0, 10)).map(({ installId }) => installId)).to.deep.equal([name])
  })

  it('is exported in pages, each row once', async () => {
    const { program, first, clock } = test
    await addInstall(program, first.id, 'phone', { user: 'ann' })
    for (let i = 0; i < 5; i++) {
      const events = Array.from({ length: 101 }, (_, n) => ({ type: 'own', uuid: `${i}-${n}`, timestamp: clock.now() }))
      await program.inTransaction((tx) => tx.events.ingest(first.id, 'phone', events))
    }
    const lines = await collect(await program.exporting.of(first.id, 'ann'))
    const own = lines.filter(({ table, row }) => table === 'events' && row.type === 'own')
    const uuids = own.map(({ row }) => row.uuid)
    expect(new Set(uuids).size).to.equal(505)
    expect(uuids).to.have.length(505)
  })

  it('is exported with what they chose, and times that people can read', async () => {
    const { program, first } = test
    await program.inTransaction(async ({ purposes }) => {
      await purposes.put(first.id, 'offers', { name: 'Offers', description: null, default: true, required: false })
      await purposes.choose(first.id, 'ann', { offers: false }, 'server')
    })
    const lines = await collect(await program.exporting.of(first.id, 'ann'))
    const { row } = lines.find(({ table }) => table === 'user_purposes')!
    expect(row).to.include({ allowed: kind === 'sqlite' ? 0 : false, source: 'server' })
    expect(row.at).to.match(/^\d{4}-\d\d-\d\dT/)
  })

  it('of an install goes with it, and its user stays', async () => {
    const { program, first } = test
    for (const name of ['phone', 'tablet']) await addInstall(program, first.id, name, { user: 'ann' })
    expect(await erase(test, 'phone', 'install')).to.equal('done')
    const { installs } = await program.crm.showUser(first.id, 'ann')
    expect(installs.map(({ installId }) => installId)).to.deep.equal(['tablet'])
    expect((await program.crm.listUsers(first.id, 1, 9)).total).to.equal(1)
    expect(await program.kernel.db.read('users').pluck('identifier')).to.have.members(['ann', 'tablet'])
  })

  it('of nobody is nothing, and so is an erasure of them', async () => {
    const id = await requestErasure(test, 'nobody')
    await runErasures(erasing(test))
    expect(await test.program.erasures.get(test.first.id, id)).to.include({ state: 'done', found: false, names: null })
  })
})
