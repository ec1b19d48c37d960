import { expect } from 'chai'
import { SOURCE } from '../../../../src/domain/notifications/types.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

onEachDatabase('what devices report about notifications', (kind) => {
  let test: TestProgram
  let id: number
  let uuid = 0

  const send = (
    meta: { userMeta?: Record<string, unknown>; reportingMeta?: Record<string, unknown> } = {},
    appId = test.first.id,
  ) =>
    test.program.inTransaction(async (tx) => {
      const content = { title: 'T', message: 'M', background: false, ios: {}, android: {} }
      const request = { targeting: { broadcast: true }, content, contentPath: 'content', ...meta }
      return (await tx.sends.accept(appId, SOURCE.messages, request)).notification!.id
    })

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    id = await send()
  })
  afterEach(() => test.close())

  /** One event of an install, as its SDK uploads it; returns the data as it was stored. */
  async function tell(
    type: string,
    data: unknown,
    { install = 'a', user }: { install?: string; user?: string } = {},
  ): Promise<unknown> {
    const event = { type, uuid: `e${++uuid}`, timestamp: test.clock.now(), data, ...(user && { userId: user }) }
    await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, install, [event]))
    return (await test.program.events.after(test.first.id, 0, 1000)).find((stored) => stored.uuid === event.uuid)?.data
  }

  const about = (notification: unknown = id) => ({ type: 1, id: notification })
  const collect = async <T>(items: Promise<AsyncIterable<T>>) => {
    const all: T[] = []
    for await (const item of await items) all.push(item)
    return all
  }
  const installOpens = () => collect(test.program.notifications.installOpens(test.first.id, id))
  const userOpens = () => collect(test.program.notifications.userOpens(test.first.id, id))
  const counters = async () => {
    const { delivered, opened, dismissed } = await test.program.notifications.get(test.first.id, id)
    return { delivered, opened, dismissed }
  }

  it('are counted once for each install and kind', async () => {
    for (const install of ['a', 'b', 'a']) {
      for (const type of ['delivered', 'opened', 'opened', 'dismissed'])
        await tell(`k.message.${type}`, about(), { install })
    }
    expect(await counters()).to.deep.equal({ delivered: 2, opened: 2, dismissed: 2 })
  })

  it('are counted once when one upload repeats them', async () => {
    const event = { type: 'k.message.opened', timestamp: test.clock.now(), data: about() }
    const batch = ['x', 'y', 'z'].map((name) => ({ ...event, uuid: `same-${name}` }))
    await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, 'a', batch))
    expect(await counters()).to.deep.equal({ delivered: 0, opened: 1, dismissed: 0 })
  })

  it('of many uploads at once are counted as if they had come one after the other', async () => {
    const other = await send({ reportingMeta: { other: true } })
    const event = (type: string, data: object, userId?: string) => ({
      type: `k.message.${type}`,
      uuid: `e${++uuid}`,
      timestamp: test.clock.now(),
      data,
      ...(userId && { userId }),
    })
    const upload = (install: string, ...events: object[]) => test.program.uploads.ingest(test.first.id, install, events)
    await upload('a', event('opened', about()))
    await Promise.all([
      upload('a', event('opened', about(), 'zoe'), event('delivered', about(), 'zoe')),
      upload('b', event('dismissed', about(), 'ann'), event('opened', about(), 'ben'), event('opened', about(), 'zoe')),
      upload('c', event('delivered', about()), event('delivered', about(other)), event('opened', about(999_999))),
      upload('c', event('delivered', about()), event('read', about())),
    ])
    expect(await counters()).to.deep.equal({ delivered: 2, opened: 2, dismissed: 1 })
    expect((await userOpens()).map(({ userId }) => userId)).to.deep.equal(['a', 'ben'])
    expect(await test.program.notifications.get(test.first.id, other)).to.deep.include({ delivered: 1, opened: 0 })
    const stored = await test.program.events.after(test.first.id, 0, 100)
    expect(stored.filter(({ data }) => data?.['reportingMeta'] !== undefined).map(({ data }) => data)).to.deep.equal([
      { ...about(other), reportingMeta: { other: true } },
    ])
  })

  it('may come without a delivery, or before it', async () => {
    await tell('k.message.opened', about())
    await tell('k.message.delivered', about())
    expect(await counters()).to.deep.equal({ delivered: 1, opened: 1, dismissed: 0 })
    expect(await installOpens()).to.have.length(1)
  })

  it('keep the time of the first open', async () => {
    const first = test.clock.now()
    await tell('k.message.opened', about())
    test.clock.advance(60_000)
    await tell('k.message.opened', about())
    expect(await installOpens()).to.deep.equal([{ installId: 'a', openedAt: first }])
  })

  it('count no delivery or dismissal as an open', async () => {
    await tell('k.message.delivered', about())
    await tell('k.message.dismissed', about())
    expect(await installOpens()).to.deep.equal([])
    expect(await userOpens()).to.deep.equal([])
  })

  it('may have numbers as text', async () => {
    await tell('k.message.opened', { type: '1', id: String(id) })
    expect((await counters()).opened).to.equal(1)
  })

  it('may be the open event of an old app', async () => {
    await tell('k.push.opened', { id: String(id) })
    await tell('k.push.opened', { id }, { install: 'b' })
    expect((await counters()).opened).to.equal(2)
  })

  it('are ignored when they are about an in-app message', async () => {
    expect(await tell('k.message.opened', { type: 2, id })).to.deep.equal({ type: 2, id })
    expect((await counters()).opened).to.equal(0)
  })

  it('are stored and no more when the notification is unknown, foreign or nonsense', async () => {
    const second = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    const foreign = await send({ reportingMeta: { secret: 1 } }, second.id)
    for (const wrong of [
      999_999,
      foreign,
      0,
      -1,
      1.5,
      'x',
      '',
      null,
      undefined,
      {},
      [id],
      true,
      1e300,
      '9'.repeat(30),
    ]) {
      const data = JSON.parse(JSON.stringify(about(wrong)))
      if (wrong === undefined) delete data.id
      expect(await tell('k.message.opened', data), JSON.stringify(wrong)).to.deep.equal(data)
    }
    await tell('k.message.opened', null)
    expect((await counters()).opened).to.equal(0)
    expect((await test.program.notifications.get(second.id, foreign)).opened).to.equal(0)
  })

  it('get the metadata of the notification and of the event’s user', async () => {
    id = await send({ reportingMeta: { ref: [1] }, userMeta: { ann: { seat: 4 }, ben: 'x' } })
    expect(await tell('k.message.delivered', about(), { user: 'ann' })).to.deep.equal({
      ...about(),
      reportingMeta: { ref: [1] },
      userMeta: { seat: 4 },
    })
    expect(await tell('k.message.opened', about(), { user: 'ben' })).to.deep.include({ userMeta: 'x' })
    expect(await tell('k.message.opened', about(), { user: 'zoe' })).to.deep.equal({
      ...about(),
      reportingMeta: { ref: [1] },
    })
  })

  it('name the user who opened it, not the one it was delivered to', async () => {
    await tell('k.message.delivered', about(), { user: 'ann' })
    await tell('k.message.opened', about(), { user: 'ben' })
    await tell('k.message.dismissed', about(), { user: 'zoe' })
    expect((await userOpens()).map(({ userId }) => userId)).to.deep.equal(['ben'])
  })

  it('name a user once, with the first open on any install', async () => {
    const first = test.clock.now()
    await tell('k.message.opened', about(), { install: 'b', user: 'ann' })
    test.clock.advance(5000)
    await tell('k.message.opened', about(), { install: 'a', user: 'ann' })
    await tell('k.message.opened', about(), { install: 'c' })
    expect(await userOpens()).to.deep.equal([
      { userId: 'ann', openedAt: first },
      { userId: 'c', openedAt: first + 5000 },
    ])
    expect((await installOpens()).map(({ installId }) => installId)).to.deep.equal(['b', 'a', 'c'])
  })

  it('are read page by page, each once', async () => {
    const { db, clock } = test.program.kernel
    const user = await addInstall(test.program, test.first.id, 'first')
    const { user_id } = await db.read('installs').where({ id: user }).first('user_id')
    const now = clock.now()
    await test.program.kernel.db.write(async (trx) => {
      for (let from = 0; from < 2500; from += 500) {
        const rows = await trx('installs')
          .insert(
            Array.from({ length: 500 }, (_, i) => ({
              app_id: test.first.id,
              install_id: `many-${from + i}`,
              user_id,
              last_active: now,
              created_at: now,
              updated_at: now,
            })),
          )
          .returning('id')
        await trx('notification_opens').insert(
          rows.map((row: { id: number }, i: number) => ({
            notification_id: id,
            app_id: test.first.id,
            install_row: row.id,
            // Two installs each.
            user_identifier: `user-${Math.floor((from + i) / 2)}`,
            opened_at: now + from + i,
          })),
        )
      }
    })
    const installs = await installOpens()
    expect(new Set(installs.map(({ installId }) => installId)).size).to.equal(2500)
    expect(installs).to.have.length(2500)
    const users = await userOpens()
    expect(users).to.have.length(1250)
    expect(users.find(({ userId }) => userId === 'user-1249')!.openedAt).to.equal(now + 2498)
  })

  it('cannot be read for a notification that the app does not have', async () => {
    for (const read of ['installOpens', 'userOpens'] as const) {
      const error = await test.program.notifications[read](test.first.id, 999_999).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(AppError).with.property('code', 'not_found')
    }
  })
})
