import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { onSqliteDaily } from '../support/program.ts'

const PATH = '/messages/v1/push-templates'
const SEND = '/messages/v2/notifications'
const CONTENT = { title: 'On its way', message: 'We have sent your order.' }
const BODY = { content: CONTENT, ios: { subtitle: 'Your order' }, buttons: [{ id: 'track', text: 'Track it' }] }

onSqliteDaily('the interface of push templates', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(() => test.startOver())
  after(() => test.close())

  const routes: [string, string, object?][] = [
    ['POST', PATH, BODY],
    ['GET', PATH],
    ['GET', `${PATH}/x`],
    ['PUT', `${PATH}/x`, { name: 'x' }],
    ['DELETE', `${PATH}/x`],
    ['GET', `${PATH}/x/versions`],
    ['GET', `${PATH}/x/versions/1`],
    ['POST', `${PATH}/x/preview`, {}],
  ]

  it('asks for the server key everywhere', async () => {
    for (const [method, path, body] of routes) {
      for (const auth of ['none', 'device', 'Basic !', basic(test.first.apiKey, 'x')]) {
        expect((await test.call(method, path, { auth, ...(body && { body }) })).status, `${method} ${path}`).to.equal(
          401,
        )
      }
    }
  })

  it('makes, shows, changes, previews, lists and deletes a push template', async () => {
    const made = await test.call('POST', PATH, { body: { uid: 'shipped', name: 'Shipped', ...BODY } })
    expect(made.status).to.equal(201)
    expect(made.body).to.deep.equal({
      appId: test.first.id,
      uid: 'shipped',
      name: 'Shipped',
      version: 1,
      ...BODY,
      createdAt: '2026-03-01 12:00:00',
      updatedAt: '2026-03-01 12:00:00',
    })
    expect((await test.call('GET', `${PATH}/shipped`)).body).to.deep.equal(made.body)
    expect((await test.call('PUT', `${PATH}/shipped`, { body: made.body })).body).to.deep.include({ version: 1 })

    const changed = await test.call('PUT', `${PATH}/shipped`, { body: { buttons: null, android: { channelId: 'o' } } })
    expect(changed.body)
      .to.deep.include({ version: 2, android: { channelId: 'o' } })
      .and.not.have.property('buttons')
    expect((await test.call('GET', `${PATH}/shipped/versions/1`)).body).to.deep.equal({
      uid: 'shipped',
      version: 1,
      ...BODY,
      createdAt: '2026-03-01 12:00:00',
    })
    expect((await test.call('GET', `${PATH}/shipped/versions?limit=1`)).body).to.deep.equal({
      versions: [{ version: 1, createdAt: '2026-03-01 12:00:00' }],
      next: 1,
    })
    const { appId, uid, name, version, createdAt, updatedAt } = changed.body as Record<string, unknown>
    const line = { appId, uid, name, version, createdAt, updatedAt }
    expect((await test.call('GET', `${PATH}?limit=1`)).body).to.deep.equal({ pushTemplates: [line], next: null })
    expect((await test.call('DELETE', `${PATH}/shipped`)).status).to.equal(204)
    for (const [method, path, body] of routes.filter(([, path]) => path !== PATH)) {
      const answer = await test.call(method, path.replace('/x', '/shipped'), { ...(body && { body }) })
      expect(answer.status, `${method} ${path}`).to.equal(404)
    }
  })

  it('answers 409 to a uid that is taken', async () => {
    await test.call('POST', PATH, { body: { uid: 'taken', ...BODY } })
    const again = await test.call('POST', PATH, { body: { uid: 'taken', ...BODY } })
    expect([again.status, again.body]).to.deep.equal([
      409,
      { error: 'there is a push template "taken" already: change it, or choose another uid' },
    ])
  })

  it('previews what a send says that has something of its own beside it', async () => {
    await test.call('POST', PATH, { body: { uid: 'shipped', ...BODY } })
    const { status, body } = await test.call('POST', `${PATH}/shipped/preview`, {
      body: { content: { title: 'Bread' } },
    })
    expect(status).to.equal(200)
    const languages = { de: { title: 'Brot', message: 'Warm' } }
    const misplaced = await test.call('POST', `${PATH}/shipped/preview`, { body: { languages } })
    expect(misplaced.body)
      .to.have.nested.property('errors.languages')
      .that.deep.equals(['belongs into content: content.languages'])
    const { gateways, ...said } = body as { gateways: { platform: string; request: { payload: object } }[] }
    expect(said).to.deep.equal({ version: 1, ...BODY, content: { ...CONTENT, title: 'Bread' } })
    const ios = gateways.find(({ platform }) => platform === 'ios')!
    expect(ios.request.payload)
      .to.have.nested.property('aps.alert')
      .that.includes({ title: 'Bread', subtitle: 'Your order' })
  })

  const wrong: [string, unknown, string[]][] = [
    ['nothing', {}, ['content', 'content.title', 'content.message']],
    ['a list', [], ['']],
    ['a uid that is not for addresses', { ...BODY, uid: 'a/b' }, ['uid']],
    ['texts that are missing or empty', { content: { title: '' } }, ['content.title', 'content.message']],
    ['a template in a template', { content: { ...CONTENT, template: 'x' } }, ['content.template']],
    ['misspelt fields', { ...BODY, button: [], ios: { subtitel: 'x' } }, ['button', 'ios.subtitel']],
    ['languages beside its content', { ...BODY, languages: {} }, ['languages']],
    ['our keys in a picture', { ...BODY, ios: { media: { personalize: {} } } }, ['ios.media.personalize']],
    ['what belongs to a send', { ...BODY, target: { broadcast: true }, ttl: 5 }, ['target', 'ttl']],
    [
      'values of the wrong kind',
      { content: { ...CONTENT, url: 'x' }, buttons: [{ id: 1 }] },
      ['content.url', 'buttons[0].id', 'buttons[0].text'],
    ],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what} and names every key`, async () => {
      const answer = await test.call('POST', PATH, { body })
      expect(answer.status).to.equal(422)
      expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
    })
  }

  it('answers 422 to changes that are none, or not whole', async () => {
    await test.call('POST', PATH, { body: { uid: 'fit', ...BODY } })
    const rows: [unknown, string[]][] = [
      [{}, ['']],
      [{ version: 2 }, ['']],
      [{ uid: 'other', name: 'x' }, ['uid']],
      [{ content: { title: 'T' } }, ['content.message']],
    ]
    for (const [body, keys] of rows) {
      const answer = await test.call('PUT', `${PATH}/fit`, { body })
      expect(answer.status, JSON.stringify(body)).to.equal(422)
      expect(answer.body, JSON.stringify(body)).to.have.property('errors').that.has.all.keys(keys)
    }
  })

  it('answers 404 to the push template of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.serverKey)
    await test.call('POST', PATH, { auth, body: { uid: 'theirs', ...BODY } })
    for (const [method, path, body] of routes.filter(([, one]) => one !== PATH)) {
      const answer = await test.call(method, path.replace('/x', '/theirs'), { ...(body && { body }) })
      expect(answer.status, `${method} ${path}`).to.equal(404)
    }
    const named = await test.call('POST', SEND, {
      body: { target: { broadcast: true }, content: { template: 'theirs' } },
    })
    expect(named.status).to.equal(422)
  })

  it('tells in the report which version a send had its content from, and nothing where it had none', async () => {
    await test.program.inTransaction((tx) => tx.crm.ensureInstall(test.first.id, 'phone', test.clock.now()))
    await test.call('POST', PATH, { body: { uid: 'shipped', ...BODY } })
    await test.call('PUT', `${PATH}/shipped`, { body: { content: { ...CONTENT, title: 'Sent' } } })
    const target = { broadcast: true }
    const sends: [string, object][] = [
      [SEND, { target, content: { template: 'shipped' } }],
      ['/push/v2/notifications', { target, content: { template: 'shipped', message: 'Soon.' } }],
      ['/push/notifications', { ...target, template: 'shipped' }],
    ]
    for (const [path, body] of sends) {
      const sent = await test.call('POST', path, { body })
      expect(sent.status, path).to.be.oneOf([201, 202])
      const { id } = (sent.body as { notification?: { id: number } }).notification ?? (sent.body as { id: number })
      const report = (await test.call('GET', `${SEND}/${id}`)).body
      expect(report, path).to.deep.include({ title: 'Sent', template: { uid: 'shipped', version: 2 } })
    }
    const plain = await test.call('POST', SEND, { body: { target, content: CONTENT } })
    const { id } = (plain.body as { notification: { id: number } }).notification
    expect((await test.call('GET', `${SEND}/${id}`)).body).to.not.have.property('template')
    const preview = await test.call('POST', `${SEND}/preview`, { body: { target, content: { template: 'shipped' } } })
    expect(preview.status).to.equal(200)
    const gone = await test.call('POST', `${SEND}/preview`, { body: { target, content: { template: 'gone' } } })
    expect(gone.body).to.have.property('errors').that.has.all.keys('content.template')
  })
})
