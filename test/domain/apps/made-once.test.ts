import { expect } from 'chai'
import type { Areas } from '../../../src/program.ts'
import { onPostgres, openTestProgram, type TestProgram } from '../../support/program.ts'
import { race } from '../../support/race.ts'

onPostgres('what two transactions make at once, and there may be once', () => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind: 'postgres' })
  })
  after(() => test.close())

  /** Begins twice: the second transaction begins when the first one has made its own and is open. */
  const twice = <T>(make: (tx: Areas) => Promise<T>) =>
    race(
      test.program,
      async (tx, meet) => {
        const made = await make(tx)
        await meet()
        return made
      },
      make,
    )
  const rows = async (table: string) => (await test.program.kernel.db.read(table).select()) as Record<string, unknown>[]
  const valueOf = <T>(one: PromiseSettledResult<T>): T => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  }

  it('is one account for the first two apps', async () => {
    await test.program.kernel.db.write(async (trx) => {
      await trx('app_keys').delete()
      await trx('apps').delete()
      await trx('accounts').delete()
    })
    const { one, two, hadToWait } = await twice((tx) => tx.apps.create({ name: 'Bakery' }))
    const [account, ...others] = await rows('accounts')
    expect([valueOf(one).accountId, valueOf(two).accountId, hadToWait]).to.deep.equal([account!.id, account!.id, true])
    expect(others).to.deep.equal([])
    // The number of an account that a transaction which failed had.
    const unknown = await test.program
      .inTransaction((tx) => tx.apps.create({ name: 'Shop', accountId: 999 }))
      .catch((error) => error)
    expect(unknown.details.fields).to.deep.equal({ accountId: ['there is no account 999'] })
    expect(await rows('accounts')).to.have.length(1)
  })

  it('is one app of a name', async () => {
    const { one, two } = await twice(async (tx) => {
      await tx.apps.refuseTaken('Kiosk', { remedy: 'take another' })
      return tx.apps.create({ name: 'Kiosk' })
    })
    expect([one.status, two.status]).to.deep.equal(['fulfilled', 'rejected'])
    expect((two as PromiseRejectedResult).reason).to.include({ code: 'conflict' })
  })

  it('is one first owner, who is found by the node that comes second', async () => {
    const owner = { email: 'a@example.com', name: 'A', password: null }
    const { one, two } = await twice((tx) => tx.admins.first(owner))
    expect([valueOf(one)?.email, valueOf(two)]).to.deep.equal(['a@example.com', undefined])
    expect(await rows('admins')).to.have.length(1)
  })

  it('is one link for the first sign-in, and one demo owner', async () => {
    await twice((tx) => tx.admins.setupLink())
    expect(await rows('admin_links')).to.have.length(1)
    const { one, two } = await twice((tx) => tx.admins.signInLink({ email: 'demo@example.com', name: 'Demo' }))
    expect([one.status, two.status]).to.deep.equal(['fulfilled', 'fulfilled'])
    expect((await rows('admin_links')).filter(({ kind }) => kind === 'demo')).to.have.length(1)
  })

  it('is one key for new tokens of users, when it is made anew twice', async () => {
    const [app] = await test.program.apps.list()
    await twice((tx) => tx.signedIds.rotate(app!.id, 60_000))
    const inForce = (await rows('user_signing_keys')).filter(({ expires_at }) => expires_at === null)
    expect(inForce).to.have.length(1)
  })
})
