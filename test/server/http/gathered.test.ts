import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect } from 'chai'
import { gathered } from '../../../src/server/http/gathered.ts'

describe('requests of one turn of the event loop', () => {
  it('are answered one after the other, those that came together inside of one call', async () => {
    const told: string[] = []
    const listener = gathered(
      (request, response) => {
        told.push(request.url!)
        response.end(request.url)
      },
      (work) => {
        told.push('together')
        work()
        told.push('done')
      },
    )
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    try {
      let answers = ''
      socket.on('data', (piece) => (answers += piece.toString('latin1')))
      const ask = async (...paths: string[]) => {
        socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
        while (!answers.endsWith(paths.at(-1)!)) await once(socket, 'data')
      }
      // Node parses what arrives in one piece at once.
      await ask('/1', '/2')
      await ask('/3')
    } finally {
      socket.destroy()
      server.close()
    }
    expect(told).to.deep.equal(['together', '/1', '/2', 'done', '/3'])
  })
})
