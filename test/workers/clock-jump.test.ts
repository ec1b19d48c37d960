import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Appliance, acceptInThreeZones, openAppliance, receptions, tokensOf } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { skip } from '../support/skip.ts'

/** Debian: apt install faketime. */
const [library] = globSync('/usr/{lib,lib64,local/lib}/{,*/}faketime/libfaketimeMT.so.1')

const androids = 300
const JUMPED = '"msg":"the clock jumped'
const RIGHT_AGAIN = '"msg":"over: the clock jumped'

/** A real server whose clock is set by another hand while scheduled sends wait (libfaketime; skipped where there is none). */
describe('a clock that is set', function () {
  this.timeout(PROGRAMS_MS)
  let one: Appliance
  let file: string
  before(async function () {
    if (library === undefined) skip(this, 'there is no libfaketime (Debian: apt install libfaketime)')
    one = await openAppliance({ androids, environment: { APPSVC_LOG_LEVEL: 'info' } })
    file = join(one.dir, 'clock')
    // A channel without subscribers: what is sent to it goes through the dispatcher and no further.
    await one.inside((app) => app.inTransaction((tx) => tx.channels.create(one.first.id, { uuid: 'nobody' })))
  })
  after(() => one?.close())

  /** By how much the server's clock is wrong, as libfaketime writes it. */
  const set = (offset: string) => writeFileSync(file, offset)

  const start = (offset: string) => {
    set(offset)
    return one.start({
      LD_PRELOAD: library!,
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
    await start('-2h')
    await turn()
    await setUntil('+2h', JUMPED)
    expect([(await one.report(id)).status, sent()], 'held while the clock is ahead').to.deep.equal([0, 0])
    await setUntil('-2h', RIGHT_AGAIN)
    expect([(await one.report(id)).status, sent()], 'not due when it is back').to.deep.equal([0, 0])
    await setUntil('-4h', JUMPED)
    expect([(await one.report(id)).status, sent()], 'held while the clock is behind').to.deep.equal([0, 0])
    await one.stop()

    // A start trusts the clock: now it is due.
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
})
