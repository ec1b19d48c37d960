import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ownCounts } from '../../../src/platform/net/sockets.ts'
import { createPlainDoor, type PlainDoor } from '../../../src/server/tls/plain-door.ts'
import { onSqliteDaily, openTestApp, type TestApp } from '../../support/app.ts'

onSqliteDaily('the port of plain HTTP leads to a name of ours', (kind) => {
  let test: TestApp
  let door: PlainDoor
  let port: number

  const open = async (settings: Record<string, string>) => {
    test = await openTestApp({ kind, settings })
    door = createPlainDoor(test.app, ownCounts(), () => 443)
    await new Promise<void>((resolve) => door.server.listen(0, '127.0.0.1', resolve))
    port = (door.server.address() as AddressInfo).port
  }
  afterEach(async () => {
    await door.close()
    await test.close()
  })

  const ask = (host: string | string[], path = '/a?b=1') =>
    new Promise<string>((resolve, reject) => {
      const headers = [host].flat().flatMap((one) => ['Host', one])
      request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
        answer.resume()
        resolve(`${answer.statusCode} ${answer.headers.location ?? ''}`)
      })
        .on('error', reject)
        .end()
    })

  it('that of baseUrl for a host that the settings do not name', async () => {
    await open({
      baseUrl: 'https://push.example.com',
      'hosts.links': 'links.example.com',
      'links.domain': 'go.example.com',
    })
    for (const stranger of [
      'evil.example',
      '127.0.0.1',
      'push.example.com.evil.example',
      'evilgo.example.com',
      'go.example.com',
    ]) {
      expect(await ask(stranger), stranger).to.equal('308 https://push.example.com/a?b=1')
    }
    expect(await ask('PUSH.example.com:80')).to.equal('308 https://push.example.com/a?b=1')
    expect(await ask('links.example.com')).to.equal('308 https://links.example.com/a?b=1')
    expect(await ask('first.go.example.com', '//evil.example/x')).to.equal(
      '308 https://first.go.example.com//evil.example/x',
    )
  })

  it('that of the links of an app for its own host', async () => {
    await open({ baseUrl: 'https://push.example.com' })
    await test.app.inTransaction((tx) => tx.links.configure(test.first.id, { domain: 'bakery.example' }))
    expect(await ask('bakery.example')).to.equal('308 https://bakery.example/a?b=1')
    expect(await ask('evil.example')).to.equal('308 https://push.example.com/a?b=1')
  })

  it('without any name the address that was reached, never what the request says', async () => {
    await open({})
    expect(await ask('evil.example')).to.equal('308 https://127.0.0.1/a?b=1')
    expect(await ask(['a.example', 'b.example'])).to.equal('400 ')
    expect(await ask('a@b')).to.equal('400 ')
  })
})
