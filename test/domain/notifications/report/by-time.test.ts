import { expect } from 'chai'
import { fromInAppForm, inAppForm } from '../../../../src/domain/in-app/request/request.ts'
import { fromMessagesForm, messagesForm } from '../../../../src/domain/notifications/schema.ts'
import { type NotificationFilter, SOURCE, type TimeOrder } from '../../../../src/domain/notifications/types.ts'
import { sendPush } from '../../../../src/domain/series/send.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../../support/delivery.ts'
import { addTemplates, addUser, handOut, inAppBody } from '../../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const at = (sendAt: string) => ({ schedule: { sendAt: `2026-03-${sendAt}`, strategy: 'utc', pastTimes: 'ignore' } })
const HOUR_MS = 3_600_000

onEachDatabase('lists of sends by time', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 2)
  })
  afterEach(() => test.close())

  async function push(extra: object = {}): Promise<number> {
    const { program, first } = test
    const body = parseJson(messagesForm, {
      target: { broadcast: true },
      content: { title: 'T', message: 'M' },
      ...extra,
    })
    const asked = { source: SOURCE.messages, body, request: fromMessagesForm(body) }
    return (await program.inTransaction((tx) => sendPush(tx, first.id, asked))).notification!.id
  }

  async function message(extra: object = {}): Promise<number> {
    const { program, first } = test
    const request = fromInAppForm(parseJson(inAppForm, inAppBody(extra)))
    return (await program.inTransaction((tx) => tx.inApp.accept(first.id, SOURCE.messages, request))).message!.id
  }

  async function sendDue(): Promise<void> {
    const { sender } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    await fanOut(test)
  }

  const pushes = async (order: TimeOrder, more: NotificationFilter & { after?: number; limit?: number } = {}) => {
    const { after, limit = 50, ...filter } = more
    const page = { limit, filter: { order, ...filter }, ...(after !== undefined && { after }) }
    const { notifications, next } = await test.program.notifications.list(test.first.id, page)
    return { ids: notifications.map(({ id }) => id), next }
  }
  const messages = async (
    order: TimeOrder | 'created',
    more: { after?: number; limit?: number; label?: string } = {},
  ) => {
    const found = await test.program.inApp.list(test.first.id, { limit: 50, order, ...more })
    return { ids: found.messages.map(({ id }) => id), next: found.next }
  }
  const refused = async (of: Promise<unknown>) => {
    const error = (await of.catch((thrown: unknown) => thrown)) as { details?: { fields?: object } }
    expect(error.details?.fields).to.have.property('after')
  }

  it('has what waits for its time in the order of due times, also those of one time', async () => {
    const [third, first, second, twin] = [
      await push(at('09 10:00')),
      await push(at('02 10:00')),
      await push(at('05 10:00')),
      await push(at('05 10:00')),
    ]
    await push()
    expect((await pushes('due')).ids).to.deep.equal([first, second, twin, third])
    expect(await pushes('due', { limit: 2 })).to.deep.equal({ ids: [first, second], next: second })
    expect((await pushes('due', { after: second })).ids).to.deep.equal([twin, third])
    await test.program.inTransaction((tx) => tx.edits.edit(test.first.id, second, at('10 10:00')))
    expect((await pushes('due')).ids).to.deep.equal([first, twin, third, second])
  })

  it('has what was sent in the order in which it went out, not of its creation', async () => {
    const late = await push(at('02 12:00'))
    const early = await push()
    await sendDue()
    test.clock.advance(24 * HOUR_MS)
    const between = await push()
    await push(at('20 10:00'))
    await sendDue()
    expect((await pushes('sent')).ids.slice(-1)).to.deep.equal([early])
    expect((await pushes('sent')).ids.slice(0, 2).toSorted((a, b) => a - b)).to.deep.equal(
      [late, between].toSorted((a, b) => a - b),
    )
    const { sentAt, dueAt } = await test.program.notifications.get(test.first.id, late)
    expect(sentAt).to.equal(test.clock.now())
    expect(dueAt).to.equal(Date.parse('2026-03-02T12:00:00Z'))
    const one = await pushes('sent', { limit: 1 })
    expect((await pushes('sent', { after: one.next! })).ids).to.have.lengthOf(2)
  })

  it('lets other filters through within an order', async () => {
    const shop = await push({ ...at('05 10:00'), labels: ['shop'] })
    const rye = await push({ ...at('02 10:00'), content: { title: 'Rye', message: 'M' } })
    expect((await pushes('due', { label: 'shop' })).ids).to.deep.equal([shop])
    expect((await pushes('due', { q: 'rye' })).ids).to.deep.equal([rye])
    expect((await pushes('due', { status: 3 })).ids).to.deep.equal([])
    expect((await pushes('due', { createdBefore: test.clock.now() })).ids).to.deep.equal([])
    expect((await pushes('due', { createdSince: test.clock.now() })).ids).to.deep.equal([rye, shop])
  })

  it('does not go on behind what is not in the list any more', async () => {
    const id = await push()
    await refused(pushes('due', { after: id }))
    await refused(pushes('sent', { after: id }))
    await addTemplates(test)
    await addUser(test, 'ann')
    await refused(messages('sent', { after: await message() }))
    await refused(test.program.series.list(test.first.id, { order: 'due', after: 1, limit: 5 }))
  })

  it('has in-app messages by the time of their next step, and by when users got them', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const [late, early] = [await message(at('09 10:00')), await message({ ...at('02 10:00'), labels: ['shop'] })]
    expect((await messages('due')).ids).to.deep.equal([early, late])
    expect((await messages('due', { limit: 1 })).next).to.equal(early)
    expect((await messages('due', { after: early })).ids).to.deep.equal([late])
    expect((await messages('due', { label: 'shop' })).ids).to.deep.equal([early])
    test.clock.advance(24 * HOUR_MS)
    const now = await message()
    await handOut(test)
    expect((await messages('due')).ids).to.deep.equal([late])
    expect((await messages('sent')).ids.toSorted((a, b) => a - b)).to.deep.equal([early, now].toSorted((a, b) => a - b))
    expect((await test.program.inApp.get(test.first.id, early)).sentAt).to.equal(test.clock.now())
    expect((await messages('sent', { label: 'shop' })).ids).to.deep.equal([early])
  })

  it('has in-app messages by the time of their creation, each once while others come', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const [early, twin] = [await message(), await message()]
    test.clock.advance(-HOUR_MS)
    // Another server, whose clock is late, stored it last.
    const earliest = await message()
    test.clock.advance(2 * HOUR_MS)
    const latest = await message()
    expect((await messages('created')).ids).to.deep.equal([latest, twin, early, earliest])
    const first = await messages('created', { limit: 2 })
    expect(first).to.deep.equal({ ids: [latest, twin], next: twin })
    await message()
    expect(await messages('created', { limit: 2, after: first.next! })).to.deep.equal({
      ids: [early, earliest],
      next: null,
    })
    await refused(messages('created', { after: latest + 100 }))
    await refused(test.program.inApp.list(test.first.id + 1, { limit: 5, after: latest }))
    expect((await test.program.inApp.underWay(test.first.id)).running.map(({ id }) => id)).to.include(latest)
  })

  it('has series by their next time', async () => {
    const weekly = (cron: string) => ({ schedule: { strategy: 'recurring', cron, timezone: 'UTC' } })
    await push(weekly('0 9 * * FRI'))
    await push(weekly('0 9 * * TUE'))
    const list = (more: object = {}) => test.program.series.list(test.first.id, { order: 'due', limit: 1, ...more })
    const one = await list()
    const two = await list({ after: one.next! })
    expect([...one.series, ...two.series].map(({ series }) => series.request['schedule'])).to.deep.equal([
      weekly('0 9 * * TUE').schedule,
      weekly('0 9 * * FRI').schedule,
    ])
    expect((await list({ state: 'ended' })).series).to.deep.equal([])
  })
})
