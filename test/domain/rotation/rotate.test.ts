import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sealErased, USER_ERASED } from '../../../src/domain/events/erased-user.ts'
import { rotateMasterKey } from '../../../src/domain/rotation/rotate.ts'
import { loadPepper } from '../../../src/open.ts'
import { nextKeyFile } from '../../../src/platform/crypto/key-file.ts'
import { createVault, makeMasterKey, readKeyFile } from '../../../src/platform/crypto/vault.ts'
import { connect, type Database } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log/log.ts'
import { createProgram, type Program } from '../../../src/program.ts'
import { wholeDatabase } from '../../support/every-table.ts'
import { hear } from '../../support/hear.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

/** The key of `openTestProgram`. */
const OLD = Buffer.alloc(32, 7)
const SEALED = /v1\.[\w-]{40,}\.[\w-]+/g

onEachDatabase('changing the master key', (kind) => {
  let test: TestProgram
  let url: string | undefined
  let keyFile: string
  const opened: Database[] = []
  beforeEach(async () => {
    test = await openTestProgram({ kind, via: async (given) => (url = given) })
    keyFile = join(test.dir, 'master.key')
    makeMasterKey(keyFile, OLD)
    await test.program.inTransaction((tx) => tx.instance.adoptKeyCheck(createVault(OLD).keyCheck()))
  })
  afterEach(async () => {
    await closeAll()
    await test.close()
  })

  async function closeAll(): Promise<void> {
    for (const db of opened.splice(0)) await db.close()
  }

  function open(): Database {
    const db = connect({ url, file: join(test.dir, 'appsvc.sqlite'), log: silentLog, pool: 1 })
    opened.push(db)
    return db
  }

  /** The program under the key that is in the key file. */
  async function reopen(): Promise<Program> {
    const { config, clock } = test.program.kernel
    const program = createProgram({
      config,
      clock,
      log: silentLog,
      vault: createVault(readKeyFile(keyFile)!),
      db: open(),
    })
    await loadPepper(program)
    return program
  }

  const sealedValues = async (db: Database) => {
    const rows = [...(await wholeDatabase(db.read)).entries()].filter(([table]) => table !== 'instance')
    return rows.flatMap(([, found]) => found.flatMap((row) => row.match(SEALED) ?? []))
  }

  it('no value opens with the old key, and every key, token, digest and secret stays valid', async () => {
    const { program, first } = test
    const { secret } = await program.inTransaction(async (tx) => {
      await tx.gateways.configure(first.id, {
        android: { secret: { a: 'credential' }, facts: { warnings: [] }, sendable: true },
      })
      await tx.signedIds.setMode(first.id, 'require')
      await tx.suppressions.put(first.id, 'anna', null)
      await tx.events.record(first.id, {
        type: USER_ERASED,
        data: sealErased(program.kernel.vault, first.id, 'erased one'),
      })
      await tx.events.record(first.id, { type: USER_ERASED, data: { sealed: 'not ours' } })
      await tx.certificates.change(['go.example.com'], [])
      const { key } = await tx.certificates.account('https://authority.example/directory')
      await tx.certificates.beginOrder('go.example.com', 'https://authority.example/order/1', key)
      const made = await tx.webhooks.create(first.id, { url: 'https://hooks.example.com/' })
      await tx.webhooks.rotate(first.id, made.webhook.id, 3_600_000)
      return made
    })
    const token = await program.signedIds.sign(first.id, 'anna', null)
    const before = await sealedValues(program.kernel.db)
    expect(before).to.have.length(7)
    await program.kernel.db.close()

    const db = open()
    const paged: string[] = []
    const deaf = hear(db, ({ sql }) => void (/^select.* > .* limit /i.test(sql) && paged.push(sql)))
    const rotated = await rotateMasterKey({ db, vault: createVault(OLD), keyFile })
    deaf()
    // Page by page needs an order: PostgreSQL keeps none of its own.
    expect(paged.filter((sql) => !/ order by .?(?:id|name|directory)\b/.test(sql))).to.deep.equal([])
    expect(paged.length).to.be.at.least(7)
    expect(rotated).to.include({ values: 7, unopened: 1, purged: true })
    expect(readKeyFile(rotated.formerKey!)!.equals(OLD)).to.equal(true)
    expect(readKeyFile(keyFile)!.equals(OLD)).to.equal(false)

    const now = await reopen()
    const after = await sealedValues(now.kernel.db)
    expect(after).to.have.length(7)
    for (const value of before) expect(after).to.not.include(value)
    const old = createVault(OLD)
    const contexts = [
      'certificate go.example.com',
      'app 1 gateway android',
      'webhook 1 secret',
      'app 1, an erased user',
    ]
    for (const value of after)
      for (const context of contexts) expect(() => old.open(value, context)).to.throw('cannot be opened')

    expect((await now.gateways.credential(first.id, 'android'))!.secret).to.deep.equal({ a: 'credential' })
    expect(await now.apps.authenticate(first.apiKey, first.serverKey, 'server')).to.equal(first.id)
    expect(await now.signedIds.sign(first.id, 'anna', null)).to.equal(token)
    expect((await now.suppressions.get(first.id, 'anna')).reason).to.equal(null)
    const { events } = await now.eventLog.read({ appId: first.id, limit: 10 })
    expect(events.map(({ userIdentifier }) => userIdentifier)).to.include('erased one')
    expect(secret).to.match(/^whsec_/)
    await now.inTransaction((tx) => tx.certificates.account('https://authority.example/directory'))

    // A second rotation hands the same pepper on.
    await closeAll()
    await rotateMasterKey({ db: open(), vault: now.kernel.vault, keyFile })
    const later = await reopen()
    expect(await later.apps.authenticate(first.apiKey, first.serverKey, 'server')).to.equal(first.id)
  })

  it('the present key is refused as the next one, and a given one is taken', async () => {
    await test.program.kernel.db.close()
    const same = await rotateMasterKey({ db: open(), vault: createVault(OLD), keyFile, next: OLD }).catch(
      (e: Error) => e.message,
    )
    expect(same).to.include('is the present one')
    const next = Buffer.alloc(32, 9)
    // Left by an attempt that had stored nothing.
    makeMasterKey(nextKeyFile(keyFile))
    await opened.pop()!.close()
    await rotateMasterKey({ db: open(), vault: createVault(OLD), keyFile, next })
    expect(readKeyFile(keyFile)!.equals(next)).to.equal(true)
  })

  it('a database that has got another key meanwhile is left alone', async () => {
    await test.program.kernel.db.close()
    const db = open()
    await db.write((trx) => trx('instance').update({ key_check: 'another' }))
    const text = readFileSync(keyFile, 'utf8')
    const refused = await rotateMasterKey({ db, vault: createVault(OLD), keyFile }).catch((e: Error) => e.message)
    expect(refused).to.include('another master key')
    expect(readFileSync(keyFile, 'utf8')).to.equal(text)
  })
})
