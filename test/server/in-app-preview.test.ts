import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'

describe('POST /messages/v1/in-app-messages/preview', () => {
  let server: TestServer
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())
  beforeEach(async () => {
    await server.startOver()
    await addTemplates(server)
    await addUser(server, 'ann', { subscribed: true })
    await server.program.inTransaction((tx) => tx.crm.putAttributes(server.first.id, 'ann', { name: 'Ann' }))
  })

  const preview = (body: object, query = '') =>
    server.call('POST', `/messages/v1/in-app-messages/preview${query}`, { auth: 'server', body: inAppBody(body) })

  const PERSONAL = {
    template: 'hello',
    personalize: {},
    content: { Name: '{{ user.attributes.name }}' },
    languages: { de: { Name: 'liebe {{ user.attributes.name }}' } },
    notification: {
      title: 'For {{ user.attributes.name }}',
      message: 'M',
      languages: { de: { title: 'Für {{ user.attributes.nick }}', message: 'M' } },
    },
    inbox: { title: 'I', subtitle: '' },
  }

  it('shows what one user would get, in their language', async () => {
    const { status, body } = await preview(PERSONAL, '?userId=ann')
    expect(status).to.equal(200)
    expect(body).to.deep.equal({
      content: { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello Ann' }] } },
      data: null,
      inbox: { title: 'I', subtitle: '', imageUrl: null },
      language: 'default',
      notification: { title: 'For Ann', message: 'M', pictureUrl: null },
      missing: [],
      tooLarge: false,
      warnings: [],
    })
    await server.program.kernel.db.write((sql) => sql('installs').update({ locale: 'de_DE' }))
    const german = (await preview(PERSONAL, '?userId=ann')).body as Record<string, unknown>
    expect(JSON.stringify(german.content)).to.contain('Hello liebe Ann')
    expect(german).to.deep.include({ language: 'de', notification: null, missing: ['user.attributes.nick'] })
  })

  it('shows texts as they are written without a user, and nothing where one lacks a value', async () => {
    const { body } = await preview(PERSONAL)
    expect(JSON.stringify(body)).to.contain('Hello {{ user.attributes.name }}')
    await addUser(server, 'bob')
    const none = (await preview(PERSONAL, '?userId=bob')).body
    expect(none).to.deep.include({ content: null, notification: null, missing: ['user.attributes.name'] })
  })

  it('warns of braces that people would read', async () => {
    const { body } = await preview({
      template: 'hello',
      content: { Name: '{{ user.identifier }}' },
      notification: { title: '{{ a }}', message: 'M' },
    })
    expect((body as { warnings: string[] }).warnings.map((one) => one.split(' ')[0])).to.deep.equal([
      'content.Name',
      'notification.title',
    ])
  })

  it('refuses what sending refuses, and users who are unknown', async () => {
    expect((await preview(PERSONAL, '?userId=nobody')).status).to.equal(404)
    expect((await preview({ template: 'gone' })).status).to.equal(404)
    const wrong = await preview({ template: 'hello', personalize: {}, content: { Name: '{{ meta.x }}' } })
    expect(wrong.status).to.equal(422)
    expect(JSON.stringify(wrong.body)).to.contain('content.Name')
  })
})
