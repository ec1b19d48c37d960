import { expect } from 'chai'
import { stepRun } from '../../../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../../../src/domain/notifications/schema.ts'
import { SOURCE, STATUS } from '../../../../src/domain/notifications/types.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { itOfShape, onEachDatabase, type TestAppOptions, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => Date.parse(`${text.replace(' ', 'T')}:00Z`)

onEachDatabase('scheduled notifications', (kind) => {
  let test: TestProgram
  let uploads = 0
  /** Tests in which times decide; those that say `it` tell which statements there are. */
  const itHasShape = itOfShape(kind)
  const noon = at('2026-03-01 12:00')

  const openShared = sharedDatabase(kind)
  async function open(options: Pick<TestAppOptions, 'settings'> = {}): Promise<void> {
    test = await openShared(options)
    await addGateway(test)
  }
  beforeEach(() => open())
  afterEach(() => test.close())

  /** Uploads events of a device, now. */
  function upload(installId: string, ...events: { type: string; data?: object; at?: number }[]) {
    const { program, clock, first } = test
    const batch = events.map(({ type, data, at: when = clock.now() }) => {
      return { type, uuid: `u${++uploads}`, timestamp: when, ...(data && { data }) }
    })
    return program.inTransaction((tx) => tx.events.ingest(first.id, installId, batch))
  }
  const inZone = (zone: string | null) => ({
    type: 'k.stats.installTracked',
    data: { device: zone === null ? {} : { tz: zone } },
  })
  const registered = (installId: string) => ({
    type: 'k.push.deviceRegistered',
    data: { token: installId, type: 2 },
  })
  const tell = (installId: string, zone: string | null) => upload(installId, inZone(zone))
  const addInstall = (installId: string, zone: string | null) => upload(installId, inZone(zone), registered(installId))

  async function schedule(extra: object, target: object = { broadcast: true }): Promise<number> {
    const { program, first } = test
    const body = parseJson(messagesForm, { target, content: { title: 'T', message: 'M' }, ...extra })
    const { notification } = await program.inTransaction((tx) =>
      tx.sends.accept(first.id, SOURCE.messages, fromMessagesForm(body)),
    )
    return notification!.id
  }
  const local = (sendAt: string, pastTimes = 'ignore') => ({ schedule: { sendAt, strategy: 'local', pastTimes } })

  /** Lets the time pass to `until`, due instant by due instant; returns who was sent to, with the time of day. */
  async function passTo(until: number): Promise<string[]> {
    const { program, clock } = test
    const sent: string[] = []
    for (;;) {
      const next = await program.ledger.nextRunAt()
      if (next === undefined || next > until) break
      clock.set(Math.max(next, clock.now()))
      sent.push(...(await send()))
    }
    clock.set(until)
    return sent
  }

  async function send(): Promise<string[]> {
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    const time = new Date(test.clock.now()).toISOString().slice(11, 16)
    return sent.sort().map((token) => `${time} ${token}`)
  }

  const report = (id: number) => test.program.notifications.report(test.first.id, id)
  const statusOf = async (id: number) => (await report(id)).notification.status

  it('reach every install at its own local time, once, and are then sent', async () => {
    await addInstall('berlin', 'Europe/Berlin')
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('kathmandu', 'Asia/Kathmandu')
    await addInstall('nowhere', null)
    await addInstall('new-york', 'America/New_York')
    const id = await schedule(local('2026-03-02 09:00'))
    expect(await statusOf(id)).to.equal(STATUS.scheduled)
    expect(await passTo(at('2026-03-02 00:00'))).to.deep.equal(['00:00 tokyo'])
    expect(await statusOf(id)).to.equal(STATUS.sending)
    expect(await passTo(at('2026-03-02 14:00'))).to.deep.equal([
      '03:15 kathmandu',
      '08:00 berlin',
      '09:00 nowhere',
      '14:00 new-york',
    ])
    const { notification, counts } = await report(id)
    expect(notification.status).to.equal(STATUS.sent)
    expect(counts.accepted).to.equal(5)
    // The log shows the end of the notification once.
    const { appId } = notification
    const { events } = await test.program.eventLog.read({ appId, types: ['notification.sent'], limit: 9 })
    expect(events.map(({ data }) => data)).to.deep.equal([{ notificationId: id, reason: null, counts }])
  })

  itHasShape('are sent as soon as all zones in use have been due, whatever other zones exist', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    const id = await schedule(local('2026-03-02 09:00'))
    expect(await passTo(at('2026-03-02 00:00'))).to.deep.equal(['00:00 tokyo'])
    expect(await statusOf(id)).to.equal(STATUS.sent)
    expect(await test.program.ledger.nextRunAt()).to.equal(undefined)
  })

  itHasShape('stay scheduled while due times pass at which nobody is due', async () => {
    await addInstall('berlin', 'Europe/Berlin')
    const id = await schedule(local('2026-03-02 09:00'))
    await passTo(at('2026-03-02 07:00'))
    expect(await statusOf(id)).to.equal(STATUS.scheduled)
  })

  itHasShape('reach an install in the zone where it is at the due time, even if nobody was there before', async () => {
    await addInstall('traveller', 'Europe/Berlin')
    await addInstall('new-york', 'America/New_York')
    await schedule(local('2026-03-02 09:00'))
    test.clock.advance(HOUR)
    await tell('traveller', 'Asia/Kathmandu')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['03:15 traveller', '14:00 new-york'])
  })

  describe('of due times at which nobody is', () => {
    const runsOf = (id: number) => test.program.kernel.db.read('runs').where({ notification_id: id }).orderBy('due_at')
    const instantsOf = async (id: number) =>
      (await test.program.runs.instants(id, { all: true })).map((one) => new Date(one.at).toISOString().slice(5, 16))

    it('share a run, which is put off from one to the next', async () => {
      await addInstall('berlin', 'Europe/Berlin')
      const id = await schedule(local('2026-03-02 09:00'))
      // One for Berlin, one for all others but the last, the last, and one for those who moved.
      expect(await runsOf(id)).to.have.length(4)
      const all = await instantsOf(id)
      expect(all).to.have.length(40).and.to.deep.equal(all.toSorted())
      expect([all[0], all.at(-1)]).to.deep.equal(['03-01T19:00', '03-02T21:00'])
      expect(await passTo(at('2026-03-02 07:00'))).to.deep.equal([])
      expect(await runsOf(id)).to.have.length(4)
      const left = await instantsOf(id)
      expect(left).to.deep.equal(all.slice(-left.length)).and.to.include('03-02T08:00')
      expect(left[0]).to.equal('03-02T08:00')
      expect(await passTo(at('2026-03-02 08:00'))).to.deep.equal(['08:00 berlin'])
      expect(await statusOf(id)).to.equal(STATUS.sent)
      expect(await test.program.ledger.nextRunAt()).to.equal(undefined)
    })

    it('have one of their own where somebody has come, and expire as all do', async () => {
      await addInstall('berlin', 'Europe/Berlin')
      const id = await schedule({ ...local('2026-03-02 09:00'), ttl: 3600 })
      await addInstall('traveller', 'Asia/Kathmandu')
      expect(await passTo(at('2026-03-02 04:00'))).to.deep.equal(['03:15 traveller'])
      const [own] = await runsOf(id).where({ due_at: at('2026-03-02 03:15') })
      expect(own).to.include({ state: 'done', expires_at: at('2026-03-02 04:15') })
      const [shared] = await runsOf(id).where({ state: 'due' })
      expect(shared).to.include({ due_at: at('2026-03-02 04:30'), expires_at: at('2026-03-02 05:30'), begun_at: null })
      const { dueInstants } = await report(id)
      expect(dueInstants.map(({ at: time, zones }) => [time, zones])).to.deep.equal([
        [at('2026-03-02 03:15'), ['Asia/Kathmandu']],
        [at('2026-03-02 08:00'), ['Europe/Berlin']],
      ])
      expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['08:00 berlin'])
      expect((await report(id)).counts).to.include({ audience: 2, accepted: 2 })
    })

    it('are over when all zones in use have been due, also where they come late', async () => {
      await addInstall('tokyo', 'Asia/Tokyo')
      const id = await schedule(local('2026-03-02 09:00'))
      test.clock.set(at('2026-03-02 00:20'))
      expect(await send()).to.deep.equal(['00:20 tokyo'])
      expect(await statusOf(id)).to.equal(STATUS.sent)
      expect(await test.program.ledger.nextRunAt()).to.equal(undefined)
    })

    it('are over then by whichever clock, where several nodes step', async () => {
      const { program, clock } = test
      await addInstall('tokyo', 'Asia/Tokyo')
      const id = await schedule(local('2026-03-02 09:00'))
      clock.set(at('2026-03-02 00:05'))
      const [tokyo] = (await runsOf(id).where({ due_at: at('2026-03-02 00:00') })) as { id: number }[]
      // A node whose clock is ahead takes the last step.
      clock.advance(50)
      const parts = { read: program, inTransaction: program.inTransaction }
      while ((await stepRun(parts, tokyo!.id)) === 'more');
      clock.advance(-50)
      await send()
      expect(await program.ledger.nextRunAt()).to.equal(at('2026-03-02 00:05') + 50)
      clock.advance(50)
      await send()
      expect(await statusOf(id)).to.equal(STATUS.sent)
      expect(await program.ledger.nextRunAt()).to.equal(undefined)
    })

    it('end a send that nobody gets at the first of them', async () => {
      await addInstall('berlin', 'Europe/Berlin')
      const id = await schedule(local('2026-03-02 09:00'))
      await test.program.kernel.db.write((sql) => sql('installs').update({ subscribed: false, token: null }))
      await passTo(at('2026-03-03 00:00'))
      expect((await report(id)).notification.status).to.equal(STATUS.failed)
      expect(await runsOf(id).where({ state: 'due' })).to.deep.equal([])
    })
  })

  it('never reach an install twice that moves west after the send', async () => {
    await addInstall('traveller', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    const id = await schedule(local('2026-03-02 09:00'))
    expect(await passTo(at('2026-03-02 01:00'))).to.deep.equal(['00:00 traveller'])
    await tell('traveller', 'Europe/Berlin')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['08:00 berlin'])
    expect((await report(id)).counts.audience).to.equal(2)
  })

  it('reach at the end an install that moved east past its time', async () => {
    await addInstall('traveller', 'Europe/Berlin')
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('new-york', 'America/New_York')
    const id = await schedule(local('2026-03-02 09:00'))
    expect(await passTo(at('2026-03-02 01:00'))).to.deep.equal(['00:00 tokyo'])
    await tell('traveller', 'Asia/Tokyo')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['14:00 new-york', '14:00 traveller'])
    expect(await statusOf(id)).to.equal(STATUS.sent)
  })

  itHasShape('do not reach an install that was created after its time', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('new-york', 'America/New_York')
    await schedule(local('2026-03-02 09:00'))
    await passTo(at('2026-03-02 01:00'))
    await addInstall('late', 'Asia/Tokyo')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['14:00 new-york'])
  })

  itHasShape('reach only the installs that are named', async () => {
    await addInstall('berlin', 'Europe/Berlin')
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('new-york', 'America/New_York')
    const id = await schedule(local('2026-03-02 09:00'), { installIds: ['tokyo', 'berlin'] })
    expect(await passTo(at('2026-03-02 08:00'))).to.deep.equal(['00:00 tokyo', '08:00 berlin'])
    expect(await statusOf(id)).to.equal(STATUS.sent)
  })

  itHasShape('reach a named install once, even if it moves west after the send', async () => {
    await addInstall('traveller', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    const id = await schedule(local('2026-03-02 09:00'), { installIds: ['traveller', 'berlin'] })
    expect(await passTo(at('2026-03-02 01:00'))).to.deep.equal(['00:00 traveller'])
    await tell('traveller', 'Europe/Berlin')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['08:00 berlin'])
    expect((await report(id)).counts).to.include({ audience: 2, accepted: 2 })
  })

  it('reach at the end a named install that moved east past its time', async () => {
    await addInstall('traveller', 'Europe/Berlin')
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('new-york', 'America/New_York')
    const id = await schedule(local('2026-03-02 09:00'), { installIds: ['traveller', 'tokyo', 'new-york'] })
    expect(await passTo(at('2026-03-02 01:00'))).to.deep.equal(['00:00 tokyo'])
    await tell('traveller', 'Asia/Tokyo')
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['14:00 new-york', '14:00 traveller'])
    expect((await report(id)).counts).to.include({ audience: 3, accepted: 3 })
  })

  it('reach an install that moves to a zone with a later time while the apparently last run is walked', async () => {
    await addInstall('traveller', 'Asia/Tokyo')
    await addInstall('tokyo', 'Asia/Tokyo')
    const id = await schedule(local('2026-03-02 09:00'))
    const { audience } = test.program
    const { step } = audience
    // Everybody was in Tokyo when the run began: it is taken for the last one.
    audience.step = async (...given) => {
      audience.step = step
      await tell('traveller', 'Europe/Berlin')
      return step.apply(audience, given)
    }
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['00:00 tokyo', '08:00 traveller'])
    expect(await statusOf(id)).to.equal(STATUS.sent)
  })

  itHasShape('leave out excluded installs', async () => {
    await addInstall('berlin', 'Europe/Berlin')
    await addInstall('paris', 'Europe/Paris')
    await schedule(local('2026-03-02 09:00'), { broadcast: true, excludeInstallIds: ['paris'] })
    expect(await passTo(at('2026-03-02 20:00'))).to.deep.equal(['08:00 berlin'])
  })

  it('are walked in pages, however many zones share one', async () => {
    await test.close()
    await open({ settings: { 'delivery.pageSize': '3' } })
    const zones = ['Europe/Berlin', 'Europe/Paris', 'Europe/Rome', 'Africa/Lagos']
    for (let i = 0; i < 20; i++) await addInstall(`i${i}`, zones[i % zones.length]!)
    const id = await schedule(local('2026-03-02 09:00'))
    expect(await passTo(at('2026-03-02 20:00'))).to.have.length(20)
    expect((await report(id)).counts).to.include({ audience: 20, accepted: 20 })
  })

  itHasShape('skip the zones where the time has passed and say so', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    const id = await schedule(local('2026-03-01 20:00'))
    expect(await send()).to.deep.equal([])
    expect(await statusOf(id)).to.equal(STATUS.scheduled)
    expect(await passTo(at('2026-03-03 00:00'))).to.deep.equal(['19:00 berlin'])
    const { notification, counts, skips } = await report(id)
    expect(notification.status).to.equal(STATUS.sent)
    expect(counts).to.include({ audience: 2, accepted: 1, skipped: 1 })
    expect(skips).to.deep.equal([{ reason: 'past_time', count: 1 }])
  })

  itHasShape('move the zones where the time has passed to the next day', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    await schedule(local('2026-03-01 20:00', 'nextDay'))
    expect(await passTo(at('2026-03-03 00:00'))).to.deep.equal(['19:00 berlin', '11:00 tokyo'])
  })

  it('fail with the reason when the time had passed for everybody', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    const utc = await schedule({ schedule: { sendAt: '2026-03-01 11:00', strategy: 'utc', pastTimes: 'ignore' } })
    const everywhere = await schedule(local('2026-03-01 20:00'))
    expect(await send()).to.deep.equal([])
    for (const id of [utc, everywhere]) {
      const { notification, counts } = await report(id)
      expect(notification.status).to.equal(STATUS.failed)
      expect(notification.statusReason).to.include('had passed')
      expect(counts).to.include({ audience: 1, skipped: 1 })
    }
  })

  it('are due at the same moment everywhere with the strategies utc and timezone', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    const pastTimes = 'ignore'
    await schedule({ schedule: { sendAt: '2026-03-01 15:00', strategy: 'utc', pastTimes } })
    await schedule({
      schedule: { sendAt: '2026-03-02 07:00', strategy: 'timezone', timezone: 'Asia/Kolkata', pastTimes },
    })
    expect(await passTo(at('2026-03-02 02:00'))).to.deep.equal([
      '15:00 berlin',
      '15:00 tokyo',
      '01:30 berlin',
      '01:30 tokyo',
    ])
  })

  itHasShape('expire after their ttl, counted from each due time', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('new-york', 'America/New_York')
    const id = await schedule({ ...local('2026-03-02 09:00'), ttl: 60 })
    test.clock.set(at('2026-03-02 00:00'))
    await fanOut(test)
    test.clock.advance(61_000)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    expect(sent).to.deep.equal([])
    expect(await passTo(at('2026-03-02 14:00'))).to.deep.equal(['14:00 new-york'])
    expect((await report(id)).counts).to.include({ accepted: 1, expired: 1 })
  })

  itHasShape('are sent late when the server was down for a while', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    const id = await schedule(local('2026-03-02 09:00'))
    test.clock.set(at('2026-03-02 01:00'))
    expect(await send()).to.deep.equal(['01:00 tokyo'])
    expect(await statusOf(id)).to.equal(STATUS.sent)
  })

  it('are missed when the server was down for longer than the setting allows', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    const id = await schedule(local('2026-03-02 09:00'))
    test.clock.set(at('2026-03-02 01:00') + 1)
    expect(await send()).to.deep.equal([])
    const { notification, counts, expiries } = await report(id)
    expect(notification).to.include({ status: STATUS.failed })
    expect(notification.statusReason).to.include('missed')
    expect(counts).to.include({ audience: 1, expired: 1 })
    expect(expiries).to.deep.equal([{ reason: 'missed', count: 1 }])
  })

  itHasShape('go out at the hour that each user prefers, at the usual hour of the app to the others', async () => {
    await addInstall('early', 'Europe/Berlin')
    await addInstall('late', 'Asia/Tokyo')
    await addInstall('late-too', 'Asia/Tokyo')
    await addInstall('unknown', 'Europe/Berlin')
    for (let day = 1; day <= 3; day++) {
      // 07:15 in Berlin, 22:40 in Tokyo.
      await upload('early', { type: 'k.fg', at: at('2026-02-20 06:15') + day * 24 * HOUR })
      await upload('late', { type: 'k.fg', at: at('2026-02-20 13:40') + day * 24 * HOUR })
      await upload('late-too', { type: 'k.message.opened', at: at('2026-02-20 13:40') + day * 24 * HOUR })
    }
    await schedule({ schedule: { sendAt: '2026-03-03', strategy: 'intelligent', pastTimes: 'ignore' } })
    expect(await passTo(at('2026-03-04 12:00'))).to.deep.equal([
      '06:00 early',
      '13:00 late',
      '13:00 late-too',
      '21:00 unknown',
    ])
  })

  it('go out at the next preferred hour with intelligent delivery', async () => {
    await addInstall('early', 'Europe/Berlin')
    await upload('early', { type: 'k.fg', at: noon - 30 * HOUR })
    await addInstall('unknown', 'Europe/London')
    // 06:00 in UTC is 07:00 in Berlin, the one hour that is known.
    await schedule({ intelligentDelivery: true })
    expect(await passTo(at('2026-03-03 00:00'))).to.deep.equal(['06:00 early', '07:00 unknown'])
  })

  it('never reach a user twice whose preferred hour moves on', async () => {
    await addInstall('user', 'UTC')
    await addInstall('other', 'UTC')
    await upload('user', { type: 'k.fg', at: at('2026-02-20 09:30') })
    await upload('other', { type: 'k.fg', at: at('2026-02-20 23:30') })
    const id = await schedule({ schedule: { sendAt: '2026-03-03', strategy: 'intelligent', pastTimes: 'ignore' } })
    expect(await passTo(at('2026-03-03 10:00'))).to.deep.equal(['09:00 user'])
    await upload('user', { type: 'k.fg', at: at('2026-03-01 20:30') }, { type: 'k.fg', at: at('2026-03-02 20:30') })
    expect(await passTo(at('2026-03-04 12:00'))).to.deep.equal(['23:00 other'])
    expect((await report(id)).counts).to.include({ audience: 2, accepted: 2 })
  })

  itHasShape('show their schedule and due times in the report', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await addInstall('berlin', 'Europe/Berlin')
    const id = await schedule(local('2026-03-02 09:00'))
    await passTo(at('2026-03-02 00:00'))
    const { notification, dueInstants } = await report(id)
    expect(notification.schedule).to.deep.equal({
      strategy: 'local',
      sendAt: '2026-03-02 09:00',
      pastTimes: 'ignore',
    })
    expect(dueInstants).to.deep.equal([
      { at: at('2026-03-02 00:00'), kind: 'send', state: 'done', zones: ['Asia/Tokyo'], movedFrom: null },
      { at: at('2026-03-02 08:00'), kind: 'send', state: 'due', zones: ['Europe/Berlin'], movedFrom: null },
    ])
  })

  itHasShape('wait while the clock cannot be trusted, and immediate ones do not', async () => {
    await addInstall('tokyo', 'Asia/Tokyo')
    await schedule({ schedule: { sendAt: '2026-03-01 12:00', strategy: 'utc', pastTimes: 'ignore' } })
    const now = await schedule({})
    const { ledger } = test.program
    expect(await ledger.dueRuns(test.clock.now(), 10)).to.have.length(2)
    const held = await ledger.dueRuns(test.clock.now(), 10, true)
    expect(await Promise.all(held.map(async (run) => (await ledger.lockRun(run))!.notificationId))).to.deep.equal([now])
  })
})
