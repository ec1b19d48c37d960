import { expect } from 'chai'
import { accountContext, certificatesRepository } from '../../src/domain/certificates/repository.ts'
import { sealErased, USER_ERASED } from '../../src/domain/events/erased-user.ts'
import { gatewaysRepository } from '../../src/domain/gateways/repository.ts'
import { reseal } from '../../src/domain/rotation/reseal.ts'
import { createVault } from '../../src/platform/crypto/vault.ts'
import type { Sql } from '../../src/platform/db/connect.ts'
import { faultsRepository } from '../../src/platform/instance/faults.repository.ts'
import type { Fault } from '../../src/platform/instance/faults.ts'
import { openTestProgram, type TestProgram } from '../support/program.ts'

/** The key of `openTestProgram`. */
const OLD = createVault(Buffer.alloc(32, 7))
const NEXT = createVault(Buffer.alloc(32, 8))
const NOW = Date.UTC(2026, 2, 1)

/** Statements that no scenario plays: each changes or finds the rows that it is about, and none of those beside them that are alike. */
describe('rows beside those that are meant', () => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram()
  })
  after(() => test.close())
  const write = <T>(work: (sql: Sql) => Promise<T>) => test.program.kernel.db.write(work)

  it('of another app and platform get no notice of a credential', async () => {
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const facts = { warnings: [], notAfter: NOW }
    const left = await write(async (sql) => {
      const gateways = gatewaysRepository(sql)
      for (const { id } of [test.first, second])
        for (const platform of ['ios', 'safari'] as const)
          await gateways.save(id, platform, { sealed: 'x', facts, sendable: true, now: NOW })
      const all = await gateways.expiries()
      expect(all).to.have.length(4)
      const one = all.find(({ appId, platform }) => appId === test.first.id && platform === 'ios')!
      expect(await gateways.markNotice(one, 30)).to.equal(true)
      expect(await gateways.markNotice(one, 14), 'read before').to.equal(false)
      return (await gateways.expiries()).filter(({ notice }) => notice === null)
    })
    expect(left.map(({ appId, platform }) => `${appId} ${platform}`)).to.have.members([
      `${test.first.id} safari`,
      `${second.id} ios`,
      `${second.id} safari`,
    ])
  })

  it('of another authority are not its account', async () => {
    await write(async (sql) => {
      const certificates = certificatesRepository(sql)
      await certificates.addAccount('https://a.test', 'first', NOW)
      await certificates.addAccount('https://b.test', 'second', NOW)
      await certificates.setAccount('https://b.test', { url: 'https://b.test/account' })
      expect(await certificates.account('https://b.test')).to.deep.include({ url: 'https://b.test/account' })
      expect(await certificates.account('https://a.test')).to.deep.include({ url: null })
      expect(await certificates.account('https://c.test')).to.equal(undefined)
      await sql('acme_accounts').delete()
    })
  })

  it('of another name and another process keep their lease, order, challenge and certificate', async () => {
    await write(async (sql) => {
      const certificates = certificatesRepository(sql)
      await certificates.add(['a.test', 'b.test'], NOW)
      const fresh = (await certificates.list()).find(({ name }) => name === 'b.test')
      const claim = (name: string, owner: string, at: number) =>
        certificates.claim(name, owner, NOW + at, NOW + at + 10)
      expect([await claim('a.test', 'one', 0), await claim('a.test', 'two', 9)]).to.deep.equal([true, false])
      expect(await claim('a.test', 'two', 10)).to.equal(true)
      await certificates.free('a.test', 'one')
      expect(await claim('a.test', 'three', 11), 'it is no longer that of one').to.equal(false)
      await certificates.free('a.test', 'two')
      expect(await claim('a.test', 'three', 11)).to.equal(true)
      expect(await claim('b.test', 'four', 0)).to.equal(true)
      await certificates.free('a.test', 'three')
      expect(await claim('b.test', 'five', 5)).to.equal(false)
      await certificates.freeAll()
      expect(await claim('b.test', 'five', 5)).to.equal(true)

      const challenge = { kind: 'http-01', token: 't', answer: 'x' } as const
      const own = async () => [(await certificates.list())[0]!, await certificates.challengeOf('a.test')] as const
      await certificates.setOrder('a.test', 'https://ca.test/1', 'key')
      await certificates.setChallenge('a.test', challenge)
      expect((await own())[0]).to.include({ orderUrl: 'https://ca.test/1', orderKey: 'key' })
      expect((await own())[1]).to.deep.equal(challenge)
      await certificates.fail('a.test', 'no', NOW, NOW + 5)
      expect((await own())[0]).to.include({ attempts: 1, lastError: 'no', nextAt: NOW + 5, orderKey: 'key' })
      expect((await own())[1], 'of a try that failed').to.equal(undefined)
      await certificates.setChallenge('a.test', challenge)
      await certificates.dropOrder('a.test')
      expect((await own())[0]).to.include({ orderUrl: null, orderKey: null })
      expect((await own())[1]).to.equal(undefined)
      await certificates.plan('a.test', { nextAt: NOW + 6, askAt: NOW + 7 })
      expect((await own())[0]).to.include({ nextAt: NOW + 6, askAt: NOW + 7 })
      const times = { notBefore: NOW, notAfter: NOW + 9, nextAt: NOW + 8, askAt: null }
      await certificates.store('a.test', { chain: 'chain', issuer: 'ca', sealedKey: 'sealed', ...times })
      expect((await own())[0]).to.include({ attempts: 0, lastError: null, failedAt: null, nextAt: NOW + 8 })
      expect(await certificates.sealedIdentity('a.test')).to.deep.equal({ chain: 'chain', sealedKey: 'sealed' })

      expect(await certificates.sealedIdentity('b.test')).to.equal(undefined)
      expect(await certificates.challengeOf('b.test')).to.equal(undefined)
      expect((await certificates.list()).find(({ name }) => name === 'b.test')).to.deep.equal(fresh)
      await certificates.remove('a.test')
      expect((await certificates.list()).map(({ name }) => name)).to.deep.equal(['b.test'])
      await certificates.remove('b.test')
    })
  })

  it('that are confirmed stay when old faults are forgotten', async () => {
    const fault = (about: string): Fault => ({ kind: 'gateway', about, sentence: 'it is away', since: NOW })
    await write(async (sql) => {
      const faults = faultsRepository(sql)
      await faults.store('one', [fault('a')])
      await faults.store('two', [fault('b')])
      // By the time of the database, which may not have moved since.
      await sql('faults').where({ node: 'one' }).decrement('seen_at', 180_001)
      await faults.forget(false)
      expect((await faults.list()).map(({ about }) => about)).to.deep.equal(['b'])
      expect(await faults.isAny()).to.equal(true)
      await faults.forget(true)
      expect(await faults.isAny()).to.equal(false)
    })
  })

  it('of the next pages get the next master key too, and data that was never sealed stays', async () => {
    const count = 1001
    await test.program.inTransaction(async (tx) => {
      await tx.events.record(test.first.id, { type: USER_ERASED, data: { sealed: 7 } })
      await tx.events.record(test.first.id, { type: USER_ERASED, data: sealErased(OLD, test.first.id, 'anna') })
      await tx.events.record(test.first.id, { type: 'mine', data: sealErased(OLD, test.first.id, 'bert') })
    })
    await write(async (sql) => {
      const rows = Array.from({ length: count }, (_, i) => {
        const directory = `https://ca.test/${String(i).padStart(5, '0')}`
        return { directory, sealed_key: OLD.seal('secret', accountContext(directory)), created_at: NOW }
      })
      await sql('gateway_configs').delete()
      await sql.batchInsert('acme_accounts', rows, 100)
      expect(await reseal(sql, OLD, NEXT)).to.deep.equal({ values: count + 1, unopened: 0 })
      const sealed: { directory: string; sealed_key: string }[] = await sql('acme_accounts').select()
      for (const { directory, sealed_key: key } of sealed)
        expect(NEXT.open(key, accountContext(directory))).to.equal('secret')
    })
  })
})
