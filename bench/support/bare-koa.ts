/** A Koa server that does nothing but answer, in a process of its own: the baseline for redirects. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'

const koa = new Koa()
koa.use((context) => {
  context.body = 'ok'
})
const server = createServer(koa.callback())
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ listening: `http://127.0.0.1:${port}` })}\n`)
})
