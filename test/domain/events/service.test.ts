import { expect } from 'chai'
import type { Knex } from 'knex'
import { crmService } from '../../../src/domain/crm/service.ts'
import { activityRepository } from '../../../src/domain/crm/store/activity.repository.ts'
import { installsRepository } from '../../../src/domain/crm/store/installs.repository.ts'
import { newInstallsRepository } from '../../../src/domain/crm/store/new-installs.repository.ts'
import { tokensRepository } from '../../../src/domain/crm/store/tokens.repository.ts'
import { usersRepository } from '../../../src/domain/crm/store/users.repository.ts'
import { createCrmHandler } from '../../../src/domain/events/crm-handler.ts'
import { EVENT_TYPES } from '../../../src/domain/events/event-types.ts'
import type { EventContext, EventHandler, HandledEvent } from '../../../src/domain/events/handler.ts'
import { MAX_BATCH } from '../../../src/domain/events/ingest/envelope.ts'
import { eventsRepository } from '../../../src/domain/events/repository.ts'
import { eventsService } from '../../../src/domain/events/service.ts'
import type { IngestReport } from '../../../src/domain/events/types.ts'
import { AppError, isAppError } from '../../../src/platform/errors.ts'
import { type Log, silentLog } from '../../../src/platform/log/log.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { uploadedEvents } from '../../support/uploaded.ts'

