import { expect } from 'chai'
import { propertyList } from '../../../src/present/property-list.ts'
import { basic, openTestServer, type TestServer } from '../../support/http.ts'

describe('methods that apps called on their backend', () => {
  let test: TestServer
  let keys: string
  before(async () => {
    test = await openTestServer()
    keys = basic(test.first.apiKey, test.first.secretKey)
  })
  after(() => test.close())

  const call = (method: string, body?: RequestInit['body'], headers: Record<string, string> = {}) =>
    fetch(`${test.address}/b2.2/${test.first.apiKey}/${method}`, {
      method: 'POST',
      headers: { authorization: keys, ...headers },
      ...(body !== undefined && { body }),
    })

  const multipart = new FormData()
  multipart.append('sessionToken', 's')
  multipart.append('installId', 'I1')
  multipart.append('params[a]', 'b')
  for (const [what, body, headers] of [
    [
      'Android: a form',
      new URLSearchParams({ deviceType: '6', installId: 'I1', sessionToken: 's', 'params[a]': 'b' }),
      {},
    ],
    ['React Native: a form in parts', multipart, {}],
    ['an app: JSON', '{"params":{},"sessionToken":"s"}', { 'content-type': 'application/json' }],
    ['anybody: nonsense of some size', 'x'.repeat(3_000_000), { 'content-type': 'what/ever', accept: 'image/png' }],
    ['anybody: nothing', undefined, {}],
  ] as [string, RequestInit['body'] | undefined, Record<string, string>][]) {
    it(`are told to ${what} that there are none, in JSON`, async () => {
      const answer = await call('getUsers.json', body, headers)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
      expect(await answer.json()).to.deep.equal({
        responseCode: 4,
        responseMessage: 'No such method: getUsers',
        timestamp: 1_772_366_400,
        requestProcessingTime: 0,
        requestReceivedTime: 1_772_366_400,
        payload: null,
        sessionToken: null,
      })
    })
  }

  it('are told to iOS in a property list, with a message that it can show', async () => {
    const answer = await call('a%3C%26%00%F0%9F%98%80.plist', '{}', { 'content-type': 'application/json' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/xml; charset=utf-8')
    const text = await answer.text()
    expect(text).to.match(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<!DOCTYPE plist PUBLIC /)
    expect(text)
      .to.include('<key>responseCode</key><integer>4</integer>')
      .and.include('<string>No such method: a&lt;&amp;😀</string>')
      .and.not.include('null')
  })

  it('of another format are told so', async () => {
    for (const name of ['getUsers', 'getUsers.xml']) {
      expect(await (await call(name)).json(), name).to.include({ responseCode: 8 })
    }
  })

  it('need the keys of the app', async () => {
    expect((await test.call('POST', `/b2.2/${test.first.apiKey}/x.json`, { auth: 'none' })).status).to.equal(401)
    expect((await test.call('POST', '/b2.2/other/x.json', { auth: 'device' })).status).to.equal(404)
  })
})

describe('a property list', () => {
  it('says every kind of value', () => {
    expect(propertyList({ a: 'x\u0001>', b: [1, 1.5, true, false], c: {} })).to.include(
      '<dict><key>a</key><string>x&gt;</string><key>b</key><array><integer>1</integer><real>1.5</real><true/><false/></array>' +
        '<key>c</key><dict></dict></dict></plist>',
    )
  })
})
