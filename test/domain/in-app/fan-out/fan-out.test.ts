import { expect } from 'chai'
import { stepMessage } from '../../../../src/domain/in-app/fan-out/step.ts'
import { STATUS } from '../../../../src/domain/in-app/types.ts'
import { presentInAppReport } from '../../../../src/present/api/in-app.ts'
import { circle } from '../../../support/geofences.ts'
import { accept, addTemplates, addUser, handOut, holders } from '../../../support/in-app.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('the fan-out of an in-app message', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
  })
  afterEach(() => test.close())

  /** Sends a message to the end of its first walk; returns its id. */
  async function send(extra: object): Promise<number> {
    const { message } = await accept(test, extra)
    await handOut(test)
    return message!.id
  }

  const record = (id: number) => test.program.inApp.get(test.first.id, id)

  it('gives a broadcast to everybody who agreed, once', async () => {
    await addUser(test, 'ann')
    await addUser(test, 'bob')
    await addUser(test, 'cat', { enabled: false })
    const id = await send({})
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob'])
    expect(await record(id)).to.include({ status: STATUS.sent, recipients: 2, skipped: 0, nextAt: null })
  })

  it('fails when none of its recipients agreed to in-app messages', async () => {
    await addUser(test, 'cat', { enabled: false })
    const id = await send({})
    expect(await record(id)).to.include({
      status: STATUS.failed,
      statusReason: 'nobody who is meant has in-app messages enabled',
    })
  })

  it('goes to named users and to the current users of named installs, each once', async () => {
    for (const name of ['ann', 'bob', 'cat', 'dan']) await addUser(test, name)
    const id = await send({ target: { userIds: ['bob', 'ann'], installIds: ['cat-phone', 'ann-phone'] } })
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob', 'cat'])
    expect(await record(id)).to.include({ recipients: 3 })
  })

  it('gives a scheduled message to those who have another one', async () => {
    for (const name of ['ann', 'bob']) await addUser(test, name)
    await send({ target: { userIds: ['ann'] } })
    const id = await send({ schedule: { sendAt: '2026-03-02 18:00', strategy: 'local', pastTimes: 'nextDay' } })
    test.clock.advance(3 * 86_400_000)
    await handOut(test)
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob'])
    expect(await record(id)).to.include({ status: STATUS.sent, recipients: 2, skipped: 0 })
  })

  it('leaves out users who withdrew consent since it was accepted, and takes the current user of an install', async () => {
    for (const name of ['ann', 'bob', 'cat']) await addUser(test, name)
    const { message } = await accept(test, { target: { userIds: ['ann'], installIds: ['bob-phone'] } })
    await setEnabled('ann', false)
    const row = (await test.program.inAppRecipients.namedInstalls(test.first.id, ['bob-phone']))[0]!.id
    test.clock.advance(1000)
    await test.program.inTransaction((tx) =>
      tx.crm.associate(test.first.id, { row, installId: 'bob-phone' }, 'cat', { at: test.clock.now() }),
    )
    await handOut(test)
    expect(await holders(test, message!.id)).to.deep.equal(['cat'])
  })

  async function setEnabled(name: string, enabled: boolean): Promise<void> {
    const { program, first, clock } = test
    const install = (await program.inAppRecipients.namedInstalls(first.id, [`${name}-phone`]))[0]!
    clock.advance(1000)
    await program.inTransaction((tx) =>
      tx.crm.setInAppEnabled(first.id, { row: install.id, installId: install.name }, name, enabled, clock.now()),
    )
  }

  it('leaves out users all of whose installs are excluded, whatever the target, and says so', async () => {
    for (const name of ['ann', 'bob', 'cat']) await addUser(test, name)
    // She has another one, which is not excluded.
    await addInstall(test.program, test.first.id, 'cat-tablet', { user: 'cat' })
    const excludeInstallIds = ['bob-phone', 'cat-phone', 'nobody']
    for (const target of [{ broadcast: true }, { userIds: ['ann', 'bob', 'cat'] }]) {
      const id = await send({ target: { ...target, excludeInstallIds } })
      expect(await holders(test, id)).to.deep.equal(['ann', 'cat'])
      const { counts } = presentInAppReport(await test.program.inApp.report(test.first.id, id))
      expect(counts).to.deep.include({ recipients: 2, skipped: 1, skips: [{ reason: 'excluded', count: 1 }] })
    }
    const id = await send({ target: { userIds: ['bob'], excludeInstallIds } })
    expect(await test.program.inApp.get(test.first.id, id)).to.include({
      status: STATUS.failed,
      statusReason: 'every install of the users who are meant is excluded',
    })
  })

  it('does not count an excluded install among those that match or are named', async () => {
    for (const name of ['ann', 'bob']) await addUser(test, name)
    for (const name of ['ann', 'bob']) await addInstall(test.program, test.first.id, `${name}-tablet`, { user: name })
    const { channel } = await test.program.inTransaction(async (tx) => {
      const channel = await tx.channels.create(test.first.id, { uuid: 'news' })
      const installIds = ['ann-phone', 'bob-phone', 'bob-tablet']
      await tx.subscriptions.changeSubscribers(
        test.first.id,
        channel.id,
        { installIds },
        { subscribe: true, all: true },
      )
      return { channel }
    })
    const excludeInstallIds = ['ann-phone', 'bob-phone']
    const matching = await send({ target: { channelUuids: [channel.uuid], excludeInstallIds } })
    expect(await holders(test, matching)).to.deep.equal(['bob'])
    const named = await send({ target: { installIds: ['ann-phone', 'bob-tablet'], excludeInstallIds } })
    expect(await holders(test, named)).to.deep.equal(['bob'])
  })

  it('goes to users with an install that matches segment, channel and geofence, subscribed to push or not', async () => {
    const { program, first, clock } = test
    for (const name of ['ann', 'bob', 'cat']) await addUser(test, name, { subscribed: name === 'cat' })
    await addUser(test, 'off', { enabled: false })
    const { channel, segment, fence } = await program.inTransaction(async (tx) => {
      for (const name of ['ann', 'bob', 'off']) await tx.crm.putAttributes(first.id, name, { vip: true })
      const filter = { field: 'attributes.vip', op: 'equals', value: true }
      const segment = await tx.segments.create(first.id, { name: 'VIPs', filter })
      const channel = await tx.channels.create(first.id, {
        uuid: 'news',
        name: 'News',
        showInPortal: false,
        meta: null,
      })
      await tx.subscriptions.changeSubscribers(
        first.id,
        channel.id,
        { userIds: ['bob', 'cat', 'off'] },
        { subscribe: true, all: true },
      )
      const fence = await tx.geofences.create(first.id, {
        name: 'Here',
        isEnabled: true,
        tags: [],
        boundsGeoJson: circle([13.4, 52.5], 1000),
      })
      await tx.events.ingest(first.id, 'bob-phone', [
        { type: 'k.engage.locationUpdated', uuid: 'l', timestamp: clock.now(), data: { lat: 52.5, lng: 13.4 } },
      ])
      return { channel, segment, fence }
    })
    const expected: [object, string[]][] = [
      [{ segmentUuid: segment.uuid }, ['ann', 'bob']],
      [{ channelUuids: [channel.uuid] }, ['bob', 'cat']],
      [{ geofenceIds: [fence.id] }, ['bob']],
      [{ geofenceBroadcast: true, channelUuids: [channel.uuid], segmentUuid: segment.uuid }, ['bob']],
    ]
    for (const [target, names] of expected) expect(await holders(test, await send({ target }))).to.deep.equal(names)
    const { message } = await accept(test, { target: { segmentUuid: segment.uuid } })
    const refused = await test.program
      .inTransaction((tx) => tx.segments.delete(first.id, { uuid: segment.uuid }))
      .catch((error: Error) => error)
    expect((refused as Error).message).to.include(`in-app message ${message!.id}`)
  })

  it('leaves out the anonymous user of an install that somebody has signed in on since', async () => {
    const { program, first, clock } = test
    const row = await addInstall(program, first.id, 'phone')
    const install = { row, installId: 'phone' }
    await program.inTransaction(async (tx) => {
      await tx.crm.setInAppEnabled(first.id, install, 'phone', true, clock.now())
      await tx.crm.associate(first.id, install, 'zoe', { at: clock.now() })
      await tx.crm.setInAppEnabled(first.id, install, 'zoe', true, clock.now())
    })
    expect(await holders(test, await send({}))).to.deep.equal(['zoe'])
  })

  it('does not reach users of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await addUser({ ...test, first: other }, 'eve')
    await addUser(test, 'ann')
    expect(await holders(test, await send({}))).to.deep.equal(['ann'])
  })

  describe('step by step', () => {
    const COUNT = 4500

    beforeEach(async () => {
      const { id } = test.first
      const at = { app_id: id, anonymous: false, listed: true, first_active: 0, last_active: 0, created_at: 0 }
      const user = { ...at, updated_at: 0, attributes: '{}', in_app_enabled: true }
      await test.program.kernel.db.write(async (sql) => {
        for (let from = 0; from < COUNT; from += 500) {
          await sql('users').insert(
            Array.from({ length: 500 }, (_, i) => ({ ...user, identifier: `user-${from + i}` })),
          )
        }
      })
    })

    it('neither loses nor repeats users when a step is read and never stored, or stored twice', async () => {
      const { program } = test
      const { message } = await accept(test)
      const { id } = message!
      const read = async () => program.inAppFanOut.read((await program.inAppFanOut.open(id))!)
      const store = (ready: Awaited<ReturnType<typeof read>>) =>
        program.inTransaction((tx) => tx.inAppFanOut.store(ready))
      await read()
      const [one, other] = [await read(), await read()]
      expect(await store(one)).to.equal('more')
      expect(await record(id)).to.include({ status: STATUS.sending, recipients: one.users.length })
      expect(await store(other)).to.equal('lost')
      expect(await store(one)).to.equal('lost')
      await handOut(test)
      expect(await record(id)).to.include({ status: STATUS.sent, recipients: COUNT })
      expect((await holders(test, id)).length).to.equal(COUNT)
    })

    it('stores nothing of a step that was read before the message was withdrawn', async () => {
      const { program } = test
      const { id } = (await accept(test)).message!
      await stepMessage({ read: program, inTransaction: program.inTransaction }, id)
      const before = (await record(id)).recipients
      const ready = await program.inAppFanOut.read((await program.inAppFanOut.open(id))!)
      await program.inTransaction((tx) => tx.inAppMessages.withdraw(id, test.clock.now()))
      expect(await program.inTransaction((tx) => tx.inAppFanOut.store(ready))).to.equal('lost')
      expect(await record(id)).to.include({ status: STATUS.withdrawn, recipients: before, nextAt: null })
      expect((await holders(test, id)).length).to.equal(before)
    })
  })
})
