import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { withAndroids } from '../../support/delivery.ts'
import { credential } from '../../support/gateways.ts'
import { onSqliteDaily, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const ANN = { id: 1, name: 'ann@example.com' }
const BEN = { id: 2, name: 'ben@example.com' }
const DAY_MS = 86_400_000
const PUSH = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }

onSqliteDaily('a push that waits for a second person', (kind) => {
  let test: TestProgram
  let appId: number
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    appId = test.first.id
    await withAndroids(test, 1)
  })
  afterEach(() => test.close())

  const ask = (body: Record<string, unknown> = PUSH, of = appId) =>
    test.program.inTransaction((tx) => tx.approvals.ask(of, body, ANN))
  const approve = (id: number, by = BEN, of = appId) =>
    test.program.inTransaction((tx) => tx.approvals.approve(of, id, by, { holdMs: 0 }))
  const decline = (id: number, of = appId) => test.program.inTransaction((tx) => tx.approvals.decline(of, id, BEN))
  const forget = (limit: number) => test.program.inTransaction((tx) => tx.approvals.forget(limit))
  /** Another app with a gateway. */
  async function openOther(): Promise<number> {
    return test.program.inTransaction(async (tx) => {
      const { id } = await tx.apps.create({ name: 'Other' })
      await tx.gateways.configure(id, { android: credential() })
      return id
    })
  }
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (isAppError(error) ? `${error.code}: ${error.message}` : error),
    )

  it('is sent once, by somebody else, and forgets then what it said', async () => {
    const { id } = await ask()
    expect(await codeOf(approve(id, ANN))).to.equal('forbidden: you wrote this push: somebody else must approve it')
    const { approval, accepted } = await approve(id)
    expect(approval).to.deep.include({
      state: 'approved',
      request: null,
      title: 'T',
      requestedName: ANN.name,
      decidedName: BEN.name,
      decidedAt: test.clock.now(),
      notificationId: accepted.notification!.id,
    })
    const already = `conflict: this push was approved already by ${BEN.name}`
    for (const again of [approve, decline]) expect(await codeOf(again(id))).to.equal(already)
    const measure = (of: number) => test.program.inTransaction((tx) => tx.approvals.measure(of, id, undefined))
    expect(await codeOf(measure(appId))).to.equal(already)
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    for (const work of [measure(other.id), approve(id, BEN, other.id), decline(id, other.id)])
      expect(await codeOf(work)).to.equal(`not_found: there is no push ${id} that waits for approval`)
  })

  it('is sent never when it was declined', async () => {
    const { id } = await ask()
    expect(await decline(id)).to.include({ state: 'declined', decidedName: BEN.name, notificationId: null })
    expect(await codeOf(approve(id))).to.equal(`conflict: this push was declined already by ${BEN.name}`)
    expect(await test.program.notifications.list(appId, { limit: 10 }))
      .to.have.property('notifications')
      .that.deep.equals([])
  })

  it('says what its push template said when it was asked for', async () => {
    const body = { content: { title: 'Then', message: 'M' } }
    await test.program.inTransaction((tx) => tx.pushTemplates.create(appId, { uid: 'greeting', body }))
    const { id, title } = await ask({ target: { broadcast: true }, content: { template: 'greeting' } })
    expect(title).to.equal('Then')
    await test.program.inTransaction((tx) => tx.pushTemplates.delete(appId, 'greeting'))
    const { accepted } = await approve(id)
    expect(accepted.notification!.content).to.deep.include({
      title: 'Then',
      template: { uid: 'greeting', version: 1 },
    })
    const gone = await codeOf(ask({ target: { broadcast: true }, content: { template: 'greeting' } }))
    expect(gone).to.equal('invalid: validation failed')
  })

  it('still waits when it would reach nobody', async () => {
    const { id } = await ask({ ...PUSH, target: { installIds: ['nobody'] } })
    const { approval, accepted } = await approve(id)
    expect([accepted.notification, approval.state]).to.deep.equal([null, 'waiting'])
  })

  it('is shown by the first 255 characters of its title', async () => {
    const title = '\u{1F600}'.repeat(256)
    const { id } = await ask({ ...PUSH, content: { title, message: 'M' } })
    expect((await test.program.approvals.get(appId, id)).title).to.equal('\u{1F600}'.repeat(255))
  })

  it('is listed newest first, page by page, by what became of it', async () => {
    const ids = [(await ask()).id, (await ask()).id, (await ask()).id]
    await ask(PUSH, await openOther())
    await decline(ids[1]!)
    const list = async (query: Parameters<typeof test.program.approvals.list>[1]) => {
      const { approvals, next } = await test.program.approvals.list(appId, query)
      return [approvals.map(({ id }) => ids.indexOf(id)), next === null ? null : ids.indexOf(next)]
    }
    expect(await list({ limit: 10 })).to.deep.equal([[2, 1, 0], null])
    expect(await list({ limit: 3 })).to.deep.equal([[2, 1, 0], 0])
    expect(await list({ limit: 3, after: ids[0] })).to.deep.equal([[], null])
    expect(await list({ limit: 1, after: ids[2] })).to.deep.equal([[1], 1])
    expect(await list({ limit: 10, state: 'waiting' })).to.deep.equal([[2, 0], null])
    expect(await list({ limit: 10, state: 'declined' })).to.deep.equal([[1], null])
  })

  it('makes room for the hundred-and-first when the oldest was decided, and is refused when all of them wait', async () => {
    const other = await openOther()
    const theirs = await ask(PUSH, other)
    await decline(theirs.id, other)
    const ids: number[] = []
    for (let i = 0; i < 99; i++) ids.push((await ask()).id)
    await decline(ids[3]!)
    await decline(ids[5]!)
    const gone: (number | undefined)[] = []
    for (const dropped of [undefined, ids[3], ids[5]]) {
      ids.push((await ask()).id)
      gone.push(dropped)
      const { approvals } = await test.program.approvals.list(appId, { limit: 200 })
      expect(approvals.map(({ id }) => id)).to.deep.equal(ids.filter((id) => !gone.includes(id)).reverse())
    }
    expect((await test.program.approvals.get(other, theirs.id)).state).to.equal('declined')
    expect(await codeOf(ask())).to.equal('conflict: 100 pushes wait for approval already: decide some of them first')
  })

  it('is forgotten after thirty days, the oldest first, whatever became of it', async () => {
    const first = await ask()
    test.clock.advance(1)
    const second = await ask()
    test.clock.advance(1)
    const third = await ask()
    await decline(first.id)
    test.clock.set(first.requestedAt + 30 * DAY_MS)
    expect(await forget(10)).to.equal(0)
    test.clock.advance(2)
    expect(await forget(1)).to.equal(1)
    expect(await codeOf(test.program.approvals.get(appId, first.id))).to.include('not_found')
    expect([await forget(10), await forget(10)]).to.deep.equal([1, 0])
    expect(await codeOf(test.program.approvals.get(appId, second.id))).to.include('not_found')
    expect(await test.program.approvals.get(appId, third.id)).to.include({ state: 'waiting' })
  })

  it('is what sending is called in an app that asks for it', async () => {
    const required = () => codeOf(test.program.approvals.requireNone(appId))
    expect(await required()).to.equal('done')
    await test.program.inTransaction((tx) => tx.apps.setSecondPerson(appId, true))
    expect(await required()).to.match(/^forbidden: in this app a second person approves each push/)
    const error = await test.program.approvals.requireNone(appId).catch((thrown: unknown) => thrown)
    expect(error).to.have.nested.property('details.body.code', 'second_person')
  })
})
