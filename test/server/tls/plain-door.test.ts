import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { ownCounts } from '../../../src/platform/net/sockets.ts'
import { createPlainDoor, type PlainDoor } from '../../../src/server/tls/plain-door.ts'
import { onSqliteDaily, openTestProgram, type TestProgram } from '../../support/program.ts'

onSqliteDaily('the port of plain HTTP leads to a name of ours', (kind) => {
  let test: TestProgram
  let door: PlainDoor
  let port: number

  const open = async (settings: Record<string, string>) => {
    test = await openTestProgram({ kind, settings })
    door = createPlainDoor(test.program, ownCounts(), () => 443)
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
    await test.program.inTransaction((tx) => tx.links.configure(test.first.id, { domain: 'bakery.example' }))
    expect(await ask('bakery.example')).to.equal('308 https://bakery.example/a?b=1')
    expect(await ask('evil.example')).to.equal('308 https://push.example.com/a?b=1')
  })

  it('without any name the address that was reached, never what the request says', async () => {
    await open({})
    expect(await ask('evil.example')).to.equal('308 https://127.0.0.1/a?b=1')
    expect(await ask(['a.example', 'b.example'])).to.equal('400 ')
    expect(await ask('a@b')).to.equal('400 ')
  })

  describe('and answers challenges', () => {
    const challenge = { kind: 'http-01', token: 'a-token', answer: 'a-token.print' } as const
    const get = async (path: string, { host = 'go.example.com', method = 'GET' } = {}) =>
      new Promise<[number, string | undefined, string]>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, method, headers: { host }, agent: false }
        request(options, (answer) => {
          text(answer).then((body) => resolve([answer.statusCode!, answer.headers['content-type'], body]), reject)
        })
          .on('error', reject)
          .end()
      })
    const PATH = '/.well-known/acme-challenge/'
    const prepare = async (settings: Record<string, string>) => {
      await open(settings)
      await test.program.inTransaction(async (tx) => {
        await tx.certificates.change(['go.example.com', 'alpn.example.com'], [])
        await tx.certificates.setChallenge('go.example.com', challenge)
        await tx.certificates.setChallenge('alpn.example.com', { ...challenge, kind: 'tls-alpn-01' })
      })
    }

    it('of names that get certificates with the answer alone', async () => {
      await prepare({ 'acme.enabled': 'true', 'acme.agree': 'true', baseUrl: 'https://go.example.com' })
      const found = [200, 'application/octet-stream', 'a-token.print']
      expect(await get(`${PATH}a-token`)).to.deep.equal(found)
      expect(await get(`${PATH}a-token`, { host: 'GO.example.com:80' })).to.deep.equal(found)
      expect(await get(`${PATH}a-token`, { method: 'HEAD' })).to.deep.equal([200, found[1], ''])
      for (const path of ['a-tokem', '', 'a-token/', 'a-token%00', 'a-token?x'])
        expect((await get(PATH + path))[0], path).to.equal(404)
      for (const host of ['other.example.com', 'alpn.example.com'])
        expect((await get(`${PATH}a-token`, { host }))[0], host).to.equal(404)
    })

    it('of no name while it orders no certificates', async () => {
      await prepare({ baseUrl: 'https://go.example.com' })
      expect((await get(`${PATH}a-token`))[0]).to.equal(404)
    })

    it('with 503 while the database cannot be read', async () => {
      await prepare({ 'acme.enabled': 'true', 'acme.agree': 'true', baseUrl: 'https://go.example.com' })
      const { certificates } = test.program
      const { challengeOf } = certificates
      certificates.challengeOf = () => Promise.reject(new Error('away'))
      try {
        expect((await get(`${PATH}a-token`))[0]).to.equal(503)
      } finally {
        certificates.challengeOf = challengeOf
      }
    })
  })

  it('takes nothing but GET and HEAD, and no keys: they would have gone over the network in clear', async () => {
    await open({ baseUrl: 'https://push.example.com' })
    const statusOf = (method: string, headers: Record<string, string> = {}) =>
      new Promise<string>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/a', method, agent: false }
        request({ ...options, headers: { host: 'push.example.com', ...headers } }, (answer) => {
          answer.resume()
          resolve(`${answer.statusCode} ${answer.headers.location ?? ''}`)
        })
          .on('error', reject)
          .end()
      })
    expect(await statusOf('HEAD')).to.equal('308 https://push.example.com/a')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect(await statusOf(method), method).to.equal('403 ')
    for (const method of ['GET', 'HEAD'])
      expect(await statusOf(method, { authorization: 'Basic eA==' })).to.equal('403 ')
  })
})
