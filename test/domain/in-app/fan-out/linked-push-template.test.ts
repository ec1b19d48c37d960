import { expect } from 'chai'
import { fromInAppForm, inAppForm } from '../../../../src/domain/in-app/request/request.ts'
import type { AppError } from '../../../../src/platform/errors.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { accept, addTemplates, addUser, handOut, inAppBody } from '../../../support/in-app.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const SALE = {
  content: {
    title: 'Half price',
    message: 'Until six',
    url: 'https://bakery.example/sale',
    data: { screen: 'offers' },
    languages: { de: { title: 'Halber Preis', message: 'Bis sechs', pictureUrl: 'https://bakery.example/de.png' } },
  },
  ios: { subtitle: 'Today only', media: { pictureUrl: 'https://bakery.example/sale.png' } },
  android: { channelId: 'offers', pictureUrl: 'https://bakery.example/sale.png' },
  buttons: [{ id: 'open', text: 'Show me' }],
}

onEachDatabase('a linked push that names a push template', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await addTemplates(test)
    await addGateway(test)
    await addUser(test, 'ann', { subscribed: true })
    await store('sale', SALE)
  })
  afterEach(() => test.close())

  const store = (uid: string, body: object) =>
    test.program.inTransaction((tx) => tx.pushTemplates.create(test.first.id, { uid, body: body as typeof SALE }))

  const announced = async (notification: object, extra: object = {}) => {
    const { message } = await accept(test, { notification, ...extra })
    return message!
  }
  const contentOf = async (pushId: number) => (await test.program.notifications.get(test.first.id, pushId)).content

  const preview = (extra: object, userId?: string) =>
    test.program.inApp.preview(
      test.first.id,
      fromInAppForm(parseJson(inAppForm, inAppBody(extra))),
      userId === undefined ? {} : { userId },
    )

  async function refusal(notification: object, extra: object = {}): Promise<Record<string, string[]>> {
    const error = await announced(notification, extra).then(
      () => expect.fail('it was accepted'),
      (error: AppError) => error,
    )
    expect(error.code).to.equal('invalid')
    return error.details.fields!
  }

  it('says all that the template says, and its record names the template', async () => {
    const message = await announced({ template: 'sale' })
    const content = await contentOf(message.notificationId!)
    expect(content).to.deep.include({
      title: 'Half price',
      message: 'Until six',
      url: 'https://bakery.example/sale',
      data: { screen: 'offers' },
      buttons: [{ id: 'open', text: 'Show me' }],
      inAppMessageId: message.id,
      template: { uid: 'sale', version: 1 },
    })
    expect(content.ios).to.include({ subtitle: 'Today only', pictureUrl: 'https://bakery.example/sale.png' })
    expect(content.android).to.include({ channelId: 'offers' })
    expect(message.notification).to.deep.equal({
      title: 'Half price',
      message: 'Until six',
      ios: { media: { pictureUrl: 'https://bakery.example/sale.png' } },
      android: { pictureUrl: 'https://bakery.example/sale.png' },
      languages: { de: { title: 'Halber Preis', message: 'Bis sechs', pictureUrl: 'https://bakery.example/de.png' } },
      template: { uid: 'sale', version: 1 },
    })
    await handOut(test)
    const { sender, sent } = scriptedSender(() => ({ kind: 'accepted' }))
    await fanOut(test)
    await deliverDue(test, sender)
    expect(sent).to.deep.equal(['token-ann-phone'])
  })

  it('says what the message says itself instead, key by key, and keeps it when the template goes', async () => {
    const languages = { de: { title: 'Neu', message: 'Heute' } }
    const { notificationId } = await announced({
      template: 'sale',
      title: 'New',
      languages,
      android: { pictureUrl: 'https://bakery.example/new.png' },
    })
    await test.program.inTransaction((tx) => tx.pushTemplates.delete(test.first.id, 'sale'))
    const content = await contentOf(notificationId!)
    expect(content).to.deep.include({ title: 'New', message: 'Until six', languages })
    expect(content.android).to.deep.equal({ channelId: 'offers', pictureUrl: 'https://bakery.example/new.png' })
    expect(content.ios).to.include({ pictureUrl: 'https://bakery.example/sale.png' })
  })

  it('reads the texts of a personalised template, also where the message is the same for everybody', async () => {
    await store('hello', { content: { title: 'Hello {{ user.identifier }}', message: 'M' }, personalize: {} })
    const request = { notification: { template: 'hello' } }
    const { notificationId } = await announced(request.notification)
    expect(await contentOf(notificationId!)).to.deep.include({ personalize: { missing: 'skip' } })
    const shown = await preview(request, 'ann')
    expect(shown.push).to.include({ title: 'Hello ann' })
    expect(shown.warnings).to.deep.equal([])
    expect((await preview(request)).push).to.include({ title: 'Hello {{ user.identifier }}' })
  })

  it('is refused at its key when there is no such template, or it does not go with a message', async () => {
    expect(await refusal({ template: 'gone' })).to.have.keys('notification.template')
    expect(await refusal({ template: 'sale', title: '' })).to.have.keys('notification.title')
    expect(await refusal({})).to.have.keys('notification.title', 'notification.message')
    expect(await refusal({ title: 'T' })).to.have.keys('notification.message')
    // A message has no metadata of single users.
    await store('order', { content: { title: 'Order {{ meta.order }}', message: 'M' }, personalize: {} })
    expect(await refusal({ template: 'order' })).to.have.keys('notification.title')
    await store('long', { content: { title: 'T', message: 'x'.repeat(4000) } })
    expect(await refusal({ template: 'long' })).to.have.keys('notification')
    await store('german', {
      content: { title: 'T', message: 'M', languages: { de: { title: 'T', message: 'x'.repeat(4000) } } },
    })
    expect(await refusal({ template: 'german' })).to.have.keys('notification.languages.de')
  })

  it('is warned of where its template has braces that nobody reads', async () => {
    await store('braces', { content: { title: '{{ user.identifier }}', message: 'M' } })
    const { warnings } = await preview({ notification: { template: 'braces' } })
    expect(warnings.map((one) => one.split(' ')[0])).to.deep.equal(['notification.title'])
  })
})
