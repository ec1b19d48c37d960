import { expect } from 'chai'
import type { UserRow } from '../../../src/domain/crm/adoption/user-rows.ts'
import { readUsersCsv, type UserLine } from '../../../src/domain/imports/users/file.ts'
import type { UserImportOptions } from '../../../src/domain/imports/users/service.ts'
import { writeRecord } from '../../../src/platform/text/csv-text.ts'
import { exportedUsers } from '../../../src/present/admin/profiles.ts'
import { erase } from '../../support/erasures.ts'
import { CELL_VALUES } from '../../support/export-values.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

onEachDatabase('users from files', (kind) => {
  const open = sharedDatabase(kind)
  const OPTIONS: UserImportOptions = { replaces: false, knownOnly: false, includeErased: false, isTrial: false }
  let test: TestProgram
  beforeEach(async () => {
    test = await open()
  })
  afterEach(() => test.close())

  const rowsOf = (...rows: [userId: string, attributes: Record<string, unknown>][]): UserRow[] =>
    rows.map(([userId, attributes]) => ({ userId, attributes }))
  const store = (rows: readonly UserRow[], options: Partial<UserImportOptions> = {}) =>
    test.program.inTransaction((tx) => tx.userImports.store(test.first.id, rows, { ...OPTIONS, ...options }))
  const put = (appId: number, userId: string, attributes: Record<string, unknown>) =>
    test.program.inTransaction((tx) => tx.crm.putAttributes(appId, userId, attributes))
  const attributesOf = (userId: string) => test.program.crm.attributes(test.first.id, userId)
  const countUsers = () => test.program.crm.countUsers(test.first.id)
  const events = () => test.program.kernel.db.read('events').count('* as n')

  async function linesOf(text: string, forms: Parameters<typeof readUsersCsv>[1]['forms'] = new Map()) {
    const lines: UserLine[] = []
    for await (const line of readUsersCsv(chunksOf(text), { forms })) lines.push(line)
    return lines
  }
  async function* chunksOf(text: string) {
    yield await Promise.resolve(Buffer.from(text))
  }

  it('are created and changed, are counted in the list, and record no event', async () => {
    await put(test.first.id, 'anna', { plan: 'free', visits: 3 })
    const before = await events()
    const result = await store(rowsOf(['anna', { plan: 'gold' }], ['bert', { city: 'Heidelberg' }], ['anna', {}]))
    expect(result).to.deep.equal({ created: 1, changed: 1, unchanged: 1, refused: [] })
    expect(await attributesOf('anna')).to.deep.equal({ plan: 'gold', visits: 3 })
    expect(await attributesOf('bert')).to.deep.equal({ city: 'Heidelberg' })
    expect(await countUsers()).to.equal(2)
    expect(await events()).to.deep.equal(before)
  })

  it('are merged or replaced, and null removes an attribute', async () => {
    await store(rowsOf(['anna', { plan: 'free', address: { city: 'Bonn', zip: '53111' } }]))
    await store(rowsOf(['anna', { plan: null, address: { city: 'Köln' } }]))
    expect(await attributesOf('anna')).to.deep.equal({ address: { city: 'Köln', zip: '53111' } })
    await store(rowsOf(['anna', { visits: 1 }]), { replaces: true })
    expect(await attributesOf('anna')).to.deep.equal({ visits: 1 })
  })

  it('are refused row by row, with a reason', async () => {
    const result = await store(
      rowsOf(['', {}], ['x'.repeat(256), {}], ['nul\0', {}], ['big', { text: 'x'.repeat(70_000) }], ['anna', { a: 1 }]),
    )
    expect(result).to.include({ created: 1, changed: 0 })
    expect(result.refused.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3])
    expect(result.refused[0]!.reason).to.include('1 to 255 characters')
    expect(result.refused[3]!.reason).to.include('bytes')
    expect(await attributesOf('anna')).to.deep.equal({ a: 1 })
  })

  it('are only changed where new ones are not wanted', async () => {
    const result = await store(rowsOf(['anna', { a: 1 }]), { knownOnly: true })
    expect(result.refused).to.deep.equal([{ index: 0, userId: 'anna', reason: 'there is no such user' }])
    expect(await countUsers()).to.equal(0)
  })

  it('are looked at without being stored', async () => {
    const result = await store(rowsOf(['anna', { a: 1 }], ['anna', { b: 1 }]), { isTrial: true })
    expect(result).to.deep.equal({ created: 1, changed: 1, unchanged: 0, refused: [] })
    expect(await countUsers()).to.equal(0)
  })

  it('who were erased here are left out, unless they are wanted', async () => {
    await store(rowsOf(['anna', { a: 1 }]))
    expect(await erase(test, 'anna')).to.equal('done')
    const result = await store(rowsOf(['anna', { a: 1 }], ['bert', {}]))
    expect(result).to.include({ created: 1 })
    expect(result.refused[0]).to.include({ index: 0 })
    expect(result.refused[0]!.reason).to.include('was erased here')
    expect(await store(rowsOf(['anna', { a: 1 }]), { includeErased: true })).to.include({ created: 1 })
  })

  it('are of one app: another one with the same names keeps its own', async () => {
    const { program } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await put(other.id, 'anna', { plan: 'free' })
    expect(await store(rowsOf(['anna', { plan: 'gold' }]))).to.include({ created: 1 })
    expect(await program.crm.attributes(other.id, 'anna')).to.deep.equal({ plan: 'free' })
  })

  it('of an export are what they were, and change nothing where it came from', async () => {
    const { program, first } = test
    const values = Object.fromEntries(CELL_VALUES.map((value, i) => [`n${i}`, value]))
    await put(first.id, ' =cmd', { 'a.b': '1', known: 'x', '': 'y', ' n': 1, '=1': true, ...values })
    await put(first.id, 'plain', { n0: 1, n1: '1', n10: 'x', __proto__: 'p' })
    const { head, record } = exportedUsers(await program.profiles.attributeNames(first.id))
    const { ids } = await program.profiles.find(first.id, { text: '', limit: 10 })
    const users = await program.profiles.users(first.id, ids)
    const text = [head, ...users.map(record)].map(writeRecord).join('')
    const rows = (await linesOf(text)).map((line) => ('row' in line ? line.row : expect.fail(line.fault)))
    expect(await store(rows)).to.deep.include({ created: 0, changed: 0, unchanged: 2 })
    expect(await store(rows, { replaces: true })).to.deep.include({ created: 0, changed: 0, unchanged: 2 })
    const other = (await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    await program.inTransaction((tx) => tx.userImports.store(other, rows, OPTIONS))
    for (const { identifier, attributes } of users) {
      expect(await program.crm.attributes(other, identifier), identifier).to.deep.equal(attributes)
    }
  })

  it('of a file have no attributes that are nested deeper than JSON is read', async () => {
    const inner = `${'['.repeat(60)}${']'.repeat(60)}`
    const forms = new Map([['a.b.c.d.e', 'json' as const]])
    expect(await linesOf(`id,a.b.c.d.e\nanna,${inner}\n`, forms)).to.deep.equal([
      { line: 2, fault: 'is nested too deep' },
    ])
    const failed = await linesOf(`id,${'a.'.repeat(100_000)}b\nanna,1\n`).catch((error: unknown) => error)
    expect(failed).to.have.nested.property('details.fields.file[0]').that.includes('use fewer dots')
  })

  it('two imports of the same users at the same time end one after the other', async () => {
    const rows = rowsOf(...Array.from({ length: 50 }, (_, i) => [`user-${i}`, { n: i }] as [string, { n: number }]))
    const both = await Promise.all([store(rows), store(rows.toReversed())])
    expect(both.map(({ created, unchanged }) => [created, unchanged])).to.have.deep.members([
      [50, 0],
      [0, 50],
    ])
    expect(await countUsers()).to.equal(50)
  })
})
