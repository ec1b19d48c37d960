import { expect } from 'chai'
import { STATUS } from '../../../../src/domain/in-app/types.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { accept, addTemplates, addUser } from '../../../support/in-app.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

onEachDatabase('accepting an in-app message', (kind) => {
  let test: TestProgram

  before(async () => {
    test = await openTestProgram({ kind })
    await addTemplates(test)
    await addUser(test, 'ann')
    await addUser(test, 'off', { enabled: false })
    await addUser(test, '7')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Second' }))
    await addUser({ ...test, first: other }, 'eve')
  })
  after(() => test.close())

  /** Returns the refusal. */
  async function refusal(extra: object): Promise<AppError> {
    try {
      await accept(test, extra)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
    throw new Error('it was accepted')
  }

  const stored = async () => {
    const [messages, notifications] = await Promise.all(
      ['in_app_messages', 'notifications'].map((table) => test.program.kernel.db.read(table).count({ n: '*' }).first()),
    )
    return [(messages as { n: number }).n, (notifications as { n: number }).n]
  }

  it('keeps the request, the version it was rendered from and the finished content', async () => {
    const { message, errors } = await accept(test, {
      template: 'hello',
      content: { Name: 'Ann' },
      data: { a: 1 },
      inbox: { title: 'T', subtitle: 'S' },
      target: { userIds: ['ann'], installIds: [] },
    })
    expect(errors).to.deep.equal({})
    expect(message).to.deep.include({
      appId: test.first.id,
      status: STATUS.queued,
      filters: { userIds: ['ann'] },
      template: 'hello',
      templateVersion: 1,
      tagValues: { Name: 'Ann' },
      content: { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello Ann' }] } },
      data: { a: 1 },
      inbox: { title: 'T', subtitle: 'S' },
      presentedWhen: 'immediately',
      ttlMs: 86_400_000,
      notification: null,
      notificationId: null,
      nextAt: test.clock.now(),
    })
  })

  it('lists unknown ids and ids with in-app messages disabled, in the order given and each once', async () => {
    const { message, errors } = await accept(test, {
      target: {
        userIds: ['nobody', 'off', 'ann', 'eve', 'off', 'nobody', 7],
        installIds: ['gone', 'off-phone', 'ann-phone', 'eve-phone', 42],
      },
    })
    expect(errors).to.deep.equal({
      unknownUserIds: ['nobody', 'eve'],
      unsubscribedUserIds: ['off'],
      unknownInstallIds: ['gone', 'eve-phone', 42],
      unsubscribedInstallIds: ['off-phone'],
    })
    expect(message).not.to.equal(null)
  })

  it('stores nothing when none of the named recipients can get it', async () => {
    const before = await stored()
    const { message, errors } = await accept(test, {
      target: { userIds: ['off', 'nobody'], installIds: ['off-phone'] },
      notification: { title: 'T', message: 'M' },
    })
    expect(message).to.equal(null)
    expect(errors).to.deep.equal({
      unknownUserIds: ['nobody'],
      unsubscribedUserIds: ['off'],
      unsubscribedInstallIds: ['off-phone'],
    })
    expect(await stored()).to.deep.equal(before)
  })

  it('accepts a named user who is excluded as well', async () => {
    const { message } = await accept(test, { target: { userIds: ['ann'], excludeInstallIds: ['ann-phone'] } })
    expect(message).not.to.equal(null)
  })

  it('reports an unknown template before it checks values and targets', async () => {
    const before = await stored()
    const refused = await refusal({ template: 'gone', content: { Name: 1 }, target: { userIds: ['nobody'] } })
    expect(refused).to.include({ code: 'not_found', message: 'there is no template "gone"' })
    expect(await stored()).to.deep.equal(before)
  })

  it('names every wrong value, target and size at once, before it looks for users', async () => {
    const before = await stored()
    const refused = await refusal({
      template: 'hello',
      content: { Nane: 'Ann' },
      target: { segmentUuid: 'gone', channelUuids: ['gone'] },
      notification: { title: 'T', message: 'x'.repeat(5000) },
    })
    expect(refused.code).to.equal('invalid')
    expect(Object.keys(refused.details.fields!).sort()).to.deep.equal([
      'content.Name',
      'content.Nane',
      'notification',
      'target.channelUuids[0]',
      'target.segmentUuid',
    ])
    expect(refused.details.fields!.notification!.join()).to.include('shorten message')
    expect(await stored()).to.deep.equal(before)
  })

  it('requires content of a template with tags, and of no other', async () => {
    const refused = await refusal({ template: 'hello', target: { userIds: ['nobody'] } })
    expect(Object.keys(refused.details.fields!)).to.have.members(['content', 'content.Name'])
    expect((await accept(test, { template: 'plain' })).message).not.to.equal(null)
    expect(Object.keys((await refusal({ content: { Name: 'Ann' } })).details.fields!)).to.deep.equal(['content.Name'])
  })

  it('does not change with its template', async () => {
    const { program, first } = test
    const body = { template: 'hello', content: { Name: 'Ann' } }
    const { message } = await accept(test, body)
    await program.inTransaction((tx) => tx.templates.delete(first.id, 'hello'))
    expect((await program.inApp.get(first.id, message!.id)).content).to.deep.equal(message!.content)
    expect((await refusal(body)).code).to.equal('not_found')
  })
})
