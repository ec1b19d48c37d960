import { expect } from 'chai'
import { stepMessage } from '../../../../src/domain/in-app/fan-out/step.ts'
import { fromInAppForm, inAppForm } from '../../../../src/domain/in-app/request/request.ts'
import { STATUS as IN_APP, SOURCE } from '../../../../src/domain/in-app/types.ts'
import { withdrawMessage } from '../../../../src/domain/in-app/withdraw.ts'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import { STATUS } from '../../../../src/domain/notifications/types.ts'
import { type Edit, SEND_NOW } from '../../../../src/domain/schedules/edit.ts'
import { sendMessage } from '../../../../src/domain/series/send.ts'
import type { ContentDocument, Tag } from '../../../../src/domain/templates/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { createProgram } from '../../../../src/program.ts'
import { aside } from '../../../support/aside.ts'
import { chance, seedOf } from '../../../support/chance.ts'
import { testClock } from '../../../support/clock.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { many } from '../../../support/depth.ts'
import { addGateway } from '../../../support/gateways.ts'
import { hear } from '../../../support/hear.ts'
import { accept, addTemplates, addUser, handOut, holders, inAppBody } from '../../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const RACES = many(30, { long: 400 })
const SEED = seedOf(20_261_130)
const HOUR_MS = 3_600_000
const NOON = Date.parse('2026-03-01T12:00:00Z')
const utc = (sendAt = '2026-03-01 12:30') => ({ sendAt, strategy: 'utc', pastTimes: 'ignore' })
const local = (sendAt: string) => ({ sendAt, strategy: 'local', pastTimes: 'ignore' })
const PUSH = { notification: { title: 'News', message: 'Look inside' } }
const HELLO = { template: 'hello', content: { Name: 'Ann' } }

