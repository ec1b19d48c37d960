import { expect } from 'chai'
import { fromInAppForm, inAppForm } from '../../../src/domain/in-app/request/request.ts'
import { labelOf } from '../../../src/domain/labels/schema.ts'
import { MOST_SENDS } from '../../../src/domain/labels/service.ts'
import { fromMessagesForm, messagesForm } from '../../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../../src/domain/notifications/types.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../../support/delivery.ts'
import { addTemplates, addUser, inAppBody } from '../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { statementsOf } from '../../support/statements.ts'

const LATER = { schedule: { sendAt: '2026-03-02 12:30', strategy: 'utc', pastTimes: 'ignore' } }

onEachDatabase('labels of sends', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await withAndroids(test, 3)
  })
  afterEach(() => test.close())

  async function push(extra: object = {}): Promise<number> {
    const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, ...extra }
    const request = fromMessagesForm(parseJson(messagesForm, body))
    const { program, first } = test
    return (await program.inTransaction((tx) => tx.sends.accept(first.id, SOURCE.messages, request))).notification!.id
  }

  async function message(extra: object = {}): Promise<number> {
    const request = fromInAppForm(parseJson(inAppForm, inAppBody(extra)))
    const { program, first } = test
    return (await program.inTransaction((tx) => tx.inApp.accept(first.id, SOURCE.messages, request))).message!.id
  }

  const listed = async (filter: object, page: { after?: number; limit?: number } = {}) => {
    const found = await test.program.notifications.list(test.first.id, { limit: 50, ...page, filter })
    return { ids: found.notifications.map(({ id }) => id), next: found.next }
  }
  const period = () => ({ since: 0, before: test.clock.now() + 1 })
  const report = (page: object = {}) => test.program.labels.report(test.first.id, period(), { limit: 20, ...page })
  const names = (page: object = {}) => test.program.labels.names(test.first.id, { limit: 20, ...page })

  it('are stored in small letters, each once, and shown with the send', async () => {
    const id = await push({ labels: ['Welcome', 'welcome', 'autumn-2026'] })
    expect((await test.program.notifications.get(test.first.id, id)).labels).to.deep.equal(['autumn-2026', 'welcome'])
    expect((await test.program.notifications.again(test.first.id, id)).labels).to.deep.equal(['autumn-2026', 'welcome'])
  })

  it('page through the pushes that carry one, newest first, also those of one time', async () => {
    const all: number[] = []
    for (let i = 0; i < 5; i++) {
      if (i === 3) test.clock.advance(1000)
      all.unshift(await push({ labels: ['shop', `n-${i}`] }))
      await push({ labels: ['other'] })
    }
    expect((await listed({ label: 'shop' })).ids).to.deep.equal(all)
    const one = await listed({ label: 'shop' }, { limit: 2 })
    expect(one).to.deep.equal({ ids: all.slice(0, 2), next: all[1] })
    expect((await listed({ label: 'shop' }, { limit: 5, after: one.next! })).ids).to.deep.equal(all.slice(2))
    expect((await listed({ label: 'n-3' })).ids).to.deep.equal([all[1]])
    expect((await listed({ label: 'none' })).ids).to.deep.equal([])
    expect((await listed({ label: 'shop', createdSince: test.clock.now() })).ids).to.deep.equal(all.slice(0, 2))
    expect((await listed({ label: 'shop', status: 3 })).ids).to.deep.equal([])
    expect((await listed({ label: 'shop', status: 1 })).ids).to.deep.equal(all)
    expect((await listed({ label: 'shop', q: 'nothing like it' })).ids).to.deep.equal([])
  })

  it('belong to one app', async () => {
    const { program } = test
    const second = await program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await push({ labels: ['shop'] })
    expect(await program.labels.names(second.id, { limit: 20 })).to.deep.equal({ labels: [], next: null })
    const filter = { label: 'shop' }
    expect((await program.notifications.list(second.id, { limit: 20, filter })).notifications).to.have.lengthOf(0)
    const [row] = (await program.labels.report(second.id, period(), { limit: 1, label: 'shop' })).rows
    expect(row!.pushes.sends).to.equal(0)
  })

  it('follow an edit of a scheduled push', async () => {
    const { program, first } = test
    const id = await push({ ...LATER, labels: ['a', 'b'] })
    await program.inTransaction((tx) => tx.edits.edit(first.id, id, { labels: ['B', 'c'] }))
    expect((await names()).labels).to.deep.equal(['b', 'c'])
    await program.inTransaction((tx) => tx.edits.edit(first.id, id, { content: { title: 'U', message: 'M' } }))
    expect((await listed({ label: 'c' })).ids).to.deep.equal([id])
    await program.inTransaction((tx) => tx.edits.edit(first.id, id, { labels: null }))
    expect((await names()).labels).to.deep.equal([])
    expect((await program.notifications.get(first.id, id)).labels).to.equal(null)
  })

  it('are found as they are stored, whatever capitals make of their signs', async () => {
    for (const written of ['J\u030c', 'İstanbul', 'ΑΣ', 'H\u0331-x', 'Ǆ']) {
      await push({ labels: [written] })
      const stored = labelOf(written)
      expect(labelOf(stored), written).to.equal(stored)
      expect((await listed({ label: labelOf(stored) })).ids, written).to.have.length(1)
      expect((await names({ q: stored })).labels, written).to.deep.equal([stored])
    }
  })

  it('are listed by their beginning, in pages', async () => {
    await push({ labels: ['autumn-1', 'autumn-2', 'winter', 'äther', 'Zoo'] })
    expect((await names()).labels).to.deep.equal(['autumn-1', 'autumn-2', 'winter', 'zoo', 'äther'])
    expect(await names({ q: 'Aut', limit: 1 })).to.deep.equal({ labels: ['autumn-1'], next: 'autumn-1' })
    const next = { labels: ['autumn-2'], next: null }
    expect(await names({ q: 'aut', limit: 1, after: 'autumn-1' })).to.deep.equal(next)
    expect(await names({ q: 'x' })).to.deep.equal({ labels: [], next: null })
    expect((await names({ after: 'winter', limit: 1 })).labels).to.deep.equal(['zoo'])
  })

  it('add up what was accepted, opened and shown, without tests', async () => {
    const { program, first, clock } = test
    await addTemplates(test)
    await addUser(test, 'ann')
    const id = await push({ labels: ['shop'] })
    await push({ labels: ['shop'], isTest: true })
    await push({ ...LATER, labels: ['shop'] })
    await message({ labels: ['shop'], notification: { title: 'N', message: 'M' } })
    await fanOut(test)
    const { sender } = scriptedSender(() => ({ kind: 'accepted' }))
    await deliverDue(test, sender)
    await program.kernel.db.write((trx) => trx('notifications').where({ id }).update({ opened: 2 }))
    const { accepted } = await program.ledger.counts(first.id, id)
    expect(accepted).to.be.greaterThan(0)
    const [row] = (await report()).rows
    // The push that announces the message carries its labels.
    expect(row).to.deep.include({ label: 'shop', isWhole: true })
    expect(row!.pushes).to.deep.equal({ sends: 3, accepted, opened: 2 })
    expect(row!.messages.sends).to.equal(1)
    clock.advance(1000)
    const late = await program.labels.report(first.id, { since: clock.now(), before: clock.now() + 1 }, { limit: 20 })
    expect(late.rows).to.deep.equal([])
  })

  it('say when a period has more sends than are added up', async () => {
    const { program, first } = test
    await push({ labels: ['much'] })
    await program.kernel.db.write((trx) =>
      trx('send_labels').insert(
        Array.from({ length: MOST_SENDS }, (_, i) => ({
          app_id: first.id,
          label: 'much',
          kind: 'push',
          created_at: 1,
          send_id: 1_000_000 + i,
        })),
      ),
    )
    expect((await report()).rows[0]).to.deep.include({ label: 'much', isWhole: false })
  })

  it('filter in-app messages and page through them', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const ids = [await message({ labels: ['shop'] }), await message(), await message({ labels: ['shop'] })]
    const { program, first } = test
    const list = (page: object) => program.inApp.list(first.id, { limit: 1, label: 'SHOP', ...page })
    const one = await list({})
    expect(one.messages.map(({ id }) => id)).to.deep.equal([ids[2]])
    const two = await list({ after: one.next! })
    expect(two.messages.map(({ id, labels }) => [id, labels])).to.deep.equal([[ids[0], ['shop']]])
    expect(two.next).to.equal(null)
  })

  it('cost a send without them no statement', async () => {
    const heard = await statementsOf(test.program, () => push())
    expect(heard.filter(({ sql }) => /send_labels/.test(sql))).to.deep.equal([])
    const labelled = await statementsOf(test.program, () => push({ labels: ['a', 'b'] }))
    expect(labelled.filter(({ sql }) => /send_labels/.test(sql))).to.have.lengthOf(1)
  })

  for (const [labels, at] of [
    [['two words'], 'labels[0]'],
    [['ok', ''], 'labels[1]'],
    [['x'.repeat(41)], 'labels[0]'],
    [['-a'], 'labels[0]'],
    [[7], 'labels[0]'],
    [['a', 'b', 'c', 'd', 'e', 'f'], 'labels'],
    ['shop', 'labels'],
  ] as const) {
    it(`refuse ${JSON.stringify(labels).slice(0, 40)}`, () => {
      const body = { target: { broadcast: true }, content: { title: 'T', message: 'M' }, labels }
      for (const read of [() => parseJson(messagesForm, body), () => parseJson(inAppForm, inAppBody({ labels }))]) {
        try {
          read()
          expect.fail('it was taken')
        } catch (error) {
          expect((error as { details?: { fields: object } }).details?.fields).to.have.property(at)
        }
      }
    })
  }
})
