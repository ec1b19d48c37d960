import { expect } from 'chai'
import { checkCandidate } from '../../../src/domain/imports/check.ts'
import { NOTHING } from '../../../src/domain/imports/read/values.ts'
import { type Candidate, type ImportCounts, noCounts, type Ready } from '../../../src/domain/imports/types.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

onEachDatabase('a batch of an import', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind, settings: { 'limits.attributes': '1024' } })
  })
  after(() => test.close())

  /** Stores devices, each a row of its own. */
  async function store(
    ...given: Partial<Candidate>[]
  ): Promise<{ counts: Partial<ImportCounts>; problems: Map<number, string> }> {
    const { program, first } = test
    const rows = given.map((one) => {
      const checked = checkCandidate({ ...NOTHING, ...one }, program.imports.rules('csv'))
      return { ready: [checked as Ready] }
    })
    return program.inTransaction((tx) =>
      tx.imports.store(first.id, rows, { channels: new Map(), suppressOptedOut: false }),
    )
  }
  const device = (key: string, more: Partial<Candidate> = {}): Partial<Candidate> => ({
    key,
    platform: 'android',
    token: `token-of-${key}`,
    ...more,
  })
  /** The number of listed users, as the list counts them and as they are. */
  async function listed(): Promise<[number, number]> {
    const { total, users } = await test.program.crm.listUsers(test.first.id, 1, 1000)
    let count = 0
    for await (const _ of users) count++
    return [total, count]
  }

  it('makes the anonymous user of a phone a known one when another device names it, and counts it once', async () => {
    const { program, first, clock } = test
    await program.inTransaction((tx) => tx.crm.ensureInstall(first.id, 'late-comer', clock.now()))
    const before = await listed()
    expect((await store(device('a', { user: 'late-comer' }))).counts).to.include({ installs: 1, users: 0 })
    const user = await program.crm.showUser(first.id, 'late-comer')
    expect(user).to.include({ anonymous: false, installCount: 2 })
    expect(await listed()).to.deep.equal(before)
  })

  it('lists every user once, with and without devices', async () => {
    const [before] = await listed()
    const { counts } = await store(device('b'), device('c', { user: 'c' }), device('d', { user: 'c' }), {
      user: 'alone',
    })
    expect(counts).to.include({ installs: 3, users: 2 })
    expect(await listed()).to.deep.equal([before + 3, before + 3])
  })

  it('a token that is there twice goes to the first row, and the same device twice is one install', async () => {
    const { counts } = await store(device('e'), device('f', { token: 'token-of-e' }), device('e'))
    expect(counts).to.include({ installs: 1, moved: 1, existing: 1 })
  })

  it('leaves attributes as they were when more would be too large, and says so', async () => {
    const large = (name: string) => ({ [name]: 'x'.repeat(600) })
    await store({ user: 'hoarder', attributes: large('first') })
    const { problems } = await store(device('g', { user: 'hoarder', attributes: large('second') }))
    expect(problems.get(0)).to.include('limits.attributes')
    expect(await test.program.crm.attributes(test.first.id, 'hoarder')).to.have.all.keys('first')
  })

  it('an SDK that registers the same token takes it from the imported install', async () => {
    const { program, first, clock } = test
    await store(device('h', { user: 'h' }))
    await program.inTransaction(async (tx) => {
      const install = await tx.crm.ensureInstall(first.id, 'new-sdk', clock.now())
      await tx.crm.registerToken(first.id, install, { type: 2, token: 'token-of-h' }, clock.now())
    })
    const found = await program.crm.lookupInstalls(first.id, ['csv-h', 'new-sdk'])
    expect([found.get('csv-h')!.subscribed, found.get('new-sdk')!.subscribed]).to.deep.equal([false, true])
  })

  it('two processes on one import: the second one stores nothing', async () => {
    const { program, first } = test
    const begun = await program.inTransaction((tx) => tx.imports.begin(first.id, 'csv', 'same', noCounts()))
    const step = { place: 500, counts: noCounts(), errorsSize: 0 }
    await program.inTransaction((tx) => tx.imports.advance(begun, step))
    const second = await program
      .inTransaction((tx) => tx.imports.advance(begun, step))
      .catch((error: Error) => error.message)
    expect(second).to.include('another process imports the same files')
  })
})
