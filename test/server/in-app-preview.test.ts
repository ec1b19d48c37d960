import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { addInstall } from '../support/installs.ts'

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
      defaults: [],
      size: { part: 'texts', bytes: 22, limit: 4096 },
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

  it('shows a language that is asked for, with and without a user, and what a default stands for', async () => {
    const named = { ...PERSONAL, content: { Name: "{{ user.attributes.nick | default: 'you' }}" } }
    const { body } = await preview(named, '?userId=ann&language=de-AT')
    expect(body).to.deep.include({ language: 'de', notification: null })
    expect(JSON.stringify(body)).to.contain('Hello liebe Ann')
    expect((await preview(named, '?userId=ann')).body).to.deep.include({
      language: 'default',
      defaults: [{ expression: "user.attributes.nick | default: 'you'", text: 'you' }],
    })
    const written = (await preview(PERSONAL, '?language=de')).body as Record<string, unknown>
    expect(JSON.stringify(written.content)).to.contain('Hello liebe {{ user.attributes.name }}')
    expect(written).to.deep.include({
      language: 'de',
      notification: { title: 'Für {{ user.attributes.nick }}', message: 'M', pictureUrl: null },
    })
    expect((await preview(PERSONAL, '?language=fr')).body).to.deep.include({ language: 'default' })
    expect((await preview(PERSONAL, '?language=nonsense-')).status).to.equal(422)
  })

  it('shows the message of the user of an install, and its push in the language of that install', async () => {
    const { program, first, clock } = server
    await addInstall(program, first.id, 'tablet', { user: 'ann', subscribed: true })
    await program.kernel.db.write((sql) => sql('installs').where({ install_id: 'tablet' }).update({ locale: 'de_DE' }))
    await program.kernel.db.write((sql) =>
      sql('installs')
        .where({ install_id: 'ann-phone' })
        .update({ last_active: clock.now() + 1000 }),
    )
    const own = {
      ...PERSONAL.notification,
      languages: { de: { title: 'Für {{ user.attributes.name }}', message: 'M' } },
    }
    const { body } = await preview({ ...PERSONAL, notification: own }, '?installId=tablet')
    expect(body).to.deep.include({
      language: 'default',
      notification: { title: 'Für Ann', message: 'M', pictureUrl: null },
    })
    expect(JSON.stringify(body)).to.contain('Hello Ann')
    expect((await preview(PERSONAL, '?installId=none')).status).to.equal(404)
    expect((await preview(PERSONAL, '?installId=tablet&userId=ann')).status).to.equal(422)
  })

  it('says what a sample of the audience would get', async () => {
    await addUser(server, 'bob')
    const { body } = await preview(PERSONAL, '?sample=100')
    const { personalization, warnings } = body as Record<string, never>
    expect(personalization).to.deep.include({
      sampled: 2,
      skipped: 1,
      tooLarge: 0,
      languages: [{ language: 'default', count: 1 }],
      examples: [{ userId: 'ann', language: 'default', title: 'Hello Ann', message: '' }],
    })
    expect(personalization).to.have.nested.property('expressions[0].missing', 1)
    expect(warnings).to.deep.equal([])
    expect((await preview({ template: 'plain' }, '?sample=5')).body).to.not.have.property('personalization')
    const aimed = await preview({ ...PERSONAL, target: { segmentUuid: 'none' } }, '?sample=5')
    expect(aimed.status).to.equal(422)
    expect((await preview(PERSONAL, '?sample=0')).status).to.equal(422)
    const misspelt = { ...PERSONAL, content: { Name: '{{ user.attributes.nmae }}' }, languages: null }
    expect(JSON.stringify((await preview(misspelt, '?sample=5')).body)).to.contain(
      'nobody of the 2 who were looked at has user.attributes.nmae',
    )
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
