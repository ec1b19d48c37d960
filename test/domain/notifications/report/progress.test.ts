import { expect } from 'chai'
import { stopNotification } from '../../../../src/domain/notifications/cancel.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { pauseAfter, speedOf } from '../../../../src/server/admin/delivery-watch.ts'
import { broadcast, deliverDue, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { type Heard, hear } from '../../../support/hear.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('following a notification', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared({ settings: { 'delivery.pageSize': '2' } })
    await withAndroids(test, 5)
  })
  afterEach(() => test.close())

  const progress = (id: number) => test.program.deliveries.progress(test.first.id, id)
  const stop = async (id: number, appId = test.first.id): Promise<string | undefined> => {
    const { program, clock } = test
    try {
      await stopNotification({ read: program, inTransaction: program.inTransaction, clock }, appId, id, 1000)
      return undefined
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
  }
  const all = scriptedSender(() => ({ kind: 'accepted' }))

  it('its progress says how far each platform has come', async () => {
    const id = await broadcast(test)
    const before = await progress(id)
    expect(before.counts).to.include({ audience: 5, pending: 5, accepted: 0 })
    expect(before).to.include({ isFinding: false, expected: 5 })
    await deliverDue(test, all.sender)
    const after = await progress(id)
    expect(after.status).to.equal(STATUS.sent)
    expect(after.platforms.map(({ platform, accepted, pending }) => ({ platform, accepted, pending }))).to.deep.equal([
      { platform: 'android', accepted: 5, pending: 0 },
    ])
  })

  it('is read from an index on SQLite, without the recipients and outcomes of its pages', async function () {
    if (kind === 'postgres') return
    const id = await broadcast(test)
    const { db } = test.program.kernel
    const heard: Heard[] = []
    const end = hear(db, (statement) => heard.push(statement))
    await progress(id)
    await test.program.notifications.report(test.first.id, id)
    end()
    const ofPages = heard.filter(({ sql }) => /from `?pages\b/i.test(sql))
    expect(ofPages.length).to.be.at.least(3)
    for (const { sql, bindings } of ofPages) {
      const plan: { detail: string }[] = await db.read.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings as string[])
      const steps = plan.map(({ detail }) => detail).filter((detail) => detail.includes(' pages '))
      for (const step of steps) expect(step, sql).to.include('COVERING INDEX')
    }
  })

  it('stops although it has begun for everybody: who has it keeps it, and the others never get it', async () => {
    const id = await broadcast(test)
    const stopped = new AbortController()
    const some = scriptedSender((token) => {
      if (token) stopped.abort()
      return { kind: 'accepted' }
    })
    await deliverDue(test, some.sender, { signal: stopped.signal, maxRecipients: 1 })
    const { counts } = await progress(id)
    expect(counts.accepted).to.be.within(1, 4)
    expect(await stop(id)).to.equal(undefined)
    await deliverDue(test, all.sender)
    const after = await progress(id)
    expect(after.status).to.equal(STATUS.cancelled)
    expect(after.counts.accepted).to.equal(counts.accepted)
    expect(after.counts.cancelled).to.equal(5 - counts.accepted)
    expect(after.counts.pending).to.equal(0)
  })

  it('ends at once when it is stopped, also what a rate limit holds back until later', async () => {
    const id = await broadcast(test, { rateLimit: 1 })
    expect(await stop(id)).to.equal(undefined)
    await deliverDue(test, all.sender)
    expect((await progress(id)).counts).to.include({ pending: 0, accepted: 0 })
  })

  it('cannot be stopped when it is over, twice, or in another app', async () => {
    const id = await broadcast(test)
    expect(await stop(id, test.first.id + 1)).to.equal('not_found')
    expect(await stop(id)).to.equal(undefined)
    expect(await stop(id)).to.equal('bad_request')
    const sent = await broadcast(test)
    await deliverDue(test, all.sender)
    expect(await stop(sent)).to.equal('bad_request')
  })

  it('its report has the reasons in words and what each gateway was sent', async () => {
    const id = await broadcast(test)
    const some = scriptedSender((token) =>
      token.endsWith('1') ? { kind: 'token_dead', reason: 'UNREGISTERED' } : { kind: 'accepted' },
    )
    await deliverDue(test, some.sender)
    const { reasons, platforms, sent } = await test.program.deliveries.report(test.first.id, id)
    const total = platforms.reduce((sum, { audience }) => sum + audience, 0)
    expect(total).to.equal(5)
    expect(reasons[0]).to.include({ outcome: 'failed', kind: 'token_dead', reason: 'UNREGISTERED' })
    expect(reasons[0]!.sentence).to.include('removed from the device')
    expect(sent.map(({ platform }) => platform)).to.deep.equal(['android'])
    expect(JSON.stringify(sent[0]!.request.payload)).to.include('"M"')
  })

  it('is traced for all installs of a user', async () => {
    const id = await broadcast(test)
    await deliverDue(test, all.sender)
    const [install] = await test.program.crm.listInstalls(test.first.id, 0, 1)
    const { userIdentifier } = await test.program.crm.showInstall(test.first.id, install!.installId)
    const traces = await test.program.traces.user(test.first.id, id, userIdentifier)
    expect(traces.map(({ install: name, state }) => ({ name, state }))).to.deep.equal([
      { name: install!.installId, state: 'accepted' },
    ])
  })
})

describe('the speed of a send', () => {
  const of = (pending: number, expected: number | null = 100) => ({
    expected,
    counts: {
      audience: 100,
      pending,
      accepted: 100 - pending,
      failed: 0,
      expired: 0,
      cancelled: 0,
      skipped: 0,
      unknown: 0,
    },
  })

  it('is not known at the first look', () => {
    expect(speedOf([{ at: 0, settled: 10 }], of(90))).to.deep.equal({ perSecond: null, secondsLeft: null })
  })

  it('says how long the rest takes', () => {
    const seen = [
      { at: 0, settled: 10 },
      { at: 2000, settled: 50 },
    ]
    expect(speedOf(seen, of(50))).to.deep.equal({ perSecond: 20, secondsLeft: 3 })
    expect(speedOf(seen, of(50, null))).to.deep.equal({ perSecond: 20, secondsLeft: null })
  })

  it('says nothing about the end while nothing moves', () => {
    const seen = [
      { at: 0, settled: 50 },
      { at: 5000, settled: 50 },
    ]
    expect(speedOf(seen, of(50))).to.deep.equal({ perSecond: 0, secondsLeft: null })
  })

  it('is looked at every second, and less often when a look takes long', () => {
    expect(pauseAfter(0.4)).to.equal(1000)
    expect(pauseAfter(200)).to.equal(20_000)
  })
})
