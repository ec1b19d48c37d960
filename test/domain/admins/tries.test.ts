import { expect } from 'chai'
import type { Try } from '../../../src/domain/admins/tries/service.ts'
import type { AppError } from '../../../src/platform/errors.ts'
import { createProgram, type Program } from '../../../src/program.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

const MINUTE_MS = 60_000

onEachDatabase('tries to sign in', (kind) => {
  let test: TestProgram
  /** Two processes on one database. */
  let programs: Program[]
  before(async () => {
    test = await openTestProgram({ kind })
    const { config, clock, log, vault, db, changes, faults } = test.program.kernel
    programs = [test.program, createProgram({ config, clock, log, vault, db, changes, faults })]
  })
  after(() => test.close())
  afterEach(() => test.clock.advance(24 * 60 * MINUTE_MS))

  const of = (account: string | undefined, from: string, isShared = false): Try => ({ account, from, isShared })
  const take = (one: Try, program = 0) =>
    programs[program]!.inTransaction(async ({ signInTries }) => {
      await signInTries.takeOfAccount(one)
      await signInTries.takeOfAddress(one)
    }).then(
      () => 'counted',
      (error: AppError) => `${error.code} ${error.details.headers?.['Retry-After']}`,
    )
  const forgive = (one: Try) => test.program.inTransaction((tx) => tx.signInTries.forgive(one))
  const rows = async () => Number((await test.program.kernel.db.read('sign_in_tries').count({ n: '*' }))[0]!.n)

  it('are counted once for all processes that share the database', async () => {
    const one = of('anna@example.com', '192.0.2.1')
    const seen: string[] = []
    for (let i = 0; i < 6; i++) seen.push(await take(one, i % 2))
    expect(seen).to.deep.equal([...Array(5).fill('counted'), 'too_many 60'])
    test.clock.advance(MINUTE_MS)
    expect([await take(of('ANNA@example.com', '192.0.2.1'), 1), await take(one)]).to.deep.equal([
      'counted',
      'too_many 60',
    ])
  })

  it('that come at once are not counted as one', async () => {
    const seen = await Promise.all(
      Array.from({ length: 12 }, (_, i) => take(of('ben@example.com', '192.0.2.2'), i % 2)),
    )
    expect(seen.filter((one) => one === 'counted')).to.have.length(5)
  })

  it('of one address are limited, whomever they name', async () => {
    const seen: string[] = []
    for (let i = 0; i < 21; i++) seen.push(await take(of(i % 2 === 0 ? undefined : `no${i}@example.com`, '192.0.2.3')))
    expect([seen.filter((one) => one === 'counted').length, seen.at(-1)]).to.deep.equal([20, 'too_many 15'])
    // Behind a proxy on this machine everybody comes from one address.
    expect(await take(of(undefined, '192.0.2.3', true))).to.equal('counted')
  })

  it('of strangers never keep a person out who signed in from their address before', async () => {
    const owner = of('clara@example.com', '192.0.2.4')
    expect(await take(owner)).to.equal('counted')
    await forgive(owner)
    const strangers: string[] = []
    for (let i = 0; i < 51; i++) strangers.push(await take(of('clara@example.com', `198.51.100.${i}`)))
    expect([strangers.filter((one) => one === 'counted').length, strangers.at(-1)]).to.deep.equal([50, 'too_many 15'])
    expect(await take(owner)).to.equal('counted')
  })

  it('that succeed do not count', async () => {
    const one = of('dora@example.com', '192.0.2.5')
    for (let i = 0; i < 30; i++) {
      expect(await take(one)).to.equal('counted')
      await forgive(one)
    }
  })

  it('of a clock that ran ahead keep nobody out', async () => {
    const one = of('emi@example.com', '192.0.2.6')
    test.clock.advance(300 * 24 * 60 * MINUTE_MS)
    for (let i = 0; i < 6; i++) await take(one)
    test.clock.advance(-300 * 24 * 60 * MINUTE_MS)
    expect(await take(one)).to.equal('counted')
  })

  it('name nobody in the database, and are forgotten when they count for nothing', async () => {
    await take(of('finn@example.com', '192.0.2.7'))
    const digests = await test.program.kernel.db.read('sign_in_tries').pluck<string[]>('digest')
    expect(digests.filter((digest) => !/^[0-9a-f]{64}$/.test(digest))).to.deep.equal([])
    test.clock.advance(40 * 24 * 60 * MINUTE_MS)
    await test.program.inTransaction((tx) => tx.adminUpkeep.forget(1000))
    // Those of the clock that ran ahead.
    expect(await rows()).to.be.at.most(3)
  })
})