onEachDatabase('editing a scheduled in-app message', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
    await addGateway(test)
    await addUser(test, 'ann', { subscribed: true })
    await addUser(test, 'bob', { subscribed: true })
  })
  afterEach(() => test.close())

  async function send(extra: object = {}): Promise<number> {
    return (await accept(test, { schedule: utc(), ...extra })).message!.id
  }

  const edit = (id: number, change: Edit, appId = test.first.id) =>
    test.program.inTransaction((tx) => tx.inAppEdits.edit(appId, id, change))

  /** The message of the refusal; it has this code. Empty when there is none. */
  async function refusal(of: Promise<unknown>, code: string): Promise<string> {
    try {
      await of
      return ''
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      expect(error.code, error.message).to.equal(code)
      return code === 'invalid' ? JSON.stringify(error.details.fields) : error.message
    }
  }

  const find = (id: number) => test.program.inApp.get(test.first.id, id)
  const pushOf = async (id: number) => test.program.notifications.get(test.first.id, (await find(id)).notificationId!)
  const words = async (id: number) => JSON.stringify((await find(id)).content.frame.nodes)

  /** The documents that a user is shown, as JSON. */
  async function shownTo(name: string, { program } = test): Promise<string> {
    const messages = await collect(await program.inAppSync.messages(test.first.id, name, undefined))
    return JSON.stringify(messages.map(({ content }) => content))
  }

  /** Everything that is due is handed out and pushed; the titles of the pushes with their tokens. */
  async function deliver(): Promise<string[]> {
    const titles: string[] = []
    const { sender, sent } = scriptedSender((_, { content }) => {
      titles.push(content.title)
      return { kind: 'accepted' }
    })
    await handOut(test)
    await fanOut(test)
    await deliverDue(test, sender)
    return sent.map((token, i) => `${token} ${titles[i]}`).sort()
  }

  it('changes what it says, to whom and when, and leaves the rest alone', async () => {
    const id = await send({
      ...HELLO,
      data: { a: 1 },
      inbox: { title: 'In', subtitle: '', from: '2026-03-01T13:00:00Z', imageUrl: 'https://p.example/a.png' },
      labels: ['spring', 'old'],
      ttl: { expiresIn: 36, units: 'h' },
    })
    const before = await find(id)
    test.clock.advance(60_000)
    await edit(id, { content: { Name: 'Bob' }, target: { userIds: ['bob'] }, labels: ['spring', 'new'] })
    await edit(id, { schedule: utc('2026-03-01 13:00') })
    const after = await find(id)
    expect(after).to.deep.equal({
      ...before,
      tagValues: { Name: 'Bob' },
      content: { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello Bob' }] } },
      filters: { userIds: ['bob'] },
      labels: ['new', 'spring'],
      schedule: utc('2026-03-01 13:00'),
      nextAt: NOON + HOUR_MS,
      // The second of two edits at the same time is the later one.
      editedAt: NOON + 60_001,
      updatedAt: NOON + 60_001,
    })
    const labelled = async (label: string) =>
      (await test.program.inApp.list(test.first.id, { limit: 5, label })).messages.map((one) => one.id)
    expect([await labelled('old'), await labelled('new')]).to.deep.equal([[], [id]])
    test.clock.set(NOON + HOUR_MS - 1)
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal([])
    test.clock.advance(1)
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['bob'])
    expect(await shownTo('bob')).to.include('Hello Bob')
    expect((await find(id)).status).to.equal(IN_APP.sent)
  })

  it('takes out what is null', async () => {
    const id = await send({ data: { a: 1 }, inbox: { title: 'In', subtitle: '' }, labels: ['x'] })
    await edit(id, { data: null, inbox: null, labels: null })
    expect(await find(id)).to.include({ data: null, inbox: null, labels: null })
    await edit(id, { presentedWhen: 'never', ttl: null })
    expect(await find(id)).to.include({ presentedWhen: 'never', ttlMs: null })
  })

  it('leaves alone an empty content and the fractions of seconds of the inbox', async () => {
    const tags: Tag[] = [{ title: 'More', type: 'text', required: false, default: 'Bye' }]
    const content: ContentDocument = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'text', text: '{{More}}' }] } }
    await test.program.inTransaction((tx) =>
      tx.templates.create(test.first.id, { uid: 'optional', content, tags, sample: {} }),
    )
    const hours = { from: '2026-03-01T13:00:00.250Z', to: '2026-03-01T13:00:00.750Z' }
    const id = await send({ template: 'optional', content: {}, inbox: { title: 'In', subtitle: '', ...hours } })
    const { inbox } = await find(id)
    await edit(id, { languages: { de: { More: 'Tschüss' } } })
    expect(await find(id)).to.deep.include({ inbox, tagValues: {} })
    expect(await refusal(edit(id, { content: null }), 'invalid')).to.contain('"content":["is required')
  })

  it('sends it now without a time, once, with its push', async () => {
    for (const time of [{ schedule: utc() }, { schedule: local('2026-03-03 09:00') }, { intelligentDelivery: true }]) {
      const id = await send({ ...PUSH, schedule: undefined, ...time })
      expect(await deliver()).to.deep.equal([])
      await edit(id, SEND_NOW)
      expect((await pushOf(id)).dueAt).to.equal(null)
      expect(await deliver()).to.deep.equal(['token-ann-phone News', 'token-bob-phone News'])
      expect(await holders(test, id)).to.deep.equal(['ann', 'bob'])
      expect(await refusal(edit(id, SEND_NOW), 'conflict')).to.contain('was sent and cannot be edited')
      test.clock.advance(72 * HOUR_MS)
      expect(await deliver()).to.deep.equal([])
      test.clock.set(NOON)
    }
  })

  it('lets a schedule and the hour of each person take the place of each other', async () => {
    const id = await send()
    await edit(id, { intelligentDelivery: true })
    expect((await find(id)).schedule).to.deep.include({ strategy: 'preferredHour' })
    await edit(id, { schedule: utc() })
    // It says no other time, and must not send at once.
    await edit(id, { intelligentDelivery: false })
    expect((await find(id)).schedule).to.deep.equal(utc())
  })

  it('is possible while walks only came for time zones in which nobody is, and starts afresh then', async () => {
    await test.program.inTransaction((tx) =>
      tx.inAppEdits.edit(test.first.id, 0, {}).catch((error: AppError) => expect(error.code).to.equal('not_found')),
    )
    await addUser(test, 'eve', { timezone: 'Europe/Berlin' })
    await test.program.kernel.db.write((sql) =>
      sql('installs').update({ timezone: 'Europe/Berlin', zone_changed_at: 0 }),
    )
    const id = await send({ schedule: local('2026-03-02 07:00') })
    // Seven in Kiribati, the first in the east.
    test.clock.set(Date.parse('2026-03-01T17:00:00Z'))
    // Its due time has come where nobody is.
    await edit(id, { data: { step: 1 } })
    await handOut(test)
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    await handOut(test)
    await edit(id, { data: { step: 2 } })
    expect(await holders(test, id)).to.deep.equal([])
    test.clock.set(Date.parse('2026-03-02T06:00:00Z'))
    expect(await refusal(edit(id, { data: null }), 'conflict')).to.contain('has come')
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob', 'eve'])
    expect((await find(id)).data).to.deep.equal({ step: 2 })
    expect(await refusal(edit(id, { data: null }), 'conflict')).to.contain('cannot be edited')
  })

  it('leaves out nobody who came to a zone after its time had passed there, unless time or target change', async () => {
    const zones = { ann: 'Europe/Berlin', bob: 'Europe/Berlin' }
    for (const [name, timezone] of Object.entries(zones)) {
      await test.program.kernel.db.write((sql) =>
        sql('installs')
          .where({ install_id: `${name}-phone` })
          .update({ timezone, zone_changed_at: 0 }),
      )
    }
    const send = async () => (await accept(test, { schedule: local('2026-03-02 07:00') })).message!.id
    const [plain, edited, twice, retimed] = [await send(), await send(), await send(), await send()]
    // Seven in Tokyo, where nobody is yet, and then somebody is.
    test.clock.set(Date.parse('2026-03-01T22:30:00Z'))
    await handOut(test)
    await addUser(test, 'eve', { timezone: 'Asia/Tokyo' })
    test.clock.advance(60_000)
    for (const id of [edited, twice]) await edit(id, { data: { step: 1 } })
    await edit(retimed, { schedule: local('2026-03-02 07:30') })
    test.clock.set(Date.parse('2026-03-02T00:30:00Z'))
    await handOut(test)
    await edit(twice, { data: { step: 2 } })
    test.clock.set(Date.parse('2026-03-02T06:30:00Z'))
    await handOut(test)
    for (const id of [plain, edited, twice]) expect(await holders(test, id)).to.deep.equal(['ann', 'bob', 'eve'])
    expect(await holders(test, retimed)).to.deep.equal(['ann', 'bob'])
    for (const id of [plain, edited, twice, retimed]) expect((await find(id)).status).to.equal(IN_APP.sent)
  })

  it('computes due times from the edit, not from when it was made', async () => {
    await test.program.kernel.db.write((sql) =>
      sql('installs').where({ install_id: 'ann-phone' }).update({ timezone: 'Asia/Tokyo', zone_changed_at: 0 }),
    )
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    const id = await send({ schedule: local('2026-03-03 09:00') })
    await handOut(test)
    // Nine in Tokyo is over when it is edited, and was not when it was accepted.
    test.clock.set(Date.parse('2026-03-02T01:00:00Z'))
    await edit(id, { schedule: { ...local('2026-03-02 09:00'), pastTimes: 'nextDay' } })
    test.clock.set(Date.parse('2026-03-02T09:00:00Z'))
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['bob'])
    test.clock.set(Date.parse('2026-03-03T00:00:00Z'))
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal(['ann', 'bob'])
    test.clock.advance(30 * HOUR_MS)
    await handOut(test)
    expect((await find(id)).status).to.equal(IN_APP.sent)
  })

  it('brings its push in step: time, labels, target and words', async () => {
    const id = await send({ ...PUSH, labels: ['a'] })
    const before = await pushOf(id)
    await edit(id, { schedule: utc('2026-03-01 13:00'), labels: ['b'], ttl: { expiresIn: 1, units: 'h' } })
    const moved = await pushOf(id)
    expect(moved).to.deep.include({
      id: before.id,
      content: before.content,
      schedule: utc('2026-03-01 13:00'),
      dueAt: NOON + HOUR_MS,
      expiresAt: NOON + 2 * HOUR_MS,
      labels: ['b'],
      status: STATUS.scheduled,
    })
    await edit(id, { notification: { title: 'Newer', message: 'Look' }, target: { userIds: ['bob'] } })
    expect(await pushOf(id)).to.deep.include({ id: before.id, filters: { userIds: ['bob'] } })
    test.clock.set(NOON + HOUR_MS / 2)
    expect(await deliver()).to.deep.equal([])
    test.clock.set(NOON + HOUR_MS)
    expect(await deliver()).to.deep.equal(['token-bob-phone Newer'])
    expect((await pushOf(id)).status).to.equal(STATUS.sent)
  })

  it('takes a push that it did not have, and gives up the one that it has', async () => {
    const id = await send()
    await edit(id, PUSH)
    const first = await pushOf(id)
    await edit(id, { notification: null })
    expect(await find(id)).to.include({ notification: null, notificationId: null })
    expect(await test.program.notifications.get(test.first.id, first.id)).to.include({
      status: STATUS.cancelled,
      statusReason: 'its in-app message goes out without it',
    })
    await edit(id, { notification: { title: 'Again', message: 'x' } })
    test.clock.set(NOON + HOUR_MS)
    expect(await deliver()).to.deep.equal(['token-ann-phone Again', 'token-bob-phone Again'])
  })

  it('leaves a push alone that was cancelled by itself, unless its words are named', async () => {
    const { program, first, clock } = test
    const id = await send(PUSH)
    const push = await pushOf(id)
    await cancelNotification({ read: program, inTransaction: program.inTransaction, clock }, first.id, push.id)
    await edit(id, { data: { a: 1 }, personalize: {} })
    expect(await pushOf(id)).to.include({ id: push.id, status: STATUS.cancelled })
    expect(await program.ledger.hasDueRun(push.id)).to.equal(false)
    await edit(id, { notification: { title: 'New', message: 'x' } })
    expect((await pushOf(id)).id).not.to.equal(push.id)
    clock.set(NOON + HOUR_MS)
    expect(await deliver()).to.deep.equal(['token-ann-phone New', 'token-bob-phone New'])
  })

  it('keeps what the push of a push template says, unless it is named', async () => {
    const { program, first } = test
    const template = {
      name: 'Offer',
      uid: 'offer',
      body: { content: { title: 'A', message: 'B', url: 'https://a.example' } },
    }
    await program.inTransaction((tx) => tx.pushTemplates.create(first.id, template))
    const id = await send({ notification: { template: 'offer' } })
    const before = await pushOf(id)
    await program.inTransaction(async (tx) => {
      await tx.pushTemplates.update(first.id, 'offer', { body: { content: { title: 'C', message: 'B' } } })
    })
    await edit(id, { personalize: {}, content: {} })
    expect((await pushOf(id)).content).to.deep.equal(before.content)
    await edit(id, { notification: { template: 'offer' } })
    expect((await pushOf(id)).content).to.deep.include({ title: 'C', template: { uid: 'offer', version: 2 } })
    await program.inTransaction((tx) => tx.pushTemplates.delete(first.id, 'offer'))
    await edit(id, { schedule: utc('2026-03-01 12:40') })
    expect((await pushOf(id)).content.title).to.equal('C')
    expect(await refusal(edit(id, { notification: { template: 'offer' } }), 'invalid')).to.contain('push template')
  })

  it('writes texts into the version of the template that it has, and takes the newest where it is named', async () => {
    const { program, first } = test
    const id = await send(HELLO)
    const content: ContentDocument = {
      ver: 1,
      frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Ciao {{Name}}' }] },
    }
    await program.inTransaction((tx) => tx.templates.update(first.id, 'hello', { content }))
    await edit(id, { content: { Name: 'Bob' } })
    expect(await words(id)).to.include('Hello Bob')
    await edit(id, { template: 'hello' })
    expect(await words(id)).to.include('Ciao Bob')
    expect((await find(id)).templateVersion).to.equal(2)
    await program.inTransaction((tx) => tx.templates.delete(first.id, 'hello'))
    await edit(id, { schedule: utc('2026-03-01 12:40'), data: { a: 1 }, inbox: { title: 'In', subtitle: '' } })
    expect(await words(id)).to.include('Ciao Bob')
    expect(await refusal(edit(id, { content: { Name: 'Eve' } }), 'invalid')).to.contain('was deleted: give another')
    expect(await refusal(edit(id, { template: 'hello' }), 'not_found')).to.contain('there is no template')
    await edit(id, { template: 'plain', content: null })
    expect(await find(id)).to.deep.include({ template: 'plain', tagValues: {} })
  })

  it('changes the texts of each person, and keeps them when it changes its time', async () => {
    const id = await send({
      ...HELLO,
      content: { Name: '{{ user.identifier }}' },
      personalize: {},
      languages: { de: { Name: 'Anna' } },
      inbox: { title: 'For {{ user.identifier }}', subtitle: '' },
    })
    const before = await find(id)
    await edit(id, { schedule: utc('2026-03-01 12:40') })
    expect((await find(id)).personal).to.deep.equal(before.personal)
    await edit(id, { inbox: { title: 'To {{ user.identifier }}', subtitle: '' } })
    expect(await refusal(edit(id, { inbox: { title: '{{ user.', subtitle: '' } }), 'invalid')).to.contain('inbox.title')
    await edit(id, { content: { Name: 'dear {{ user.identifier }}' }, languages: null })
    test.clock.set(NOON + HOUR_MS)
    await handOut(test)
    expect(await shownTo('ann')).to.include('Hello dear ann')
    await edit(await send({ schedule: utc('2026-03-02 09:00') }), { personalize: {}, content: {} })
  })

  it('refuses what a new one would be refused for, and changes nothing', async () => {
    const id = await send({ ...HELLO, ...PUSH })
    const before = [await find(id), await pushOf(id)]
    const wrong: [Edit, RegExp, string?][] = [
      [{ contents: {} }, /"contents":\["is no key of the request of an in-app message/],
      [{ cron: '0 9 * * *' }, /"cron":\["belongs into schedule/],
      [{ status: 4 }, /"status":/],
      [{ content: null }, /"content":\["is required/],
      [{ content: { Nam: 'x' } }, /content.Nam/],
      [{ content: 'T' }, /"content":/],
      [{ template: null }, /"template/],
      [{ template: 'gone' }, /there is no template/, 'not_found'],
      [{ target: null }, /"target/],
      [{ target: {} }, /target/],
      [{ target: { segmentUuid: 'gone' } }, /there is no segment/],
      [{ notification: { title: 'x' } }, /notification.message/],
      [{ notification: { template: 'gone' } }, /push template/],
      [{ notification: { title: 'T'.repeat(5000), message: 'M' } }, /notification/],
      [{ ttl: null }, /"ttl"/],
      [{ presentedWhen: 'now' }, /presentedWhen/],
      [{ purpose: 'gone' }, /purpose/],
      [{ inbox: { title: 'x', subtitle: '', from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' } }, /inbox.to/],
      [{ data: { a: 'x'.repeat(100_000) } }, /"data"/],
      [{ schedule: { ...utc(), sendAt: 'soon' } }, /schedule.sendAt/],
      [{ schedule: utc(), intelligentDelivery: true }, /exclude each other/],
      [{ schedule: utc('2026-03-01 11:00') }, /has passed everywhere/],
      [{ schedule: local('2026-02-27 11:00') }, /has passed everywhere/],
      [{ schedule: { strategy: 'recurring', cron: '0 9 * * *', timezone: 'UTC' } }, /must not be recurring/],
    ]
    for (const [change, why, code = 'invalid'] of wrong) {
      expect(await refusal(edit(id, change), code), JSON.stringify(change)).to.match(why)
    }
    const { message, errors } = await edit(id, { target: { installIds: ['gone'] } })
    expect({ message, errors }).to.deep.equal({ message: null, errors: { unknownInstallIds: ['gone'] } })
    expect([await find(id), await pushOf(id)]).to.deep.equal(before)
  })

  it('asks for the number of recipients again when more than the time changes', async () => {
    const { program, first } = test
    const id = await send(HELLO)
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: 1 }))
    expect(
      await refusal(edit(id, { schedule: utc('2026-03-01 12:40'), presentedWhen: 'next-open' }), 'invalid'),
    ).to.equal('')
    const change = { content: { Name: 'Bob' } }
    expect(await refusal(edit(id, change), 'invalid')).to.match(
      /"confirm":\["must be the number of recipients.* at least 2/,
    )
    const measured = await program.inAppEdits.measure(first.id, id, { ...change, confirm: 2 })
    expect(measured).to.deep.equal({ above: 1, counted: { recipients: 2, isAll: true } })
    expect(await program.inAppEdits.measure(first.id, id, { presentedWhen: 'never' })).to.equal(undefined)
    expect(await program.inAppEdits.measure(first.id, id, { contents: 'x' })).to.equal(undefined)
    expect(await program.inAppEdits.measure(first.id, 999, change)).to.equal(undefined)
    await edit(id, { ...change, confirm: 2 })
    expect(await words(id)).to.include('Bob')
  })

  it('says why it cannot be edited, and what to do', async () => {
    const { program, first, clock } = test
    const say = (id: number) => refusal(edit(id, { presentedWhen: 'never' }), 'conflict')
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    const withdrawn = await send()
    await withdrawMessage(parts, first.id, withdrawn)
    expect(await say(withdrawn)).to.match(/was withdrawn and cannot be edited: send another one/)
    const now = await send({ schedule: undefined })
    expect(await say(now)).to.match(/is not scheduled/)
    const body = parseJson(
      inAppForm,
      inAppBody({ schedule: { strategy: 'recurring', cron: '0 9 * * *', timezone: 'UTC' } }),
    )
    const { message } = await program.inTransaction((tx) =>
      sendMessage(tx, first.id, { source: SOURCE.messages, body, request: fromInAppForm(body) }),
    )
    expect(await say(message!.id)).to.match(/is one time of series \d+.*change the series.*or withdraw this time/)
    const due = await send()
    const announcing = await send({ ...PUSH, schedule: utc('2026-04-01 09:00') })
    const { notificationId } = await find(announcing)
    const push = await refusal(
      program.inTransaction((tx) => tx.edits.edit(first.id, notificationId!, SEND_NOW)),
      'conflict',
    )
    expect(push).to.match(/announces in-app message \d+ and cannot be edited by itself: edit the message/)
    clock.set(NOON + HOUR_MS)
    expect(await say(due), 'due, and nobody began it').to.match(
      /its first due time 2026-03-01T12:30:00\+0000 has come: withdraw it \(appsvc in-app withdraw \d+\)/,
    )
    expect(await refusal(edit(9999, {}), 'not_found')).to.contain('there is no in-app message 9999')
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    expect(await refusal(edit(announcing, {}, other.id), 'not_found')).to.contain('there is no in-app message')
    await program.inTransaction((tx) => tx.instance.setHold({ since: 1, reason: 'restored' }))
    expect(await say(announcing)).to.contain('appsvc release')
  })

  it('can be withdrawn while somebody edits it: neither hides the other', async () => {
    const { program, first, clock } = test
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    for (let i = 0; i < many(8, { long: 100 }); i++) {
      const id = await send({ ...HELLO, ...PUSH })
      const { id: push } = await pushOf(id)
      const all = await Promise.allSettled([
        edit(id, { content: { Name: 'New' }, notification: { title: 'New', message: 'M' } }),
        withdrawMessage(parts, first.id, id),
        edit(id, { schedule: utc('2026-03-01 12:45') }),
      ])
      expect(all[1].status).to.equal('fulfilled')
      expect((await find(id)).status).to.equal(IN_APP.withdrawn)
      expect((await program.notifications.get(first.id, push)).status).to.equal(STATUS.cancelled)
      expect(await program.ledger.hasDueRun(push)).to.equal(false)
    }
    clock.advance(2 * HOUR_MS)
    expect(await deliver()).to.deep.equal([])
  })

  it('keeps both of two edits of different parts, and a cancel of its push', async () => {
    const { program, first, clock } = test
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    for (let i = 0; i < many(8, { long: 100 }); i++) {
      const id = await send({ ...HELLO, ...PUSH })
      const { id: push } = await pushOf(id)
      await Promise.all([
        edit(id, { content: { Name: 'New' } }),
        edit(id, { presentedWhen: 'next-open' }),
        cancelNotification(parts, first.id, push),
        edit(id, { labels: ['x'] }),
      ])
      expect(await find(id)).to.deep.include({ labels: ['x'], presentedWhen: 'next-open', tagValues: { Name: 'New' } })
      expect(await pushOf(id)).to.include({ id: push, status: STATUS.cancelled })
      expect(await program.ledger.hasDueRun(push)).to.equal(false)
    }
  })

  /** Another node on the same database, whose clock is ahead: what is not due for the first one is due for it. */
  function nodeAhead(): TestProgram {
    const { db, config, log, vault } = test.program.kernel
    const clock = testClock()
    clock.set(NOON + HOUR_MS)
    return { ...test, clock, program: createProgram({ config, clock, log, vault, db }) }
  }

  /**
   * A race of an edit with the scheduler of another node. The edit begins when so many statements of the fan-out have been answered, and some
   * turns of the event loop have passed.
   */
  async function race(id: number, ahead: TestProgram, { after, turns = 0 }: { after: number; turns?: number }) {
    const { program } = ahead
    const change = async () => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      const edited = { content: { Name: 'new {{ user.identifier }}' }, notification: { title: 'New', message: 'M' } }
      return refusal(edit(id, { ...edited, target: { userIds: ['ann'] } }), 'conflict')
    }
    const step = async () => {
      while ((await stepMessage({ read: program, inTransaction: program.inTransaction }, id)) === 'more');
    }
    let changing = after === 0 ? change() : undefined
    await changing
    let statements = 0
    const end = hear(program.kernel.db, () => {
      statements++
      if (statements < after || changing) return
      changing = aside(change)
    })
    await step()
    end()
    const refused = await (changing ?? change())
    await step()
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(ahead, sender)
    return { refused, sent: sent.sort(), statements }
  }

  it(`is exact in ${RACES} races with the scheduler`, async () => {
    const pick = chance(SEED)
    const ahead = nodeAhead()
    const extra = { ...HELLO, ...PUSH, content: { Name: 'old {{ user.identifier }}' }, personalize: {} }
    const { statements } = await race(await send(extra), ahead, { after: Infinity })
    const won: boolean[] = []
    for (let i = 0; i <= RACES + 1; i++) {
      const after = i === 0 ? 0 : i > RACES ? Infinity : 1 + Math.floor((i * statements) / RACES)
      const turns = pick(2) * pick(40)
      const says = `seed ${SEED}, race ${i}: ${turns} turns behind statement ${after} of ${statements}`
      const id = await send(extra)
      const { refused, sent } = await race(id, ahead, { after, turns })
      const isNew = refused === ''
      won.push(isNew)
      const title = (await pushOf(id)).content.title
      expect({ who: await holders(test, id), sent, title }, `${says}: ${refused}`).to.deep.equal(
        isNew
          ? { who: ['ann'], sent: ['token-ann-phone'], title: 'New' }
          : { who: ['ann', 'bob'], sent: ['token-ann-phone', 'token-bob-phone'], title: 'News' },
      )
      const shown = await shownTo('ann', ahead)
      expect(shown, says).to.include(isNew ? 'Hello new ann' : 'Hello old ann')
      expect((await find(id)).status, says).to.equal(IN_APP.sent)
      await test.program.kernel.db.write((sql) => sql('user_messages').delete())
    }
    expect([won[0], won.at(-1)]).to.deep.equal([true, false])
  })
})
