import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Appliance, acceptInThreeZones, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { needs } from '../support/needs.ts'
import { PROGRAMS_MS } from '../support/programs.ts'

const androids = 300
const JUMPED = '"msg":"the clock jumped'
const RIGHT_AGAIN = '"msg":"over: the clock jumped'

/** A real server whose clock is set by another hand while scheduled sends wait (libfaketime; skipped where there is none). */
describe('a clock that is set', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  let file: string
  let library: string
  before(async function () {
    library = needs(this, 'libfaketime')
    one = await openAppliance({ androids, environment: { APPSVC_LOG_LEVEL: 'info' } })
    file = join(one.dir, 'clock')
    // A channel without subscribers: what is sent to it goes through the dispatcher and no further.
    await one.inside((program) => program.inTransaction((tx) => tx.channels.create(one.first.id, { uuid: 'nobody' })))
  })
  after(() => one?.close())

  /** By how much the server's clock is wrong, as libfaketime writes it. */
  const set = (offset: string) => writeFileSync(file, offset)

  /** Makes it as if the server had never run on this machine. */
  const forget = () => rmSync(join(one.dir, 'appsvc.clock'), { force: true })

  const start = (offset: string) => {
    set(offset)
    return one.start({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    })
  }

  /** Resolves when the dispatcher has taken a turn, by the clock as it is now. */
  async function turn(): Promise<void> {
    const target = { channelUuids: ['nobody'] }
    const body = { target, content: { title: 'Title', message: 'Message' } }
    const { body: answer } = await one.call('POST', '/messages/v2/notifications', body)
    await one.finished((answer as { notification: { id: number } }).notification.id)
  }

  /** Sets the clock and resolves when the server has said what it makes of that. */
  async function setUntil(offset: string, said: string): Promise<void> {
    const times = () => one.log().split(said).length
    const before = times()
    set(offset)
    await eventually(async () => times() > before, said)
    await turn()
  }

  const sent = () => one.sandbox.counts().requests

  it('sends nothing early and nothing twice', async () => {
    const id = await acceptInThreeZones(one)
    // For this clock the send is an hour ahead.
    forget()
    await start('-2h')
    await turn()
    await setUntil('+2h', JUMPED)
    expect([(await one.report(id)).status, sent()], 'held while the clock is ahead').to.deep.equal([0, 0])
    await setUntil('-2h', RIGHT_AGAIN)
    expect([(await one.report(id)).status, sent()], 'not due when it is back').to.deep.equal([0, 0])
    await setUntil('-4h', JUMPED)
    expect([(await one.report(id)).status, sent()], 'held while the clock is behind').to.deep.equal([0, 0])
    await one.stop()

    // A machine of which nothing is known trusts its clock: now it is due.
    forget()
    await start('+0')
    const { counts } = await one.finished(id)
    expect(counts).to.include({ audience: androids, accepted: androids, pending: 0, expired: 0 })
    expect(receptions(one.sandbox, tokensOf(androids), id)).to.deep.equal({ lost: 0, extra: 0 })
    for (const offset of ['-2h', '+2h']) {
      await setUntil(offset, JUMPED)
      await setUntil('+0', RIGHT_AGAIN)
    }
    await one.stop()
    await start('-2h')
    await turn()
    expect(sent(), 'nobody got it twice').to.equal(androids)
    expect((await one.report(id)).status).to.equal(3)
    await one.stop()
  })

  /** Compares two clocks of the server: of a new row, and of the answer to it. */
  async function createdAt(): Promise<number> {
    const { body } = await one.call('POST', '/messages/v2/notifications', {
      target: { channelUuids: ['nobody'] },
      content: { title: 'Title', message: 'Message' },
    })
    const report = await one.finished((body as { notification: { id: number } }).notification.id)
    return Date.parse(report.createdAt)
  }

  it('ends and deletes nothing that is not over, and shows no wrong time', async () => {
    await start('+0')
    const begun = Date.now()
    const key = { 'Idempotency-Key': 'a-key-of-today' }
    const body = { target: { channelUuids: ['nobody'] }, content: { title: 'Title', message: 'Message' } }
    const send = async () =>
      ((await one.call('POST', '/messages/v2/notifications', body, key)).body as { notification: { id: number } })
        .notification.id
    const id = await send()
    for (const offset of ['+400d', '-400d', '+25h']) {
      // At once, before anybody has looked.
      set(offset)
      expect(await send(), offset).to.equal(id)
      expect((await createdAt()) - begun, offset).to.be.within(-1000, PROGRAMS_MS)
    }
    await one.stop()
    // A start with a wrong clock, and a command beside it.
    await start('+400d')
    expect(one.log()).to.contain('"msg":"the clock jumped 34560000 s ahead')
    expect(await send()).to.equal(id)
    expect((await createdAt()) - begun).to.be.within(-1000, PROGRAMS_MS)
    await one.stop()
  })
})

/** On PostgreSQL a machine of which nothing is known asks the database, whose clock is another one. */
describe('a clock that is not the one of the database', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  let library: string
  before(async function () {
    library = needs(this, 'libfaketime')
    one = await openAppliance({ androids: 3, kind: 'postgres', environment: { APPSVC_LOG_LEVEL: 'info' } })
  })
  after(() => one?.close())

  it('is not used, and sends go on by the one of the database', async () => {
    const begun = Date.now()
    rmSync(join(one.dir, 'appsvc.clock'), { force: true })
    await one.start({
      LD_PRELOAD: library,
      FAKETIME: '+25h',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    })
    expect(one.log()).to.contain('"msg":"the clock is 90000 s ahead of the clock of the database')
    const { counts, createdAt } = await one.finished(await one.broadcast())
    expect(counts).to.include({ accepted: 3, expired: 0 })
    expect(Date.parse(createdAt) - begun).to.be.within(-1000, PROGRAMS_MS)
    await one.stop()
  })
})