onEachDatabase('an upload of events', (kind) => {
  let test: TestProgram
  let appId: number
  let now: number
  let last = 0
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    now = test.clock.now()
  })
  afterEach(() => test.close())

  const event = (type: string, data?: Record<string, unknown> | null, more: object = {}) => ({
    type,
    uuid: `uuid-${++last}`,
    timestamp: now - 1000,
    ...(data !== undefined && { data }),
    ...more,
  })
  const upload = (body: unknown, installId = 'I1') =>
    test.program.inTransaction((tx) => tx.events.ingest(appId, installId, body))
  const stored = () => uploadedEvents(test.program, appId)
  const install = () => test.program.crm.showInstall(appId, 'I1')
  const user = (identifier: string) => test.program.crm.showUser(appId, identifier)

  /** Handlers of some types of events, which return the fields that they add to their data. */
  type Handlers = Record<string, (event: HandledEvent, context: EventContext) => Promise<object | void>>

  /** The same service with other handlers, in a transaction. */
  function uploadWith(
    make: (trx: Knex.Transaction) => Handlers,
    body: unknown,
    log: Log = silentLog,
  ): Promise<IngestReport> {
    return test.program.kernel.db.write((trx) => {
      const { clock } = test
      const crm = crmService({
        users: usersRepository(trx),
        installs: installsRepository(trx),
        newInstalls: newInstallsRepository(trx),
        tokens: tokensRepository(trx),
        activity: activityRepository(trx),
        clock,
        defaultZone: 'UTC',
      })
      const made = make(trx)
      const mine: EventHandler<() => Promise<object | void>> = {
        read: Object.fromEntries(
          Object.entries(made).map(([type, handle]) => [type, (event, context) => () => handle(event, context)]),
        ),
        adds: async (_, all) => Promise.all(all.map(async (handle) => (await handle()) as Record<string, unknown>)),
      }
      const types = {
        ...EVENT_TYPES,
        ...Object.fromEntries(Object.keys(made).map((type) => [type, { handledBy: ['mine'] }])),
      }
      const handlers = { crm: () => createCrmHandler(crm), mine: () => mine }
      return eventsService({ repo: eventsRepository(trx), crm, types, handlers, clock, log }).ingest(appId, 'I1', body)
    })
  }

  it('stores them in order and makes the install', async () => {
    const report = await upload([event('a', { n: 1 }), event('b', null), event('k.fg')])
    expect(report).to.deep.equal({ isNew: true, accepted: 3, duplicates: 0, refused: [] })
    const { row } = await install()
    expect((await stored()).map((one) => [one.type, one.data, one.installRow, one.userIdentifier])).to.deep.equal([
      ['a', { n: 1 }, row, 'I1'],
      ['b', null, row, 'I1'],
      ['k.fg', null, row, 'I1'],
    ])
  })

  it('of nothing still makes the install', async () => {
    expect(await upload([])).to.deep.equal({ isNew: true, accepted: 0, duplicates: 0, refused: [] })
    expect(await install()).to.include({ lastActive: now })
  })

  it('takes what is good and refuses the rest by place', async () => {
    const report = await upload([event('a'), { type: 'b' }, 'c', event('d')])
    expect(report).to.deep.include({ accepted: 2, duplicates: 0 })
    expect(report.refused.map((one) => [one.index, Object.keys(one.errors)])).to.deep.equal([
      [1, ['uuid', 'timestamp']],
      [2, ['']],
    ])
    expect((await stored()).map((one) => one.type)).to.deep.equal(['a', 'd'])
  })

  it('that comes twice is stored once', async () => {
    const batch = [event('a'), event('b')]
    await upload(batch)
    expect(await upload([...batch, event('c')])).to.deep.equal({
      isNew: false,
      accepted: 1,
      duplicates: 2,
      refused: [],
    })
    expect((await stored()).map((one) => one.type)).to.deep.equal(['a', 'b', 'c'])
  })

  it('is asked which of its events are there: by app, install and uuid', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const uuids = [event('a'), event('b'), event('c')].map(({ uuid }) => uuid)
    await upload(uuids.slice(0, 2).map((uuid) => ({ ...event('a'), uuid })))
    const rows = (await test.program.kernel.db
      .read('events')
      .where({ app_id: appId })
      .select('install_row', 'uuid')) as {
      install_row: number
      uuid: string
    }[]
    const installRow = rows[0]!.install_row
    const known = async (of: number, row: number) =>
      (
        await test.program.kernel.db.write((trx) =>
          eventsRepository(trx).known(
            of,
            uuids.map((uuid) => ({ installRow: row, uuid, at: now })),
          ),
        )
      ).map(({ uuid }) => uuid)
    expect(await known(appId, installRow)).to.have.members(uuids.slice(0, 2))
    expect(await known(appId, installRow + 1)).to.deep.equal([])
    expect(await known(other.id, installRow)).to.deep.equal([])
  })

  it('that names an event twice stores it once', async () => {
    const one = event('a')
    expect(await upload([one, { ...one, type: 'b' }])).to.deep.equal({
      isNew: true,
      accepted: 1,
      duplicates: 1,
      refused: [],
    })
    expect((await stored()).map((kept) => kept.type)).to.deep.equal(['a'])
  })

  it('that comes ten times at once acts once', async () => {
    const batch = [event('counted'), event('plain')]
    let calls = 0
    const handlers: Handlers = {
      async counted() {
        calls++
      },
    }
    const reports = await Promise.all(Array.from({ length: 10 }, () => uploadWith(() => handlers, batch)))
    expect(reports.map((one) => one.accepted).sort((a, b) => b - a)).to.deep.equal([2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(calls).to.equal(1)
    expect(await stored()).to.have.length(2)
  })

  it('of another install may use the same uuid', async () => {
    const one = event('a')
    await upload([one])
    expect(await upload([one], 'I2')).to.include({ accepted: 1 })
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await test.program.inTransaction((tx) => tx.events.ingest(second.id, 'I1', [one]))
    expect(await stored()).to.have.length(2)
    expect(await test.program.events.after(second.id, 0, 10)).to.have.length(1)
  })

  it('from a clock that is ahead happened now', async () => {
    await upload([event('a', null, { timestamp: now + 86_400_000 })])
    expect((await stored())[0]).to.include({ happenedAt: now, receivedAt: now })
    expect(await install()).to.include({ lastActive: now })
  })

  it('sets first activity to the oldest event and last activity to the newest', async () => {
    await upload([
      event('a', null, { timestamp: now - 5000 }),
      event('b', null, { timestamp: now - 2000 }),
      event('c', null, { timestamp: now - 3000 }),
    ])
    expect(await install()).to.include({ lastActive: now - 2000 })
    expect(await user('I1')).to.include({ firstActive: now - 5000, lastActive: now - 2000 })
  })

  it('counts as activity of the user it names, and makes no user of a name', async () => {
    await upload([event('k.stats.userAssociated', { id: 'anna' }, { timestamp: now - 9000 })])
    await upload([
      event('x', null, { userId: 'anna', timestamp: now - 100 }),
      event('x', null, { userId: 'nobody', timestamp: now - 50 }),
    ])
    expect(await user('anna')).to.include({ lastActive: now - 100 })
    expect(await user('I1')).to.include({ lastActive: now - 9000 })
    expect(await user('nobody').catch((error: unknown) => isAppError(error) && error.code)).to.equal('not_found')
  })

  it('keeps every text in the data, NUL and half characters too', async () => {
    const data = JSON.parse('{"nul":"a\\u0000b","half":"\\ud800","__proto__":{"x":1},"deep":[[{"a":null}]]}')
    await upload([event('a', data)])
    expect(JSON.stringify((await stored())[0]!.data)).to.equal(JSON.stringify(data))
  })

  it('of the largest size is stored whole, one event more is too large', async () => {
    const many = Array.from({ length: MAX_BATCH }, () => event('x', { a: 1 }))
    expect(await upload(many)).to.include({ accepted: MAX_BATCH })
    expect((await stored()).map((one) => one.uuid)).to.deep.equal(many.map((one) => one.uuid))
    expect(await upload([...many, event('x')]).catch((error: unknown) => isAppError(error) && error.code)).to.equal(
      'too_large',
    )
  })

  for (const body of [{}, null, 'x']) {
    it(`that is ${JSON.stringify(body)} is invalid as a whole`, async () => {
      const error = await upload(body).catch((thrown: unknown) => thrown)
      expect(isAppError(error) && error.details.fields).to.have.all.keys('')
    })
  }

  describe('with effects', () => {
    it('follows a user through a session', async () => {
      await upload([
        event('k.stats.installTracked', {
          os: { id: '3', version: '13' },
          sdk: { id: 2, version: '15' },
          device: { name: 'Pixel 5' },
        }),
        event('k.stats.userAssociated', { id: 'anna', attributes: { level: 3 } }, { userId: 'anna' }),
        event('k.push.deviceRegistered', { type: '2', token: 'fcm' }, { userId: 'anna' }),
        event('k.inApp.statusUpdated', { consented: true }, { userId: 'anna' }),
      ])
      expect(await install()).to.include({
        os: 'Android',
        sdkType: 'android',
        userIdentifier: 'anna',
        subscribed: true,
        platform: 2,
      })
      expect(await user('anna')).to.deep.include({ attributes: { level: 3 }, inAppEnabled: true, anonymous: false })

      await upload([event('k.push.notificationEnablementChanged', { notificationsEnabled: false })])
      expect(await install()).to.include({ subscribed: false, platform: 2 })
      await upload([
        event('k.push.notificationEnablementChanged', { notificationsEnabled: 'true' }),
        event('k.stats.userAssociationCleared', { oldUserIdentifier: 'anna' }),
      ])
      expect(await install()).to.include({ subscribed: true, userIdentifier: 'I1' })
      await upload([event('k.push.deviceUnsubscribed', {})])
      expect(await install()).to.include({ subscribed: false, platform: null })
    })

    it('acts in the order of the batch when times are equal', async () => {
      await upload([
        event('k.stats.userAssociated', { id: 'a' }),
        event('k.stats.userAssociated', { id: 'b' }),
        event('x'),
      ])
      expect(await install()).to.include({ userIdentifier: 'b' })
      expect((await stored()).at(-1)).to.include({ userIdentifier: 'b' })
    })

    it('does not act on an event that was seen before', async () => {
      const first = event('k.stats.userAssociated', { id: 'a' })
      await upload([first])
      await upload([event('k.stats.userAssociated', { id: 'b' }), first])
      expect(await install()).to.include({ userIdentifier: 'b' })
    })

    for (const [type, data] of [
      ['k.stats.userAssociated', {}],
      ['k.stats.userAssociated', { id: '' }],
      ['k.stats.userAssociated', { id: 'a\0b' }],
      ['k.push.deviceRegistered', { type: 9, token: 'x' }],
      ['k.push.notificationEnablementChanged', {}],
      ['k.inApp.statusUpdated', { consented: 'maybe' }],
    ] as const) {
      it(`stores ${type} with the unusable data ${JSON.stringify(data)} and goes on`, async () => {
        expect(await upload([event(type, data), event('k.stats.userAssociated', { id: 'anna' })])).to.include({
          accepted: 2,
        })
        expect((await stored()).map((one) => one.type)).to.deep.equal([type, 'k.stats.userAssociated'])
        expect(await install()).to.include({ userIdentifier: 'anna' })
      })
    }

    it('keeps an event whose handler has a bug, without half of its effect, and tells the operator', async () => {
      const errors: string[] = []
      const log: Log = { ...silentLog, error: (_, message) => errors.push(message) }
      const handlers = (trx: Knex.Transaction): Handlers => ({
        async buggy() {
          await trx('users').where({ app_id: appId }).update({ attributes: '{"half":true}' })
          await trx.raw('SELECT this_is_no_column')
        },
      })
      const report = await uploadWith(handlers, [event('buggy'), event('k.stats.userAssociated', { id: 'anna' })], log)
      expect(report).to.include({ accepted: 2 })
      expect((await user('I1')).attributes).to.deep.equal({})
      expect(await install()).to.include({ userIdentifier: 'anna' })
      expect(errors).to.have.length(1)
    })

    it('stores nothing when the database cannot write', async () => {
      const handlers: Handlers = {
        async full() {
          throw Object.assign(new Error('database or disk is full'), {
            code: kind === 'sqlite' ? 'SQLITE_FULL' : '53100',
          })
        },
      }
      const error = await uploadWith(() => handlers, [event('a'), event('full')]).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(AppError).with.property('code', 'unavailable')
      expect(await stored()).to.deep.equal([])
    })

    if (kind === 'postgres') {
      it('begins anew when another transaction got in the way of a handler', async () => {
        let runs = 0
        const handlers: Handlers = {
          async colliding() {
            if (++runs === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
          },
        }
        expect(await uploadWith(() => handlers, [event('colliding')])).to.include({ accepted: 1 })
        expect(runs).to.equal(2)
        expect(await stored()).to.have.length(1)
      })
    }

    it('stores what a handler adds to the data', async () => {
      const handlers: Handlers = {
        async opened({ data }, { userIdentifier }) {
          return { reportingMeta: { for: userIdentifier, id: data.id } }
        },
        async empty() {
          return { added: true }
        },
      }
      await uploadWith(() => handlers, [event('opened', { id: 7 }, { userId: 'anna' }), event('empty')])
      expect((await stored()).map((one) => one.data)).to.deep.equal([
        { id: 7, reportingMeta: { for: 'anna', id: 7 } },
        { added: true },
      ])
    })

    for (const type of ['__proto__', 'constructor', 'toString']) {
      it(`stores an event called ${type} like any other`, async () => {
        expect(await upload([event(type)])).to.include({ accepted: 1 })
      })
    }
  })

  it('can be followed by events of the server, and all are read page by page', async () => {
    await upload([event('a')])
    await test.program.inTransaction((tx) =>
      tx.events.record(appId, { type: 'k.sent', data: { id: 1 }, userIdentifier: 'anna' }),
    )
    const [first] = await test.program.events.after(appId, 0, 1)
    const [second, ...none] = await test.program.events.after(appId, first!.id, 10)
    expect([first!.type, second!.type, none.length]).to.deep.equal(['a', 'k.sent', 0])
    expect(second).to.deep.include({ installRow: null, userIdentifier: 'anna', data: { id: 1 }, happenedAt: now })
  })

  it('is forgotten after its days, some events at a time', async () => {
    await upload([event('a'), event('b'), event('c')])
    test.clock.advance(10 * 86_400_000)
    await upload([event('d')])
    expect(await test.program.inTransaction((tx) => tx.events.forget(9, 2))).to.equal(2)
    expect(await test.program.inTransaction((tx) => tx.events.forget(9, 2))).to.equal(1)
    expect((await stored()).map((one) => one.type)).to.deep.equal(['d'])
  })
})
