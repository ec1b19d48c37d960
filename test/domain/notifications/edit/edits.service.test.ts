import { expect } from 'chai'
import { SEARCHED } from '../../../../src/domain/erasures/search.repository.ts'
import { cancelNotification } from '../../../../src/domain/notifications/cancel.ts'
import { stepRun } from '../../../../src/domain/notifications/fan-out/step.ts'
import { fromMessagesForm, messagesForm } from '../../../../src/domain/notifications/schema.ts'
import { SOURCE, STATUS } from '../../../../src/domain/notifications/types.ts'
import type { Edit } from '../../../../src/domain/schedules/edit.ts'
import { sendPush } from '../../../../src/domain/series/send.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { aside } from '../../../support/aside.ts'
import { chance, seedOf } from '../../../support/chance.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { many } from '../../../support/depth.ts'
import { hear } from '../../../support/hear.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const RACES = many(40, { long: 400 })
const SEED = seedOf(20_261_130)
const DUE = '2026-03-01 12:30'
const HOUR_MS = 3_600_000
const utc = (sendAt = DUE) => ({ sendAt, strategy: 'utc', pastTimes: 'ignore' })
const local = (sendAt: string) => ({ sendAt, strategy: 'local', pastTimes: 'ignore' })

onEachDatabase('editing a scheduled notification', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 3)
  })
  afterEach(() => test.close())

  async function accept(extra: object = { schedule: utc() }): Promise<number> {
    const { program, first } = test
    const body = parseJson(messagesForm, {
      target: { broadcast: true },
      content: { title: 'T', message: 'M' },
      ...extra,
    })
    const { notification } = await program.inTransaction((tx) =>
      sendPush(tx, first.id, { source: SOURCE.messages, body, request: fromMessagesForm(body) }),
    )
    return notification!.id
  }

  async function edit(id: number, change: Edit, appId = test.first.id) {
    return test.program.inTransaction((tx) => tx.edits.edit(appId, id, change))
  }

  /** The message of the refusal; it has this code. Empty when there is none. */
  async function refusal(of: Promise<unknown>, code: string): Promise<string> {
    try {
      await of
      return ''
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      expect(error.code).to.equal(code)
      return code === 'invalid' ? JSON.stringify(error.details.fields) : error.message
    }
  }

  const find = (id: number) => test.program.notifications.get(test.first.id, id)
  const runsOf = async (id: number) =>
    (await test.program.runs.instants(id)).map(({ at, state }) => `${new Date(at).toISOString().slice(5, 16)} ${state}`)

  async function moveTo(tz: string, ...installIds: string[]): Promise<void> {
    for (const installId of installIds) {
      const event = { type: 'k.stats.installTracked', uuid: 'z', timestamp: test.clock.now(), data: { device: { tz } } }
      await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, installId, [event]))
    }
  }

  /** Everything that is due is sent; the tokens that got it, with the title. */
  async function sendDue(): Promise<string[]> {
    const got: string[] = []
    const { sender, sent } = scriptedSender((_, { content }) => {
      got.push(content.title)
      return { kind: 'accepted' }
    })
    await fanOut(test)
    await deliverDue(test, sender)
    return sent.map((token, i) => `${token} ${got[i]}`).sort()
  }

  it('changes what it says, to whom and when, and leaves the rest alone', async () => {
    const extra = {
      schedule: utc(),
      ttl: 7200,
      rateLimit: 5,
      collapseId: 'c',
      ios: { badge: { type: 'setTo', count: 3 }, media: { pictureUrl: 'https://p.example/a.png' } },
      reportingMeta: { campaign: 'x' },
      userMeta: { 'user-1': { a: 1 } },
    }
    const id = await accept(extra)
    const before = await find(id)
    test.clock.advance(60_000)
    await edit(id, {
      content: { title: 'New', message: 'N' },
      target: { installIds: ['install-1'] },
      schedule: utc('2026-03-01 13:00'),
    })
    const after = await find(id)
    const now = test.clock.now()
    expect(after).to.deep.equal({
      ...before,
      content: { ...before.content, title: 'New', message: 'N' },
      filters: { installIds: ['install-1'] },
      schedule: utc('2026-03-01 13:00'),
      expiresAt: before.expiresAt + HOUR_MS / 2,
      dueAt: before.dueAt! + HOUR_MS / 2,
      editedAt: now,
      updatedAt: now,
    })
    expect(await test.program.sent.userMeta(test.first.id, id)).to.deep.equal({ 'user-1': { a: 1 } })
    expect(await runsOf(id)).to.deep.equal(['03-01T13:00 due'])
    test.clock.set(Date.parse('2026-03-01T12:59:59Z'))
    expect(await sendDue()).to.deep.equal([])
    test.clock.advance(1000)
    expect(await sendDue()).to.deep.equal(['token-1 New'])
    expect((await find(id)).status).to.equal(STATUS.sent)
  })

  it('takes out what is null, and puts data of users in the place of other', async () => {
    const id = await accept({ schedule: utc(), ttl: 60, rateLimit: 5, userMeta: { a: 1 }, reportingMeta: { b: 1 } })
    await edit(id, { ttl: null, rateLimit: null, reportingMeta: null, userMeta: { c: 2 } })
    expect(await find(id)).to.include({ rateLimit: null, reportingMeta: null, hasUserMeta: true })
    expect(await test.program.sent.userMeta(test.first.id, id)).to.deep.equal({ c: 2 })
    await edit(id, { userMeta: null })
    expect((await find(id)).hasUserMeta).to.equal(false)
    expect(await test.program.sent.userMeta(test.first.id, id)).to.deep.equal({})
  })

  it('sends it now without a time, once', async () => {
    for (const [time, change] of [
      [{ schedule: utc() }, { schedule: null }],
      [{ intelligentDelivery: true }, { schedule: null, intelligentDelivery: null }],
      [{ schedule: utc(), rateLimit: 1000 }, { schedule: null }],
    ] as const) {
      const id = await accept(time)
      expect(await sendDue()).to.deep.equal([])
      await edit(id, change)
      expect(await sendDue()).to.deep.equal(['token-0 T', 'token-1 T', 'token-2 T'])
      expect(await refusal(edit(id, change), 'conflict')).to.contain('was sent and cannot be edited')
      test.clock.advance(24 * HOUR_MS)
      expect(await sendDue()).to.deep.equal([])
      test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
    }
  })

  it('lets a schedule and the hour of each person take the place of each other', async () => {
    const id = await accept({ schedule: utc() })
    await edit(id, { intelligentDelivery: true })
    expect((await find(id)).schedule).to.deep.include({ strategy: 'preferredHour' })
    // Nobody is active at the hour that begins now.
    expect(await sendDue()).to.deep.equal([])
    await edit(id, { schedule: utc() })
    // It says no other time, and must not send at once.
    await edit(id, { intelligentDelivery: false })
    expect((await find(id)).schedule).to.deep.equal(utc())
  })

  it('computes due times from the edit, not from when it was made', async () => {
    await moveTo('Asia/Tokyo', 'install-0')
    // Nine in Tokyo is over when it is edited, and was not when it was accepted.
    test.clock.set(Date.parse('2026-03-01T20:00:00Z'))
    const id = await accept({ schedule: local('2026-03-03 09:00') })
    test.clock.set(Date.parse('2026-03-02T01:00:00Z'))
    await edit(id, { schedule: { ...local('2026-03-02 09:00'), pastTimes: 'nextDay' } })
    test.clock.set(Date.parse('2026-03-02T09:00:00Z'))
    expect(await sendDue()).to.deep.equal(['token-1 T', 'token-2 T'])
    test.clock.set(Date.parse('2026-03-03T00:00:00Z'))
    expect(await sendDue()).to.deep.equal(['token-0 T'])
    test.clock.advance(30 * HOUR_MS)
    expect(await sendDue()).to.deep.equal([])
    expect((await find(id)).status).to.equal(STATUS.sent)
  })

  it('is possible while runs only came for time zones in which nobody is', async () => {
    await moveTo('Europe/Berlin', 'install-0', 'install-1', 'install-2')
    const times = [
      [{ schedule: local('2026-03-02 07:00') }, '2026-03-02T06:00:00Z'],
      // Without a history of anybody it is six in the evening.
      [{ intelligentDelivery: true }, '2026-03-01T17:00:00Z'],
    ] as const
    for (const [time, dueAt] of times) {
      test.clock.set(Date.parse('2026-03-01T12:00:00Z'))
      const id = await accept(time)
      // Seven in Kiribati, the first in the east, and some hours at which nobody is active.
      test.clock.set(Date.parse('2026-03-01T17:00:00Z') - 1000)
      expect(await sendDue()).to.deep.equal([])
      await edit(id, { content: { title: 'New', message: 'M' } })
      test.clock.set(Date.parse(dueAt))
      expect(await sendDue()).to.deep.equal(['token-0 New', 'token-1 New', 'token-2 New'])
      expect(await refusal(edit(id, { ttl: 60 }), 'conflict')).to.contain('cannot be edited')
    }
  })

  it('keeps a target of several groups and the template it was made of, unless they are changed', async () => {
    const { program, first } = test
    const { channel } = await program.inTransaction(async (tx) => {
      await tx.pushTemplates.create(first.id, {
        name: 'Hello',
        uid: 'hello',
        body: { content: { title: 'A', message: 'B' } },
      })
      return { channel: await tx.channels.create(first.id, { name: 'News', uuid: 'news' }) }
    })
    expect(channel.uuid).to.equal('news')
    const { legacyForm, fromLegacyForm } = await import('../../../../src/domain/notifications/schema.ts')
    const flat = {
      template: 'hello',
      channelIds: [channel.id],
      installIds: ['install-2'],
      scheduled: true,
      schedule: utc(),
    }
    const { notification } = await program.inTransaction((tx) =>
      tx.sends.accept(first.id, SOURCE.legacy, fromLegacyForm(parseJson(legacyForm, flat))),
    )
    const { id, filters, target } = notification!
    expect(notification!.content.template).to.deep.equal({ uid: 'hello', version: 1 })
    await edit(id, { ttl: 600 })
    expect(await find(id)).to.deep.include({ filters, content: notification!.content })
    expect((await program.ledger.walked(first.id, id))!.target).to.deep.equal(target)
    await edit(id, { buttons: [{ id: 'x', text: 'X' }] })
    expect((await find(id)).content.template).to.deep.equal({ uid: 'hello', version: 1 })
    await edit(id, { content: { title: 'Own', message: 'B' } })
    expect((await find(id)).content)
      .to.include({ title: 'Own' })
      .and.not.have.property('template')
    await edit(id, { content: { template: 'hello' } })
    expect((await find(id)).content).to.deep.include({ title: 'A', template: { uid: 'hello', version: 1 } })
  })

  it('refuses what a new one would be refused for, and changes nothing', async () => {
    const id = await accept()
    const before = await find(id)
    const wrong: [Edit, RegExp][] = [
      [{ contents: {} }, /"contents":\["is no key of the request/],
      [{ languages: {} }, /"languages":\["belongs into content: content.languages"/],
      [{ status: 4 }, /"status":/],
      [{ content: null }, /"content":\["is required/],
      [{ content: { title: 'T' } }, /content.message/],
      [{ content: 'T' }, /"content":/],
      [{ target: null }, /"target/],
      [{ target: {} }, /target/],
      [{ target: { broadcast: true, channelUuids: ['news'] } }, /mixes/],
      [{ target: { segmentUuid: 'gone' } }, /there is no segment/],
      [{ content: { template: 'gone' } }, /uid of no push template/],
      [{ content: { title: '{{ user.a', message: 'M' }, personalize: {} }, /content.title/],
      [{ purpose: 'gone' }, /purpose/],
      [{ ttl: -1 }, /"ttl"/],
      [{ rateLimit: 0 }, /"rateLimit"/],
      [{ schedule: { ...utc(), sendAt: 'soon' } }, /schedule.sendAt/],
      [{ schedule: { ...utc(), strategy: 'timezone' } }, /schedule.timezone/],
      [{ schedule: utc(), intelligentDelivery: true }, /exclude each other/],
      [{ schedule: utc('2026-03-01 11:00') }, /has passed everywhere/],
      [{ schedule: local('2026-02-27 11:00') }, /has passed everywhere/],
      [{ schedule: { strategy: 'recurring', cron: '0 9 * * *', timezone: 'UTC' } }, /must not be recurring/],
      [{ sendAt: DUE }, /is no key/],
      [{ content: { title: 'T'.repeat(5000), message: 'M' } }, /content/],
    ]
    for (const [change, why] of wrong) {
      expect(await refusal(edit(id, change), 'invalid'), JSON.stringify(change)).to.match(why)
    }
    expect(await find(id)).to.deep.equal(before)
    expect(await runsOf(id)).to.deep.equal(['03-01T12:30 due'])
    const { notification, errors } = await edit(id, { target: { installIds: ['gone'] } })
    expect({ notification, errors }).to.deep.equal({ notification: null, errors: { unknownInstallIds: ['gone'] } })
    expect(await find(id)).to.deep.equal(before)
  })

  it('asks for the number of recipients again when more than the time changes', async () => {
    const { program, first } = test
    const id = await accept()
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: 2 }))
    expect(await refusal(edit(id, { ttl: 60 }), 'invalid')).to.equal('')
    expect(await refusal(edit(id, { schedule: utc('2026-03-01 12:40') }), 'invalid')).to.equal('')
    const change = { content: { title: 'New', message: 'M' } }
    expect(await refusal(edit(id, change), 'invalid')).to.match(
      /"confirm":\["must be the number of recipients or more: at least 3/,
    )
    const measured = await program.edits.measure(first.id, id, { ...change, confirm: 3 })
    expect(measured).to.deep.equal({ above: 2, counted: { recipients: 3, isAll: true } })
    expect(await program.edits.measure(first.id, id, { ttl: 60 })).to.equal(undefined)
    expect(await program.edits.measure(first.id, id, { ttl: -1, content: 'x' })).to.equal(undefined)
    await edit(id, { ...change, confirm: 3 })
    expect((await find(id)).content.title).to.equal('New')
  })

  it('says why it cannot be edited, and what to do', async () => {
    const { program, first, clock } = test
    const say = (id: number) => refusal(edit(id, { ttl: 60 }), 'conflict')
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    const cancelled = await accept()
    await cancelNotification(parts, first.id, cancelled)
    expect(await say(cancelled)).to.match(/was cancelled.*send another one/)
    const now = await accept({})
    expect(await say(now)).to.match(/is not scheduled/)
    const series = await accept({ schedule: { strategy: 'recurring', cron: '0 9 * * *', timezone: 'UTC' } })
    expect(await say(series)).to.match(/is one time of series \d+.*change the series/)
    await moveTo('Asia/Tokyo', 'install-0')
    const skipping = await accept({ schedule: local('2026-03-01 20:00') })
    expect(await say(skipping)).to.match(/its time had passed for some.*schedules cancel/)
    const begun = await accept({ schedule: local('2026-03-02 09:00') })
    const due = await accept()
    const limited = await accept({ schedule: utc(), rateLimit: 1 })
    clock.set(Date.parse('2026-03-02T00:00:00Z'))
    expect(await say(due), 'due, and nobody began it').to.match(/its first due time 2026-03-01T12:30:00\+0000 has come/)
    await fanOut(test)
    expect(await say(begun)).to.match(/its first due time .* has come: cancel the rest/)
    expect(await say(limited)).to.match(/cannot be edited/)
    expect(await refusal(edit(9999, {}), 'not_found')).to.contain('there is no notification 9999')
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    expect(
      await refusal(edit(await accept({ schedule: utc('2026-04-01 09:00') }), {}, other.id), 'not_found'),
    ).to.contain('no notification')
    const held = await accept({ schedule: utc('2026-04-01 09:00') })
    await program.inTransaction((tx) => tx.instance.setHold({ since: 1, reason: 'restored' }))
    expect(await say(held)).to.contain('appsvc release')
  })

  it('can be cancelled while somebody edits it: neither hides the other', async () => {
    const { program, first, clock } = test
    const parts = { read: program, inTransaction: program.inTransaction, clock }
    for (let i = 0; i < many(10, { long: 100 }); i++) {
      const id = await accept()
      const both = await Promise.allSettled([
        edit(id, { content: { title: 'New', message: 'M' } }),
        cancelNotification(parts, first.id, id),
        edit(id, { schedule: utc('2026-03-01 12:45') }),
      ])
      expect(both[1].status).to.equal('fulfilled')
      expect((await find(id)).status).to.equal(STATUS.cancelled)
      expect(await program.ledger.hasDueRun(id)).to.equal(false)
    }
    clock.advance(2 * HOUR_MS)
    expect(await sendDue()).to.deep.equal([])
  })

  it('keeps both of two edits of different parts', async () => {
    for (let i = 0; i < many(10, { long: 100 }); i++) {
      const id = await accept()
      await Promise.all([
        edit(id, { content: { title: 'New', message: 'M' } }),
        edit(id, { ttl: 60 }),
        edit(id, { rateLimit: 7 }),
      ])
      const { content, rateLimit, expiresAt } = await find(id)
      expect({ title: content.title, rateLimit, expiresAt }).to.deep.equal({
        title: 'New',
        rateLimit: 7,
        expiresAt: Date.parse('2026-03-01T12:31:00Z'),
      })
      expect(await runsOf(id)).to.deep.equal(['03-01T12:30 due'])
    }
  })

  /**
   * A race of an edit with the scheduler of another node, whose clock is ahead: for this one nothing is due. The edit begins when so many
   * statements of the dispatch have been answered, and some turns of the event loop have passed.
   */
  async function race(id: number, { after, turns = 0 }: { after: number; turns?: number }) {
    const { program, clock } = test
    const titles: string[] = []
    const { sender } = scriptedSender((_, { content }) => {
      titles.push(content.title)
      return { kind: 'accepted' }
    })
    const isAhead = { now: clock.now() }
    const change = async () => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      return refusal(
        edit(id, { content: { title: 'New', message: 'M' }, target: { installIds: ['install-0'] } }),
        'conflict',
      )
    }
    let changing = after === 0 ? change() : undefined
    await changing
    let statements = 0
    const end = hear(program.kernel.db, () => {
      statements++
      if (statements < after || changing) return
      changing = aside(change)
    })
    for (const run of await program.ledger.dueRuns(isAhead.now + HOUR_MS, 10)) {
      while ((await stepRun({ read: program, inTransaction: program.inTransaction }, run)) === 'more');
    }
    end()
    const refused = await (changing ?? change())
    for (const run of await program.ledger.dueRuns(isAhead.now + HOUR_MS, 10)) {
      while ((await stepRun({ read: program, inTransaction: program.inTransaction }, run)) === 'more');
    }
    await deliverDue(test, sender)
    return { refused, titles, statements }
  }

  it('brings no name back that is taken out of its target meanwhile', async () => {
    const { program, first } = test
    const table = SEARCHED.findIndex((one) => one.table === 'notifications')
    const target = { installIds: ['install-0', 'zoe'] }
    let after = 0
    for (; ; after++) {
      const id = await accept({ schedule: utc(), target })
      let statements = 0
      let taking: Promise<void> | undefined
      const end = hear(program.kernel.db, () => {
        if (statements++ < after || taking) return
        taking = aside(() => program.inTransaction((tx) => tx.erasures.takeOut(first.id, table, ['zoe'], [id])))
      })
      await program.inTransaction(async (tx) => {
        await tx.edits.edit(first.id, id, { schedule: utc('2026-03-01 13:00') })
        // Gives the other one time to be first.
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      })
      end()
      if (!taking) break
      await taking
      expect((await find(id)).filters, `behind statement ${after}`).to.deep.equal({ installIds: ['install-0'] })
    }
    expect(after).to.be.greaterThan(5)
  })

  it(`is exact in ${RACES} races with the scheduler`, async () => {
    const pick = chance(SEED)
    const { statements } = await race(await accept(), { after: Infinity })
    const won: boolean[] = []
    for (let i = 0; i <= RACES + 1; i++) {
      const after = i === 0 ? 0 : i > RACES ? Infinity : 1 + Math.floor((i * statements) / RACES)
      const turns = pick(2) * pick(40)
      const says = `seed ${SEED}, race ${i}: ${turns} turns behind statement ${after} of ${statements}`
      const id = await accept()
      const { refused, titles } = await race(id, { after, turns })
      won.push(refused === '')
      expect(titles, `${says}: ${refused}`).to.deep.equal(refused === '' ? ['New'] : ['T', 'T', 'T'])
      expect((await find(id)).status, says).to.equal(STATUS.sent)
    }
    expect([won[0], won.at(-1)]).to.deep.equal([true, false])
  })
})
