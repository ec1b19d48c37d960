import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'

describe('the ETag of an answer', () => {
  let test: TestServer
  before(async () => {
    test = await openTestServer()
    await test.call('POST', '/messages/channels', { body: { uuid: 'news' } })
  })
  after(() => test.close())

  const get = (known?: string, method = 'GET', path = '/messages/channels') =>
    test.call(method, path, { headers: known === undefined ? {} : { 'if-none-match': known } })

  it('saves sending what the caller has: 304 until something changes', async () => {
    const first = await get()
    const etag = first.headers.get('etag')!
    expect(etag).to.match(/^"[\w-]{27}"$/)
    expect((await get()).headers.get('etag')).to.equal(etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(known)
      expect([answer.status, answer.body, answer.headers.get('etag')], known).to.deep.equal([304, undefined, etag])
    }
    expect((await get(etag, 'HEAD')).status).to.equal(304)
    expect((await get('"other"')).status).to.equal(200)
    await test.call('POST', '/messages/channels', { body: { uuid: 'more' } })
    const second = await get(etag)
    expect(second.status).to.equal(200)
    expect(second.headers.get('etag')).not.to.equal(etag)
  })

  it('is there for every list, whatever it is wrapped in', async () => {
    const lists = ['/messages/v1/webhooks', '/crm/v1/purposes', '/crm/v1/suppressions', '/messages/v1/segments']
    for (const path of lists) {
      const etag = (await get(undefined, 'GET', path)).headers.get('etag')
      expect(etag, path).to.match(/^"/)
      expect((await get(etag!, 'GET', path)).status, path).to.equal(304)
    }
  })

  it('is for lists of servers: not for errors, single things, writes and SDKs', async () => {
    const answers = [
      await get('*', 'GET', '/messages/channels?limit=0'),
      await get('*', 'GET', '/messages/channels/1'),
      await test.call('PUT', '/messages/channels/1', { body: { name: 'N' }, headers: { 'if-none-match': '*' } }),
      await test.call('GET', '/push/v1/web/config', { auth: 'device', headers: { 'if-none-match': '*' } }),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([422, 200, 200, 200])
    for (const { headers } of answers) expect(headers.get('etag')).to.equal(null)
  })
})
