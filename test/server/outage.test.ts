import { expect } from 'chai'
import { silentLog } from '../../src/platform/log/log.ts'
import { replyOfError } from '../../src/server/http/errors.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { onPostgres } from '../support/program.ts'
import { openProxy, type Proxy } from '../support/proxy.ts'

onPostgres('a server whose database is gone', () => {
  let test: TestServer
  let proxy: Proxy
  beforeEach(async () => {
    test = await openTestServer({
      kind: 'postgres',
      async via(url) {
        proxy = await openProxy(url)
        return proxy.url
      },
    })
  })
  afterEach(async () => {
    await test.close()
    await proxy.close()
  })

  const calls = {
    read: () => test.call('GET', '/crm/v2/users?currentPage=1&numberPerPage=10'),
    write: () => test.call('PUT', '/crm/v1/users/anna/attributes', { body: { a: 1 } }),
    upload: () =>
      test.call('POST', '/events/v1/app-installs/I1/events', {
        auth: 'device',
        body: [{ type: 'k.fg', uuid: 'u', timestamp: 1 }],
      }),
  }

  it('asks every caller to come again, and serves them when it is back', async () => {
    for (const [name, call] of Object.entries(calls)) expect((await call()).status, name).to.be.below(300)
    await proxy.cut()
    for (const [name, call] of Object.entries(calls)) {
      // The first call may find a connection that was cut, the second finds none.
      for (const which of ['first', 'second']) {
        const { status, headers, body } = await call()
        expect([status, headers.get('retry-after')], `${which} ${name}`).to.deep.equal([503, '5'])
        expect(body).to.have.keys('error')
      }
    }
    await proxy.mend()
    for (const [name, call] of Object.entries(calls)) expect((await call()).status, name).to.be.below(300)
  })
})

describe('an error of the network that is not of the database', () => {
  it('is no 503', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    expect(replyOfError(error, silentLog, { method: 'GET', path: '/' }).status).to.equal(500)
  })
})
