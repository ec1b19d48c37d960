import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { isAppError } from '../../../src/platform/errors.ts'
import { readBytes } from '../../../src/server/http/body.ts'

describe('reading a body', () => {
  const LIMIT = 1000
  const heard = new EventEmitter()
  let server: Server
  let socket: Socket

  before((done) => {
    server = createServer(async (request, response) => {
      heard.emit('head')
      let listened = false
      request.once('newListener', () => {
        listened = true
      })
      const text = await readBytes(request, LIMIT, { isStranger: request.headers['x-stranger'] !== undefined }).then(
        String,
        codeOf,
      )
      heard.emit('body', { text, listened })
      response.end()
    }).listen(0, '127.0.0.1', done)
  })
  after(() => void server.close())
  beforeEach(async () => {
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
  })
  afterEach(() => void socket.destroy())

  const codeOf = (error: unknown) => (isAppError(error) ? error.code : String(error))
  const head = (...headers: string[]) => ['PUT / HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n')
  type Heard = { text: string; listened: boolean }

  /** Sends the pieces, each once the server has begun to read, and resolves with what it read. */
  async function send(first: string, ...pieces: string[]): Promise<Heard> {
    const body = once(heard, 'body')
    const begun = once(heard, 'head')
    socket.write(first)
    await begun
    for (const piece of pieces) {
      await new Promise(setImmediate)
      socket.write(piece)
    }
    const [read] = (await body) as [Heard]
    return read
  }

  it('takes one that came with its head at once', async () => {
    const { text, listened } = await send(`${head('Content-Length: 5')}hallo`)
    expect([text, listened]).to.eql(['hallo', false])
  })

  it('waits for the rest of one that comes in pieces', async () => {
    const { text, listened } = await send(`${head('Content-Length: 5')}h`, 'al', 'lo')
    expect([text, listened]).to.eql(['hallo', true])
  })

  it('takes one in chunks, and one of no bytes', async () => {
    expect((await send(`${head('Transfer-Encoding: chunked')}3\r\nhal\r\n2\r\nlo\r\n0\r\n\r\n`)).text).to.equal('hallo')
    expect((await send(head('Content-Length: 0'))).text).to.equal('')
    expect((await send(head())).text).to.equal('')
  })

  it('takes one after another from a connection', async () => {
    for (const text of ['one', 'three', 'x'.repeat(LIMIT)]) {
      expect((await send(`${head(`Content-Length: ${text.length}`)}${text}`)).text).to.equal(text)
    }
  })

  it('refuses one that is too large, whether it says so or not', async () => {
    const large = 'x'.repeat(LIMIT + 1)
    expect((await send(`${head(`Content-Length: ${large.length}`)}${large}`)).text).to.equal('too_large')
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`
    expect((await send(`${head('Transfer-Encoding: chunked')}${chunk}`)).text).to.equal('too_large')
  })

  it('cuts a stranger off who sends crumbs', async () => {
    const chunked = ['Transfer-Encoding: chunked', 'Content-Type: x']
    const crumbs = `${'1\r\nx\r\n'.repeat(900)}0\r\n\r\n`
    expect((await send(head(...chunked), crumbs)).text).to.equal('x'.repeat(900))
    const stranger = connect((server.address() as AddressInfo).port, '127.0.0.1')
    stranger.on('error', () => {})
    const closed = new Promise((resolve) => stranger.once('close', resolve))
    const body = once(heard, 'body') as Promise<[Heard]>
    stranger.write(`${head(...chunked, 'X-Stranger: 1')}${crumbs}`)
    expect((await body)[0].text).to.equal('bad_request')
    await closed
  })

  it('takes a short one in crumbs from anybody', async () => {
    const chunked = ['Transfer-Encoding: chunked', 'Content-Type: x', 'X-Stranger: 1']
    expect((await send(head(...chunked), `${'1\r\nx\r\n'.repeat(200)}0\r\n\r\n`)).text).to.equal('x'.repeat(200))
  })

  it('refuses one that breaks off', async () => {
    const body = once(heard, 'body')
    const begun = once(heard, 'head')
    socket.write(`${head('Content-Length: 5')}ha`)
    await begun
    socket.destroy()
    const [{ text }] = (await body) as [Heard]
    expect(text).to.equal('bad_request')
  })
})
