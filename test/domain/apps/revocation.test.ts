import { join } from 'node:path'
import { expect } from 'chai'
import { deleteApp } from '../../../src/domain/apps/deletion.ts'
import type { NewApp } from '../../../src/domain/apps/types.ts'
import { connect } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { createProgram, type Program } from '../../../src/program.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

onEachDatabase('keys that end', (kind) => {
  let test: TestProgram
  let program: Program
  /** The same database in another process. */
  let other: Program
  let keys: NewApp

  before(async () => {
    let url: string | undefined
    test = await openTestProgram({
      kind,
      via: async (address) => {
        url = address
        return address
      },
    })
    program = test.program
    const db = connect({ url, file: join(test.dir, 'appsvc.sqlite'), log: silentLog })
    const { config, clock, log, vault } = program.kernel
    other = createProgram({ config, clock, log, vault, db })
  })
  after(async () => {
    await other.close()
    await test.close()
  })
  beforeEach(async () => {
    keys = await program.inTransaction((tx) => tx.apps.create({ name: 'App' }))
  })

  const server = (at: Program, key = keys.serverKey) => at.apps.authenticate(keys.apiKey, key, 'server')
  const device = (at: Program) => at.apps.authenticate(keys.apiKey, keys.secretKey, 'secret')

  it('are known after the first call: the database is not asked again within a second', async () => {
    const asked: string[] = []
    const hear = ({ sql }: { sql: string }) => asked.push(sql)
    program.kernel.db.read.on('query', hear)
    try {
      expect(await server(program)).to.equal(keys.id)
      expect(asked).to.have.length(1)
      expect(await server(program)).to.equal(keys.id)
      expect(asked).to.have.length(1)
      test.clock.advance(1000)
      expect(await server(program)).to.equal(keys.id)
      expect(asked).to.have.length(2)
    } finally {
      program.kernel.db.read.off('query', hear)
    }
  })

  it('end at once in the process that replaces them, and within a second in another', async () => {
    expect(await server(program)).to.equal(keys.id)
    expect(await server(other)).to.equal(keys.id)
    const fresh = await program.inTransaction((tx) => tx.apps.rotate(keys.id, 'server', 0))
    expect(await server(program)).to.equal(undefined)
    expect([await server(program, fresh), await server(other, fresh)]).to.eql([keys.id, keys.id])
    test.clock.advance(999)
    // It has not asked since.
    expect(await server(other)).to.equal(keys.id)
    test.clock.advance(1)
    expect(await server(other)).to.equal(undefined)
  })

  it('end when their grace ends, not a second later', async () => {
    await program.inTransaction((tx) => tx.apps.rotate(keys.id, 'secret', 60_000))
    test.clock.advance(59_500)
    expect([await device(program), await device(other)]).to.eql([keys.id, keys.id])
    test.clock.advance(499)
    expect([await device(program), await device(other)]).to.eql([keys.id, keys.id])
    test.clock.advance(1)
    expect([await device(program), await device(other)]).to.eql([undefined, undefined])
  })

  it('stay when the transaction that ends them is rolled back, and one inside it changes nothing outside', async () => {
    expect(await server(program)).to.equal(keys.id)
    const failed = program.inTransaction(async (tx) => {
      const fresh = await tx.apps.rotate(keys.id, 'server', 0)
      expect(await tx.apps.authenticate(keys.apiKey, fresh, 'server')).to.equal(keys.id)
      expect(await tx.apps.authenticate(keys.apiKey, keys.serverKey, 'server')).to.equal(undefined)
      throw Object.assign(new Error(fresh), { fresh })
    })
    const { fresh } = await failed.then(
      () => expect.fail('committed'),
      (error: { fresh: string }) => error,
    )
    expect(await server(program)).to.equal(keys.id)
    expect(await server(program, fresh)).to.equal(undefined)
  })

  it('end with their app: at once here, within a second elsewhere', async () => {
    expect([await server(program), await device(program), await program.apps.findByApiKey(keys.apiKey)]).to.eql(
      Array(3).fill(keys.id),
    )
    expect([await server(other), await other.apps.findByApiKey(keys.apiKey)]).to.eql([keys.id, keys.id])
    await deleteApp(
      { inTransaction: program.inTransaction, clock: { monotonic: () => 0, sleep: async () => {} } },
      keys.id,
    )
    expect([await server(program), await device(program), await program.apps.findByApiKey(keys.apiKey)]).to.eql(
      Array(3).fill(undefined),
    )
    test.clock.advance(1000)
    expect([await server(other), await other.apps.findByApiKey(keys.apiKey)]).to.eql([undefined, undefined])
  })

  for (const [of, permissions] of [
    ['restKeys', ['read']],
    ['serverKeys', ['crm']],
  ] as const) {
    describe(`of ${of}`, () => {
      let issued: { id: number; key: string }
      beforeEach(async () => {
        issued = await program.inTransaction(
          async (tx): Promise<{ id: number; key: string }> =>
            tx[of].create(keys.id, { permissions: [...permissions] as never }),
        )
        // Its use is noted: then it is kept.
        const [key] = await program[of].list(keys.id)
        await program.inTransaction((tx) => tx[of].noteUse(key!))
      })

      it('end at once in the process that revokes them, and within a second in another', async () => {
        expect((await program[of].authenticate(issued.key))?.id).to.equal(issued.id)
        expect((await other[of].authenticate(issued.key))?.id).to.equal(issued.id)
        await program.inTransaction(async (tx): Promise<unknown> => tx[of].revoke(keys.id, issued.id))
        expect(await program[of].authenticate(issued.key)).to.equal(undefined)
        test.clock.advance(1000)
        expect(await other[of].authenticate(issued.key)).to.equal(undefined)
      })

      it('are looked up again when their use is to be noted', async () => {
        expect(program[of].isUseDue((await program[of].authenticate(issued.key))!)).to.equal(false)
        test.clock.advance(3_600_000 - 500)
        expect(program[of].isUseDue((await program[of].authenticate(issued.key))!)).to.equal(false)
        test.clock.advance(500)
        const due = (await program[of].authenticate(issued.key))!
        expect(program[of].isUseDue(due)).to.equal(true)
        await program.inTransaction((tx) => tx[of].noteUse(due))
        expect(program[of].isUseDue((await program[of].authenticate(issued.key))!)).to.equal(false)
      })
    })
  }
})
