import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { guardSockets, type SocketLimits, type SocketRefusal } from '../../../src/platform/net/sockets.ts'
import { eventually } from '../../support/eventually.ts'

/** More than the buffers of a connection take in. */
const LARGE = Buffer.alloc(48 << 20, 'x')
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('the sockets of a server', () => {
  let server: Server
  let port: number
  let refused: SocketRefusal[]
  let sockets: Socket[]
  const clients: Socket[] = []

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  async function serve(listener: RequestListener, limits: Partial<SocketLimits> = {}, keepAliveTimeout = 60_000) {
    refused = []
    sockets = []
    const guard = guardSockets(listener, {
      maxConnections: 100,
      maxPerPeer: 100,
      peerOf: () => 'somebody',
      writeTimeoutMs: 60_000,
      onRefused: (why) => refused.push(why),
      ...limits,
    })
    server = createServer({ keepAliveTimeout, keepAliveTimeoutBuffer: 0 }, guard.handle)
    guard.watch(server)
    server.on('connection', (socket: Socket) => sockets.push(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  /** A connection, and what it has received; it reads only what is asked for. */
  async function open(): Promise<{ client: Socket; text(): string; closed: Promise<unknown> }> {
    const client = connect(port, '127.0.0.1')
    clients.push(client)
    client.on('error', () => {})
    const closed = new Promise((resolve) => client.once('close', resolve))
    await once(client, 'connect')
    let received = ''
    client.on('data', (chunk) => (received += chunk.toString('latin1')))
    return { client, text: () => received, closed }
  }
  const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

  it('cut a client off that asks and never reads', async () => {
    let gone: Promise<unknown> | undefined
    await serve(
      (_, response) => {
        gone = once(response, 'close')
        response.end(LARGE)
      },
      { writeTimeoutMs: 50 },
    )
    const { client } = await open()
    client.pause()
    client.write(GET)
    await eventually(() => gone !== undefined, 'the request arrives')
    await gone
    expect(refused).to.deep.equal(['writeTimeout'])
    expect(sockets[0]!.destroyed).to.equal(true)
  })

  it('leave a client alone that reads slowly, until it reads no more', async () => {
    await serve((_, response) => response.end(LARGE))
    const { client, text } = await open()
    client.pause()
    client.write(GET)
    await eventually(() => (sockets[0]?.writableLength ?? 0) > 0, 'the answer waits')
    // Node's own check after a time without events, and what it looks at: the hours in between are left out here.
    const watched = sockets[0] as unknown as { _onTimeout(): void; _handle: { writeQueueSize: number } }
    /** One piece, however slow this process is to look again. */
    const readPiece = () =>
      new Promise<void>((resolve) => {
        client.once('data', () => {
          client.pause()
          resolve()
        })
        client.resume()
      })
    for (let pieces = 1; pieces <= 3; pieces++) {
      const before = watched._handle.writeQueueSize
      await eventually(async () => {
        await readPiece()
        return watched._handle.writeQueueSize < before
      }, 'more of it is taken')
      watched._onTimeout()
      expect(refused).to.deep.equal([])
    }
    expect(text().length).to.be.below(LARGE.length)
    // What the system still takes until its own buffers are full is progress as well.
    await eventually(() => {
      watched._onTimeout()
      return refused.length > 0
    }, 'nothing more is taken')
    expect(refused).to.deep.equal(['writeTimeout'])
  })

  it('wait for an answer that takes long to make', async () => {
    await serve((_, response) => server.once('timeout', () => response.end('late')), { writeTimeoutMs: 20 })
    const { client, text } = await open()
    client.write(GET)
    await eventually(() => text().endsWith('late'), 'the answer comes')
    expect(refused).to.deep.equal([])
  })

  it('are closed when they are idle', async () => {
    await serve((_, response) => response.end('x'), {}, 20)
    const { client, text, closed } = await open()
    client.write(GET)
    await closed
    expect(text()).to.match(/^HTTP\/1\.1 200/)
    expect(refused).to.deep.equal([])
  })

  it('are so many of one peer and no more, until one of them closes', async () => {
    let isExempt = false
    await serve((_, response) => response.end('x'), { maxPerPeer: 2, peerOf: () => (isExempt ? undefined : 'peer') })
    const [first, second] = [await open(), await open()]
    await (await open()).closed
    expect(refused).to.deep.equal(['maxPerPeer'])
    for (const { client, text } of [first, second]) {
      client.write(GET)
      await eventually(() => statusesIn(text()).length === 1, 'it is answered')
    }
    isExempt = true
    const exempt = await open()
    exempt.client.write(GET)
    await eventually(() => statusesIn(exempt.text()).length === 1, 'it is answered')
    isExempt = false
    first.client.destroy()
    await eventually(() => sockets[0]!.destroyed, 'the server hears of it')
    const next = await open()
    next.client.write(GET)
    await eventually(() => statusesIn(next.text()).length === 1, 'it is answered')
    expect(refused).to.deep.equal(['maxPerPeer'])
  })

  it('are so many in all and no more', async () => {
    await serve((_, response) => response.end('x'), { maxConnections: 1, peerOf: () => undefined })
    const first = await open()
    await (await open()).closed
    expect(refused).to.deep.equal(['maxConnections'])
    first.client.write(GET)
    await eventually(() => statusesIn(first.text()).length === 1, 'it is answered')
  })

  it('work at one answer at a time, and read no further while it is not taken', async () => {
    let begun = 0
    await serve(
      (_, response) => {
        begun++
        response.end(LARGE)
      },
      { writeTimeoutMs: 50 },
    )
    const { client } = await open()
    client.pause()
    // More requests than buffers hold.
    client.write(GET.repeat(400_000))
    await eventually(() => refused.length > 0, 'the client is cut off')
    expect(refused).to.deep.equal(['writeTimeout'])
    expect(begun).to.equal(1)
    expect(sockets[0]!.bytesRead).to.be.below(512 * 1024)
  })

  it('answer what a client writes at once in its order, bodies included', async () => {
    const seen: string[] = []
    let running = 0
    let most = 0
    await serve(async (request, response) => {
      most = Math.max(most, ++running)
      let body = ''
      for await (const chunk of request) body += chunk
      // Later ones would overtake here.
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${request.url} ${body.length}`)
      running--
      response.end(`${request.url}\n`)
    })
    const { client, text } = await open()
    const length = (i: number) => (i % 100 === 7 ? 300_000 : i % 3 === 0 ? 0 : i)
    const expected = Array.from({ length: 1000 }, (_, i) => `/${i} ${length(i)}`)
    client.write(
      expected
        .map((_, i) => `POST /${i} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length(i)}\r\n\r\n${'b'.repeat(length(i))}`)
        .join(''),
    )
    await eventually(() => seen.length === 1000, 'all are answered')
    expect(seen).to.deep.equal(expected)
    expect(most).to.equal(1)
    await eventually(() => text().endsWith('/999\n'), 'the last answer comes')
    expect(statusesIn(text())).to.have.length(1000)
  })
})
