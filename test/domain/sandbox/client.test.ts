import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { sandboxClient } from '../../../src/domain/sandbox/client.ts'
import type { AppError } from '../../../src/platform/errors.ts'

describe('a client of the sandbox', () => {
  let server: Server
  let answer: { status: number; body: string }
  const asked: { method?: string; url?: string; body: string }[] = []
  let client: ReturnType<typeof sandboxClient>
  before(async () => {
    server = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      asked.push({ method: request.method!, url: request.url!, body })
      response.writeHead(answer.status).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    client = sandboxClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, [])
  })
  after(() => void server.close())

  const errorOf = (work: Promise<unknown>): Promise<AppError> =>
    work.then(
      () => expect.fail('nothing was refused'),
      (error: AppError) => error,
    )

  for (const [status, body, blocks] of [
    [200, '{"blocks":{"fcm":{}}}', { fcm: {} }],
    [299, '{"blocks":{}}', {}],
    [200, '{"blocks":7}', {}],
  ] as const) {
    it(`reads blocks of ${body} with ${status}`, async () => {
      answer = { status, body }
      expect(await client.blocks()).to.deep.equal(blocks)
    })
  }

  for (const [status, body] of [
    [300, '{"blocks":{}}'],
    [404, '{"blocks":{}}'],
    [200, '[]'],
    [200, '<html>'],
    [200, ''],
  ] as const) {
    it(`is unavailable for a while with ${status} and ${body}`, async () => {
      answer = { status, body }
      const { code, message, details } = await errorOf(client.blocks())
      expect({ code, details }).to.deep.equal({ code: 'unavailable', details: { headers: { 'Retry-After': '5' } } })
      expect(message).to.match(/is not the sandbox of this version$/)
    })
  }

  it('subscribes, and declares a token with its path encoded', async () => {
    answer = { status: 200, body: '{"endpoint":"e"}' }
    expect(await client.subscribe('key')).to.deep.equal({ endpoint: 'e' })
    await client.declare('a/b', { gateway: 'fcm', name: 'mine' })
    expect(asked.slice(-2)).to.deep.equal([
      { method: 'POST', url: '/subscriptions', body: '{"publicKey":"key"}' },
      { method: 'PUT', url: '/tokens/a%2Fb', body: '{"gateway":"fcm","name":"mine"}' },
    ])
  })

  it('says that nobody answers', async () => {
    const { code, message } = await errorOf(sandboxClient('http://127.0.0.1:1', []).blocks())
    expect({ code, said: message.endsWith('does not answer: start appsvc sandbox again') }).to.deep.equal({
      code: 'unavailable',
      said: true,
    })
  })
})
