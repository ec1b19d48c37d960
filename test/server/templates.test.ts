import { expect } from 'chai'
import { basic, openTestServer, type TestServer } from '../support/http.ts'
import { onSqliteDaily } from '../support/program.ts'
import { alert, closing, heading } from '../support/templates.ts'

const PATH = '/messages/v1/templates'
const STARTERS = '/messages/v1/template-starters'
const BODY = {
  content: alert([heading('{{Title}}'), closing()]),
  tags: [{ title: 'Title', type: 'text' }],
  sample: { Title: 'Sample' },
}

onSqliteDaily('the template interface', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
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
    ['GET', STARTERS],
  ]
  for (const [method, path, body] of routes) {
    it(`asks for the server key on ${method} ${path}`, async () => {
      for (const auth of ['none', 'device', 'Basic !', basic(test.first.apiKey, 'x')]) {
        expect((await test.call(method, path, { auth, ...(body && { body }) })).status, auth).to.equal(401)
      }
    })
  }

  it('makes, shows, changes, previews, lists and deletes a template', async () => {
    const made = await test.call('POST', PATH, { body: { uid: 'note', name: 'Note', ...BODY } })
    expect(made.status).to.equal(201)
    expect(made.body).to.deep.equal({
      appId: test.first.id,
      uid: 'note',
      name: 'Note',
      version: 1,
      content: BODY.content,
      tags: [{ title: 'Title', type: 'text', required: true }],
      sample: { Title: 'Sample' },
      createdAt: '2026-03-01 12:00:00',
      updatedAt: '2026-03-01 12:00:00',
    })
    expect((await test.call('GET', `${PATH}/note`)).body).to.deep.equal(made.body)

    const changed = await test.call('PUT', `${PATH}/note`, {
      body: { content: alert([heading('New: {{Title}}')]), tags: [{ title: 'Title', type: 'text', default: 'x' }] },
    })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.include({ version: 2, name: 'Note', sample: { Title: 'Sample' } })
    expect((await test.call('GET', `${PATH}/note/versions/1`)).body).to.deep.equal({
      uid: 'note',
      version: 1,
      content: BODY.content,
      tags: [{ title: 'Title', type: 'text', required: true }],
      sample: { Title: 'Sample' },
      createdAt: '2026-03-01 12:00:00',
    })
    expect((await test.call('GET', `${PATH}/note/versions?limit=1`)).body).to.deep.equal({
      versions: [{ version: 1, createdAt: '2026-03-01 12:00:00' }],
      next: 1,
    })
    const title = (body: unknown) => (body as { content: ReturnType<typeof alert> }).content.frame.nodes
    const previewed = await test.call('POST', `${PATH}/note/preview`, { body: { content: { Title: 'Given' } } })
    expect(previewed.status).to.equal(200)
    expect(previewed.body).to.have.all.keys('version', 'content')
    expect(title(previewed.body)).to.deep.equal([heading('New: Given')])
    expect(title((await test.call('POST', `${PATH}/note/preview`, { body: {} })).body)).to.deep.equal([
      heading('New: Sample'),
    ])

    const { appId, uid, name, version, createdAt, updatedAt } = changed.body as Record<string, unknown>
    const line = { appId, uid, name, version, createdAt, updatedAt }
    expect((await test.call('GET', `${PATH}?limit=1`)).body).to.deep.equal({ templates: [line], next: null })
    expect((await test.call('DELETE', `${PATH}/note`)).status).to.equal(204)
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['POST', '/preview', {}],
      ['PUT', '', { name: 'x' }],
    ] as const) {
      expect((await test.call(method, `${PATH}/note${path}`, { ...(body && { body }) })).status, path).to.equal(404)
    }
  })

  it('makes a template from a starter, and takes back what it showed', async () => {
    const made = await test.call('POST', PATH, { body: { starter: 'rating', uid: 'rate' } })
    expect(made.body).to.deep.include({ uid: 'rate', name: 'Ask for a rating', version: 1 })
    expect((await test.call('POST', `${PATH}/rate/preview`, { body: {} })).status).to.equal(200)
    expect((await test.call('PUT', `${PATH}/rate`, { body: made.body })).body).to.deep.include({ version: 1 })
    const copied = await test.call('POST', PATH, { body: { ...(made.body as object), uid: 'copy' } })
    expect(copied.body).to.deep.include({ uid: 'copy', version: 1 })
  })

  it('lists the starters, each of which makes a template of its name', async () => {
    const { status, body } = await test.call('GET', STARTERS)
    expect(status).to.equal(200)
    const { starters } = body as { starters: Record<string, unknown>[] }
    expect(starters).to.have.length(5)
    for (const one of starters) {
      expect(one).to.have.all.keys('starter', 'name', 'summary', 'content', 'tags', 'sample')
      const made = await test.call('POST', PATH, { body: { starter: one.starter, uid: `my-${String(one.starter)}` } })
      const { name, content, tags, sample } = one
      expect(made.body).to.deep.include({ name, content, tags, sample })
    }
  })

  it('answers 404 to the template of another app', async () => {
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const auth = basic(other.apiKey, other.serverKey)
    await test.call('POST', PATH, { auth, body: { uid: 'theirs', ...BODY } })
    for (const [method, path, body] of routes.filter(([, one]) => one !== PATH && one !== STARTERS)) {
      const answer = await test.call(method, path.replace('/x', '/theirs'), { ...(body && { body }) })
      expect(answer.status, `${method} ${path}`).to.equal(404)
    }
    expect((await test.call('GET', `${PATH}/theirs`, { auth })).status).to.equal(200)
  })

  const wrong: [string, unknown, string[]][] = [
    ['nothing', {}, ['content']],
    ['a list', [], ['']],
    ['nulls', { content: null, uid: null, name: null }, ['content']],
    ['a uid that is not for addresses', { ...BODY, uid: 'a/b' }, ['uid']],
    ['a uid that means a directory', { ...BODY, uid: '..' }, ['uid']],
    ['an empty uid', { ...BODY, uid: '' }, ['uid']],
    ['a long uid', { ...BODY, uid: 'x'.repeat(256) }, ['uid']],
    ['a uid that is taken', { ...BODY, uid: 'taken' }, ['uid']],
    ['an unknown starter', { starter: 'x' }, ['starter']],
    ['a starter and a document', { starter: 'welcome', ...BODY }, ['content', 'sample', 'tags']],
    ['a misspelt field', { ...BODY, tag: [] }, ['tag']],
    [
      'a document that is wrong in several places',
      {
        content: { ver: 2, frame: { type: 'alert', nodes: [heading(1), heading('{{X}}')] } },
        tags: [{}],
        name: '\ud800',
      },
      [
        'content.frame.nodes[0].text',
        'content.frame.nodes[1].text',
        'content.ver',
        'name',
        'tags[0].title',
        'tags[0].type',
      ],
    ],
    ['a document of the wrong kind', { content: 'x' }, ['content']],
    ['sample values that do not fit', { ...BODY, sample: { Title: 5, X: 1 } }, ['sample.Title', 'sample.X']],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what} and names every key`, async () => {
      if (what.endsWith('taken')) await test.call('POST', PATH, { body })
      const answer = await test.call('POST', PATH, { body })
      expect(answer.status).to.equal(422)
      expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
    })
  }

  it('answers 422 to changes and previews that do not fit', async () => {
    await test.call('POST', PATH, { body: { uid: 'fit', ...BODY } })
    const rows: [string, string, unknown, string[]][] = [
      ['PUT', '', {}, ['']],
      ['PUT', '', { version: 2 }, ['']],
      ['PUT', '', { uid: 'other', name: 'x' }, ['uid']],
      ['PUT', '', { content: null, tags: null }, ['']],
      ['PUT', '', { name: '', content: { ver: 1 } }, ['name', 'content.frame']],
      ['PUT', '', { tags: [] }, ['tags']],
      ['PUT', '', { content: alert([heading('{{X}}')]) }, ['content.frame.nodes[0].text']],
      ['POST', '/preview', { content: {} }, ['content.Title']],
      ['POST', '/preview', { content: { Title: null, X: 1 } }, ['content.Title', 'content.X']],
      ['POST', '/preview', { content: [] }, ['content']],
    ]
    for (const [method, path, body, keys] of rows) {
      const answer = await test.call(method, `${PATH}/fit${path}`, { body })
      expect(answer.status, JSON.stringify(body)).to.equal(422)
      expect(answer.body, JSON.stringify(body)).to.have.property('errors').that.has.all.keys(keys)
    }
    expect((await test.call('GET', `${PATH}/fit`)).body).to.deep.include({ version: 1 })
  })

  it('answers 404 to uids and versions that there cannot be', async () => {
    await test.call('POST', PATH, { body: { uid: 'one', ...BODY } })
    expect((await test.call('GET', `${PATH}/one/versions?after=${2 ** 53 - 1}`)).body).to.deep.equal({
      versions: [],
      next: null,
    })
    for (const path of [
      '%00',
      'x%20y',
      'one/versions/0',
      'one/versions/x',
      'one/versions/9999999999',
      'one/versions/2',
    ]) {
      expect((await test.call('GET', `${PATH}/${path}`)).status, path).to.equal(404)
    }
  })

  it('keeps names of prototypes out of everything', async () => {
    const body =
      '{"uid": "proto", "content": {"ver": 1, "frame": {"type": "alert", "nodes": [{"type": "heading", "text": "x"}]}}, "sample": {"__proto__": 1}, "tags": [{"title": "__proto__", "type": "text"}], "__proto__": {"x": 1}}'
    const answer = await test.call('POST', PATH, { body })
    expect(answer.status).to.equal(422)
    expect(answer.body).to.have.property('errors').that.has.all.keys('tags[0].title', '__proto__')
  })
})
