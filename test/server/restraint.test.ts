import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'

describe('restraint over HTTP', () => {
  let server: TestServer
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  const put = (body: unknown) => server.call('PUT', '/messages/v1/restraint', { body })

  it('is off at first', async () => {
    const { status, body } = await server.call('GET', '/messages/v1/restraint')
    expect(status).to.equal(200)
    expect(body).to.eql({
      quietHours: null,
      frequencyCap: null,
      confirmAbove: null,
      deviceChannels: 'private',
      languageAttribute: null,
    })
  })

  it('changes what is given, leaves alone what is absent, and null switches off', async () => {
    const quietHours = { from: '22:00', to: '07:30' }
    const frequencyCap = { count: 5, hours: 24 }
    const deviceChannels = 'public'
    const confirmAbove = 10_000
    const languageAttribute = 'profile.language'
    const all = { quietHours, frequencyCap, confirmAbove, deviceChannels, languageAttribute }
    expect((await put(all)).body).to.eql(all)
    const after = { ...all, frequencyCap: null, confirmAbove: null }
    expect((await put({ frequencyCap: null, confirmAbove: null })).body).to.eql(after)
    expect((await server.call('GET', '/messages/v1/restraint')).body).to.eql(after)
    expect((await put({ deviceChannels: null })).body).to.eql({ ...after, deviceChannels: 'private' })
  })

  it('says what comes after quiet hours only where they hold', async () => {
    const quietHours = { from: '22:00', to: '07:30' }
    // oxlint-disable-next-line unicorn/no-thenable -- a word of the interface, never a function
    const holding = { ...quietHours, then: 'hold' }
    expect((await put({ quietHours: holding })).body).to.deep.include({ quietHours: holding })
    // oxlint-disable-next-line unicorn/no-thenable -- the same
    expect((await put({ quietHours: { ...quietHours, then: 'drop' } })).body).to.deep.include({ quietHours })
    expect((await put({ quietHours: holding })).status).to.equal(200)
    expect((await put({ quietHours })).body).to.deep.include({ quietHours })
    // oxlint-disable-next-line unicorn/no-thenable -- the same
    expect((await put({ quietHours: { ...quietHours, then: 'wait' } })).status).to.equal(422)
  })

  it('keeps the path of the language attribute as it was given, until null clears it', async () => {
    const names = [
      'language',
      'profile.language',
      '["my.language"]',
      'profile["a \\"b\\""]',
      'Sprache',
      '_lang',
      'user.language',
      'l'.repeat(255),
    ]
    for (const languageAttribute of names) {
      expect((await put({ languageAttribute })).body, languageAttribute).to.deep.include({ languageAttribute })
    }
    expect((await put({ confirmAbove: 7 })).body).to.deep.include({ languageAttribute: 'l'.repeat(255) })
    expect((await put({ languageAttribute: null, confirmAbove: null })).body).to.deep.include({
      languageAttribute: null,
    })
  })

  it('names the remedy for a language attribute that is none', async () => {
    const path =
      'must be the name of a user attribute: language, profile.language (at most 8 names), or ["a name with . or quotes"]'
    const bare = 'must be the name of the attribute alone: language, not attributes.language'
    const cases: [unknown, string][] = [
      ['attributes.language', bare],
      ['user.attributes.language', bare],
      ['a..b', path],
      ['a.', path],
      ['[language]', path],
      ['a.b.c.d.e.f.g.h.i', path],
      ['l'.repeat(256), 'must have at most 255 characters'],
      ['', 'must not be empty'],
      [7, 'must be a string'],
    ]
    for (const [languageAttribute, says] of cases) {
      const { status, body } = await put({ languageAttribute })
      expect(status).to.equal(422)
      expect(body)
        .to.have.property('errors')
        .that.deep.equals({ languageAttribute: [says] })
    }
  })

  const wrong: [string, unknown, string[]][] = [
    ['hours that do not exist', { quietHours: { from: '24:00', to: '7:00' } }, ['quietHours.from', 'quietHours.to']],
    ['hours that begin when they end', { quietHours: { from: '22:00', to: '22:00' } }, ['quietHours.to']],
    ['half a span', { quietHours: { from: '22:00' } }, ['quietHours.to']],
    ['a cap of nothing', { frequencyCap: { count: 0, hours: 1.5 } }, ['frequencyCap.count', 'frequencyCap.hours']],
    ['text where objects belong', { quietHours: 'x', frequencyCap: 'y' }, ['quietHours', 'frequencyCap']],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what} and names every key`, async () => {
      const answer = await put(body)
      expect(answer.status).to.equal(422)
      expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
    })
  }

  it('needs the server key', async () => {
    expect((await server.call('PUT', '/messages/v1/restraint', { auth: 'device', body: {} })).status).to.equal(401)
  })
})
