import { expect } from 'chai'
import { fromMessagesForm, messagesForm } from '../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../src/domain/notifications/types.ts'
import { parseJson } from '../../src/platform/values/parse.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { addInstall } from '../support/installs.ts'
import { onEachDatabase } from '../support/program.ts'

const SUBSCRIBED = 12
const USERS = 6

const content = { title: 'T', message: 'M' }
const everybody = { target: { broadcast: true } }
const later = { sendAt: '2030-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }

/** The doors by which something is sent, with the body for a targeting. */
const DOORS: [string, string, (targeting: object) => object, number][] = [
  ['messages v2', '/messages/v2/notifications', (target) => ({ target, content }), 202],
  ['push v2', '/push/v2/notifications', (target) => ({ target, content }), 202],
  ['flat form', '/push/notifications', (target) => ({ ...target, ...content }), 201],
]

onEachDatabase('sends that must be confirmed', (kind) => {
  let test: TestServer
  let segmentUuid: string
  let channelUuid: string
  before(async () => {
    test = await openTestServer({ kind })
    const { program, first } = test
    for (let i = 0; i < SUBSCRIBED; i++) await addInstall(program, first.id, `phone-${i}`, { user: `user-${i}` })
    await addInstall(program, first.id, 'silent', { subscribed: false })
    for (let i = 0; i < USERS; i++) await addUser(test, `reader-${i}`)
    await addTemplates(test)
    await program.inTransaction(async (tx) => {
      const filter = { field: 'subscribedToPush', op: 'equals', value: true }
      segmentUuid = (await tx.segments.create(first.id, { name: 'Reachable', filter })).uuid
      const channel = await tx.channels.create(first.id, { uuid: 'news' })
      channelUuid = channel.uuid
      const installIds = ['phone-1', 'phone-2', 'phone-3']
      const all = { subscribe: true, all: true }
      await tx.subscriptions.changeSubscribers(first.id, channel.id, { installIds }, all)
      const readers = await tx.channels.create(first.id, { uuid: 'readers' })
      const theirs = ['reader-1-phone', 'reader-4-phone', 'phone-1']
      await tx.subscriptions.changeSubscribers(first.id, readers.id, { installIds: theirs }, all)
    })
  })
  after(() => test.close())

  const confirmAbove = (count: number | null) =>
    test.call('PUT', '/messages/v1/restraint', { body: { confirmAbove: count } })
  const stored = async () => {
    const [notifications, messages] = await Promise.all(
      ['notifications', 'in_app_messages'].map((table) => test.program.kernel.db.read(table).count({ count: '*' })),
    )
    return [Number(notifications![0]!.count), Number(messages![0]!.count)]
  }
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    test.call('POST', path, { body, headers })

  it('is off at first, and what confirm says does not matter then', async () => {
    expect((await test.call('GET', '/messages/v1/restraint')).body).to.have.property('confirmAbove', null)
    for (const [what, path, bodyOf, status] of DOORS) {
      expect((await send(path, bodyOf({ broadcast: true }))).status, what).to.equal(status)
      expect((await send(path, { ...bodyOf({ broadcast: true }), confirm: 1 })).status, what).to.equal(status)
    }
  })

  for (const [what, path, bodyOf, status] of DOORS.slice(1)) {
    it(`${what}: counts who is in one of several groups once`, async () => {
      await confirmAbove(4)
      const both = bodyOf({ channelUuids: [channelUuid], installIds: ['phone-3', 'phone-7', 'phone-8'] })
      const refused = await send(path, both)
      expect(refused.status).to.equal(422)
      expect((refused.body as { errors: { confirm: string[] } }).errors.confirm[0]).to.include('must be 5 or more')
      expect((await send(path, { ...both, confirm: 5 })).status).to.equal(status)
    })
  }

  for (const [what, path, bodyOf, status] of DOORS) {
    it(`${what}: more than the app lets pass is refused with the remedy, nothing is queued, and confirmed it is taken`, async () => {
      await confirmAbove(SUBSCRIBED - 1)
      const before = await stored()
      const refused = await send(path, bodyOf({ broadcast: true }))
      expect(refused.status).to.equal(422)
      expect(refused.body).to.have.property('errors').that.has.all.keys('confirm')
      expect((refused.body as { errors: { confirm: string[] } }).errors.confirm[0])
        .to.include(String(SUBSCRIBED))
        .and.include(`more than ${SUBSCRIBED - 1} must be confirmed`)
      const tooSmall = await send(path, { ...bodyOf({ broadcast: true }), confirm: SUBSCRIBED - 1 })
      expect(tooSmall.body).to.have.property('errors').that.has.all.keys('confirm')
      expect(await stored()).to.deep.equal(before)

      expect((await send(path, { ...bodyOf({ broadcast: true }), confirm: SUBSCRIBED })).status).to.equal(status)
      expect((await send(path, { ...bodyOf({ broadcast: true }), confirm: 1_000_000 })).status).to.equal(status)
      await confirmAbove(SUBSCRIBED)
      expect((await send(path, bodyOf({ broadcast: true }))).status).to.equal(status)
    })
  }

  it('counts whoever would get it: named ones once, users by their phones, channels, segments, without who is left out', async () => {
    const installIds = ['phone-1', 'phone-2', 'phone-2', 'silent', 'nobody']
    const cases: [object, number][] = [
      [{ installIds }, 2],
      [{ installIds, userIds: ['user-2', 'user-3'] }, 3],
      [{ installIds, excludeInstallIds: ['phone-1'] }, 1],
      [{ channelUuids: [channelUuid] }, 3],
      [{ channelUuids: [channelUuid], excludeInstallIds: ['phone-3', 'silent'] }, 2],
      [{ segmentUuid }, SUBSCRIBED],
      [{ segmentUuid, channelUuids: [channelUuid] }, 3],
      [{ broadcast: true, excludeInstallIds: ['phone-1', 'silent'] }, SUBSCRIBED - 1],
    ]
    for (const [target, count] of cases) {
      const what = JSON.stringify(target)
      await confirmAbove(count - 1)
      const refused = await send('/messages/v2/notifications', { target, content })
      expect(refused.body, what).to.have.property('errors').that.has.all.keys('confirm')
      expect((await send('/messages/v2/notifications', { target, content, confirm: count })).status, what).to.equal(202)
      await confirmAbove(count)
      expect((await send('/messages/v2/notifications', { target, content })).status, what).to.equal(202)
    }
  })

  it('holds for what is scheduled, and asks nothing where nobody can be reached or the request is wrong anyway', async () => {
    await confirmAbove(1)
    const path = '/messages/v2/notifications'
    const scheduled = { ...everybody, content, schedule: later }
    expect((await send(path, scheduled)).body)
      .to.have.property('errors')
      .that.has.all.keys('confirm')
    expect((await send(path, { ...scheduled, confirm: SUBSCRIBED })).status).to.equal(202)
    expect((await send(path, { target: { installIds: ['nobody'] }, content })).status).to.equal(400)
    const unknown = await send(path, { target: { segmentUuid: 'none' }, content })
    expect(unknown.body).to.have.property('errors').that.has.all.keys('target.segmentUuid')
    expect((await send(path, { target: { installIds: ['phone-1'] }, content })).status).to.equal(202)
    for (const confirm of [-1, 1.5, '12', null, 3_000_000_000]) {
      const wrong = await send(path, { ...everybody, content, confirm })
      expect(wrong.status, String(confirm)).to.equal(422)
      expect(wrong.body).to.have.property('errors').that.has.all.keys('confirm')
    }
  })

  it('in-app messages count users, named, excluded, of a segment, and with a schedule', async () => {
    const path = '/messages/v1/in-app-messages'
    const cases: [object, number][] = [
      [{ broadcast: true }, USERS],
      [{ broadcast: true, excludeInstallIds: ['reader-1-phone'] }, USERS - 1],
      [{ userIds: ['reader-1', 'reader-2'], installIds: ['reader-2-phone', 'reader-3-phone', 'phone-1'] }, 3],
      [{ channelUuids: ['readers'] }, 2],
      [{ userIds: ['reader-1', 'reader-2'], excludeInstallIds: ['reader-1-phone'] }, 1],
    ]
    for (const [target, count] of cases) {
      const what = JSON.stringify(target)
      await confirmAbove(count - 1)
      const before = await stored()
      const refused = await send(path, inAppBody({ target }))
      expect(refused.body, what).to.have.property('errors').that.has.all.keys('confirm')
      expect(await stored(), what).to.deep.equal(before)
      expect((await send(path, inAppBody({ target, confirm: count }))).status, what).to.equal(202)
      await confirmAbove(count)
      expect((await send(path, inAppBody({ target, schedule: later }))).status, what).to.equal(202)
    }
  })

  it('a refusal leaves the Idempotency-Key unused, and a repeat gets the first answer although the guard came since', async () => {
    await confirmAbove(1)
    const path = '/messages/v2/notifications'
    const body = { ...everybody, content }
    expect((await send(path, body, { 'idempotency-key': 'once' })).status).to.equal(422)
    const first = await send(path, { ...body, confirm: SUBSCRIBED }, { 'idempotency-key': 'once' })
    expect(first.status).to.equal(202)

    await confirmAbove(null)
    const unasked = await send(path, body, { 'idempotency-key': 'before' })
    await confirmAbove(1)
    expect(await send(path, body, { 'idempotency-key': 'before' })).to.deep.include({
      status: 202,
      body: unasked.body,
    })
  })

  it('whoever takes a send without having measured it is held to it as well', async () => {
    await confirmAbove(1)
    const { program, first } = test
    const request = fromMessagesForm(parseJson(messagesForm, { ...everybody, content }))
    const taken = await program
      .inTransaction((tx) => tx.sends.accept(first.id, SOURCE.messages, request))
      .then(
        () => 'taken',
        (error: { details: { fields: object } }) => Object.keys(error.details.fields),
      )
    expect(taken).to.deep.equal(['confirm'])
  })

  it('counts no further than it must', async () => {
    const { audience, inAppReach } = test.program
    const everyone = { kind: 'broadcast' as const, exclude: [] }
    expect(await audience.countUpTo(test.first.id, everyone, SUBSCRIBED)).to.deep.equal({
      recipients: SUBSCRIBED,
      isAll: true,
    })
    expect((await audience.countUpTo(test.first.id, everyone, 1)).isAll).to.equal(false)
    expect((await inAppReach.countUpTo(test.first.id, everyone, 1)).isAll).to.equal(false)
  })

  it('takes numbers that make sense', async () => {
    for (const wrong of [-1, 1.5, '10', 3_000_000_000, {}]) {
      const { status, body } = await confirmAbove(wrong as number)
      expect(status, JSON.stringify(wrong)).to.equal(422)
      expect(body).to.have.property('errors').that.has.all.keys('confirmAbove')
    }
  })
})
