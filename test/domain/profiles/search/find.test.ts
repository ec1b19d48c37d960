import { expect } from 'chai'
import type { ProfileSearch } from '../../../../src/domain/profiles/types.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('the search for users', (kind) => {
  const open = sharedDatabase(kind)
  let test: TestProgram
  beforeEach(async () => {
    test = await open()
  })
  afterEach(() => test.close())

  async function make(users: Record<string, Record<string, unknown>>) {
    const { program, first } = test
    for (const [identifier, attributes] of Object.entries(users)) {
      await program.inTransaction((tx) => tx.crm.putAttributes(first.id, identifier, attributes))
    }
  }

  /** Identifiers of all pages. */
  async function all(search: Partial<ProfileSearch>): Promise<string[]> {
    const found: string[] = []
    const { program, first } = test
    for (let after: string | undefined, rounds = 0; rounds < 50; rounds++) {
      const { ids, next } = await program.profiles.find(first.id, { text: '', limit: 2, ...search, after })
      found.push(...(await program.profiles.users(first.id, ids)).map(({ identifier }) => identifier))
      if (next === null) return found
      after = next
    }
    throw new Error('the pages do not end')
  }

  it('finds a text inside of identifiers and values, behind the names that begin with it', async () => {
    await make({
      'a-bergmann': {},
      bergmann: { city: 'Heidelberg' },
      c: { address: { city: 'HEIDELBERG' } },
      d: { berg: 'no' },
      e: { tags: ['x', 'Bergsteiger'] },
      f: { city: 'Bonn', zip: 10115 },
    })
    expect(await all({ text: 'berg' })).to.deep.equal(['bergmann', 'a-bergmann', 'c', 'e'])
    expect(await all({ text: 'Berg' })).to.deep.equal(['bergmann', 'a-bergmann', 'c', 'e'])
    expect(await all({ text: '0115' })).to.deep.equal(['f'])
    expect(await all({ text: 'berg', isWholeOnly: true })).to.deep.equal([])
    expect(await all({ text: 'c' })).to.deep.equal(['c'])
  })

  it('takes signs of patterns and of JSON as they are', async () => {
    await make({
      a: { note: '100% "sure"' },
      b: { note: '100x' },
      c: { note: 'back\\slash' },
      d: { note: 'a\0b' },
      e_f: {},
    })
    expect(await all({ text: '00%' })).to.deep.equal(['a'])
    expect(await all({ text: '"sure' })).to.deep.equal(['a'])
    expect(await all({ text: 'k\\s' })).to.deep.equal(['c'])
    expect(await all({ text: '_f' })).to.deep.equal(['e_f'])
  })

  it('lists everybody in each order, page by page', async () => {
    await make({ bert: {}, Anna: {}, carl: {}, dora: {}, emil: {} })
    const { program, first } = test
    const seen = { bert: 5, Anna: 9, carl: 5, dora: 1, emil: 7 }
    const { db } = program.kernel
    await db.write(async (trx) => {
      for (const [identifier, at] of Object.entries(seen)) {
        await trx('users').where({ app_id: first.id, identifier }).update({ last_active: at })
      }
    })
    expect(await all({})).to.deep.equal(['emil', 'dora', 'carl', 'Anna', 'bert'])
    expect(await all({ sort: 'created' })).to.deep.equal(['bert', 'Anna', 'carl', 'dora', 'emil'])
    expect(await all({ sort: 'identifier' })).to.deep.equal(['Anna', 'bert', 'carl', 'dora', 'emil'])
    expect(await all({ sort: '-identifier' })).to.deep.equal(['emil', 'dora', 'carl', 'bert', 'Anna'])
    expect(await all({ sort: '-lastActive' })).to.deep.equal(['Anna', 'emil', 'carl', 'bert', 'dora'])
  })
})
