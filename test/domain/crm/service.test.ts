import { expect } from 'chai'
import { attributes } from '../../../src/domain/crm/schema.ts'
import { usersQuery } from '../../../src/domain/segments/user-search/schema.ts'
import { type AppError, isAppError } from '../../../src/platform/errors.ts'
import { parseJson, parseText } from '../../../src/platform/values/parse.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function wrongKeys(query: Record<string, unknown>): string[] {
  try {
    parseText(usersQuery, query)
  } catch (error) {
    if (isAppError(error)) return Object.keys(error.details.fields ?? {}).sort()
    throw error
  }
  return []
}

describe('the query of the user list', () => {
  for (const [query, wrong] of [
    [{ currentPage: '1', numberPerPage: '1000' }, []],
    [{}, ['currentPage', 'numberPerPage']],
    [{ currentPage: '1' }, ['numberPerPage']],
    [{ currentPage: '1.5', numberPerPage: 'abc' }, ['currentPage', 'numberPerPage']],
    [{ currentPage: '0', numberPerPage: '0' }, ['currentPage', 'numberPerPage']],
    [{ currentPage: '-1', numberPerPage: '1001' }, ['currentPage', 'numberPerPage']],
    [{ currentPage: '', numberPerPage: '10' }, ['currentPage']],
    [{ currentPage: '0x10', numberPerPage: '1e2' }, ['currentPage', 'numberPerPage']],
    [{ currentPage: ' 1', numberPerPage: '1 0' }, ['currentPage', 'numberPerPage']],
    [{ currentPage: ['1', '2'], numberPerPage: '10' }, ['currentPage']],
    [{ currentPage: '99999999999999999999', numberPerPage: '10' }, ['currentPage']],
  ] as const) {
    it(`${JSON.stringify(query)} is wrong in [${wrong.join(', ')}]`, () => {
      expect(wrongKeys(query)).to.deep.equal(wrong)
    })
  }
})

describe('the body of PUT attributes', () => {
  for (const body of [null, [], [{}], 'text', 5, true]) {
    it(`may not be ${JSON.stringify(body)}`, () => {
      expect(() => parseJson(attributes, body)).to.throw('validation failed')
    })
  }
})

onEachDatabase('attributes of users', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
  })
  afterEach(() => test.close())

  const put = (identifier: string, values: Record<string, unknown>) =>
    test.program.inTransaction((tx) => tx.crm.putAttributes(appId, identifier, values))
  const get = (identifier: string) => test.program.crm.attributes(appId, identifier)
  const remove = (identifier: string) => test.program.inTransaction((tx) => tx.crm.deleteAttributes(appId, identifier))

  it('are put whole: what is not in the new ones is gone', async () => {
    await put('anna', { a: 1, b: { c: [1, null, true] } })
    await put('anna', { d: 'x' })
    expect(await get('anna')).to.deep.equal({ d: 'x' })
  })

  it('put for an unknown user make a known one, active from now', async () => {
    await put('anna', {})
    expect(await get('anna')).to.deep.equal({})
    const user = await test.program.crm.showUser(appId, 'anna')
    const now = test.clock.now()
    expect(user).to.include({
      anonymous: false,
      firstActive: now,
      lastActive: now,
      createdAt: now,
      inAppEnabled: false,
    })
    expect(user.installs).to.deep.equal([])
  })

  it('put later change the update time and nothing else of the user', async () => {
    await put('anna', {})
    const before = await test.program.crm.showUser(appId, 'anna')
    test.clock.advance(5000)
    await put('anna', { a: 1 })
    expect(await test.program.crm.showUser(appId, 'anna')).to.deep.equal({
      ...before,
      attributes: { a: 1 },
      updatedAt: before.updatedAt + 5000,
    })
  })

  it('survive with any key and any text', async () => {
    const odd = JSON.parse(
      '{"__proto__":{"x":1},"constructor":1,"nul":"a\\u0000b","half":"\\ud800","":"empty","😀":"é"}',
    )
    await put('anna', odd)
    const back = await get('anna')
    expect(JSON.stringify(back)).to.equal(JSON.stringify(odd))
    expect(Object.keys(back)).to.include('__proto__')
    expect(await test.program.crm.attributesText(appId, 'anna')).to.equal(JSON.stringify(odd))
  })

  for (const identifier of [
    'a/b',
    'a@b.example',
    'a+b',
    'a b',
    '%2F',
    'größe',
    '😀'.repeat(255),
    "'; DROP TABLE users; --",
    'A',
    ' ',
  ]) {
    it(`belong to the user ${JSON.stringify(identifier.slice(0, 24))} exactly`, async () => {
      await put(identifier, { mine: true })
      expect(await get(identifier)).to.deep.equal({ mine: true })
      expect(
        (await errorOf(get(identifier.toLowerCase() === identifier ? `${identifier}x` : identifier.toLowerCase())))
          .code,
      ).to.equal('not_found')
    })
  }

  for (const identifier of ['', 'a\0b', '\ud800', 'x'.repeat(256)]) {
    it(`cannot belong to a user called ${JSON.stringify(identifier.slice(0, 12))}`, async () => {
      const error = await errorOf(put(identifier, {}))
      expect(error.code).to.equal('invalid')
      expect(error.details.fields).to.have.all.keys('userId')
      expect((await errorOf(get(identifier))).code).to.equal('not_found')
      expect((await errorOf(remove(identifier))).code).to.equal('bad_request')
    })
  }

  it('of an unknown user cannot be read or deleted', async () => {
    expect((await errorOf(get('nobody'))).code).to.equal('not_found')
    expect((await errorOf(remove('nobody'))).code).to.equal('bad_request')
  })

  it('are deleted, also twice, and the user stays', async () => {
    await put('anna', { a: 1 })
    await remove('anna')
    await remove('anna')
    expect(await get('anna')).to.deep.equal({})
    expect((await test.program.crm.listUsers(appId, 1, 10)).total).to.equal(1)
  })

  it('of an anonymous user can be put; he stays anonymous', async () => {
    await test.program.inTransaction((tx) => tx.crm.ensureInstall(appId, 'i1', 1))
    await put('i1', { a: 1 })
    const user = await test.program.crm.showUser(appId, 'i1')
    expect(user).to.deep.include({ anonymous: true, attributes: { a: 1 } })
  })

  it('of a user of another app are out of reach', async () => {
    await put('anna', { a: 1 })
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    expect((await errorOf(test.program.crm.attributes(second.id, 'anna'))).code).to.equal('not_found')
    expect(
      (await errorOf(test.program.inTransaction((tx) => tx.crm.deleteAttributes(second.id, 'anna')))).code,
    ).to.equal('bad_request')
    expect(await get('anna')).to.deep.equal({ a: 1 })
  })

  it('put by many at once make one user', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => put('anna', { i })))
    expect((await test.program.crm.listUsers(appId, 1, 10)).total).to.equal(1)
  })

  it('put by many at once, of one user and of others, are all stored', async () => {
    const { putAttributes } = test.program
    for (const name of ['anna', 'ben']) await put(name, {})
    await Promise.all([
      ...Array.from({ length: 6 }, (_, i) => putAttributes(appId, 'anna', { i })),
      putAttributes(appId, 'ben', { b: 1 }),
      putAttributes(appId, 'carl', { c: 1 }),
    ])
    expect((await get('anna')).i).to.be.within(0, 5)
    expect(await get('ben')).to.deep.equal({ b: 1 })
    expect(await get('carl')).to.deep.equal({ c: 1 })
    await putAttributes(appId, 'anna', { last: true })
    expect(await get('anna')).to.deep.equal({ last: true })
  })
})
